import CallbackIcon from '@mui/icons-material/CallReceived';
import DifferenceIcon from '@mui/icons-material/CompareArrows';
import AuditIcon from '@mui/icons-material/FactCheckOutlined';
import InterventionIcon from '@mui/icons-material/GavelOutlined';
import SecurityIcon from '@mui/icons-material/GppMaybeOutlined';
import LinkIcon from '@mui/icons-material/Link';
import LedgerIcon from '@mui/icons-material/MenuBookOutlined';
import WorkIcon from '@mui/icons-material/NotificationImportantOutlined';
import MoneyIcon from '@mui/icons-material/PaymentsOutlined';
import { type ComponentType, lazy } from 'react';
import type { Area, Resource } from '../area';
import { WaitingWork } from './waiting';
import { operationWords } from './words';

const desk = (name: keyof typeof import('./desk-lists')) =>
  lazy(async () => ({ default: (await import('./desk-lists'))[name] as ComponentType }));
const books = (name: keyof typeof import('./books-lists')) =>
  lazy(async () => ({ default: (await import('./books-lists'))[name] as ComponentType }));

const common = { roles: ['ops'], group: 'operations' } as const;
const ledger = { roles: ['ops', 'tenant_admin'], group: 'operations', icon: LedgerIcon, needs: 'tenant' } as const;

const RESOURCES: Resource[] = [
  {
    ...common,
    name: 'worklist',
    icon: WorkIcon,
    list: '/ops/1.0.0/worklist',
    idOf: ({ kind, objectId }: { kind: string; objectId: string }) => `${kind} ${objectId}`,
    pages: { list: lazy(() => import('./worklist-page')) },
  },
  {
    ...common,
    name: 'interventions',
    icon: InterventionIcon,
    list: '/ops/1.0.0/interventions',
    idOf: ({ interventionId }: { interventionId: string }) => interventionId,
    pages: { list: desk('InterventionList') },
  },
  {
    // What operators act on; it is reached from the lists.
    name: 'objects',
    roles: ['ops'],
    list: '/ops/1.0.0/worklist',
    one: '/ops/1.0.0/objects/{objectId}',
    idOf: ({ objectId }: { objectId: string }) => objectId,
    pages: { show: lazy(() => import('./object-page')) },
  },
  {
    ...common,
    name: 'callbacks',
    icon: CallbackIcon,
    list: '/ops/1.0.0/callbacks',
    one: '/ops/1.0.0/callbacks/{callbackId}',
    idOf: ({ callbackId }: { callbackId: string }) => callbackId,
    pages: { list: desk('CallbackList'), show: lazy(() => import('./callback-page')) },
  },
  {
    ...common,
    name: 'ops-payouts',
    icon: MoneyIcon,
    list: '/ops/1.0.0/payouts',
    idOf: ({ payoutId }: { payoutId: string }) => payoutId,
    pages: { list: desk('OpsPayoutList') },
  },
  {
    ...common,
    name: 'unmatched-transfers',
    icon: MoneyIcon,
    list: '/ops/1.0.0/unmatched-transfers',
    idOf: ({ unmatchedTransferId }: { unmatchedTransferId: string }) => unmatchedTransferId,
    pages: { list: desk('UnmatchedList') },
  },
  {
    ...common,
    name: 'receipts',
    icon: MoneyIcon,
    list: '/ops/1.0.0/receipts',
    idOf: ({ receiptId }: { receiptId: string }) => receiptId,
    pages: { list: desk('ReceiptList') },
  },
  {
    ...common,
    name: 'ops-disputes',
    icon: InterventionIcon,
    list: '/ops/1.0.0/disputes',
    idOf: ({ disputeId }: { disputeId: string }) => disputeId,
    pages: { list: desk('OpsDisputeList') },
  },
  {
    ...common,
    name: 'ops-links',
    icon: LinkIcon,
    list: '/ops/1.0.0/payment-links',
    idOf: ({ linkId }: { linkId: string }) => linkId,
    pages: { list: desk('OpsLinkList') },
  },
  {
    ...common,
    name: 'reconciliation-runs',
    icon: DifferenceIcon,
    list: '/reconciliation/1.0.0/runs',
    one: '/reconciliation/1.0.0/runs/{runId}',
    idOf: ({ runId }: { runId: string }) => runId,
    pages: { list: books('RunList') },
  },
  {
    ...common,
    name: 'differences',
    icon: DifferenceIcon,
    list: '/reconciliation/1.0.0/differences',
    idOf: ({ differenceId }: { differenceId: string }) => differenceId,
    pages: { list: books('DifferenceList') },
  },
  {
    ...common,
    name: 'audits',
    icon: AuditIcon,
    list: '/ops/1.0.0/audits',
    one: '/ops/1.0.0/audits/{auditId}',
    idOf: ({ auditId }: { auditId: string }) => auditId,
    pages: { list: lazy(() => import('./audit-list')), show: lazy(() => import('./audit-page')) },
  },
  {
    ...common,
    name: 'security-events',
    icon: SecurityIcon,
    list: '/ops/1.0.0/security-events',
    idOf: ({ eventId }: { eventId: string }) => eventId,
    pages: { list: desk('SecurityEventList') },
  },
  {
    ...ledger,
    name: 'ledger-accounts',
    list: '/ledger/1.0.0/accounts',
    one: '/ledger/1.0.0/accounts/{accountId}',
    idOf: ({ accountId }: { accountId: string }) => accountId,
    pages: { list: books('AccountList') },
  },
  {
    ...ledger,
    name: 'ledger-transfers',
    list: '/ledger/1.0.0/transfers',
    idOf: ({ transferId }: { transferId: string }) => transferId,
    pages: { list: books('TransferList') },
  },
  {
    ...ledger,
    name: 'trial-balance',
    list: '/ledger/1.0.0/trial-balance',
    isWhole: true,
    idOf: ({ currency }: { currency: string }) => currency,
    pages: { list: books('TrialBalance') },
  },
];

/** What operators do: what needs a person, acts, callbacks, books. */
export const operations: Area = { resources: RESOURCES, home: { ops: WaitingWork }, words: operationWords };
