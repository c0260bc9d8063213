import { Box } from '@mui/material';
import { SelectInput, TextInput, useRefresh, useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { WorkflowLink } from '../parts/workflow-link';
import { STATE_TONES } from './callback-states';
import { OperatorAct } from './operator-act';
import {
  type Callback,
  type Intervention,
  type OpsDispute,
  type OpsLink,
  type OpsPayout,
  objectPage,
  onProposal,
  type Receipt,
  type SecurityEvent,
  type Unmatched,
  type WorkAct,
} from './work';
import { Wrapped } from './wrapped';

interface Money {
  amount: string;
  currency: string;
}
const amountOf = {
  label: 'operations.work.amount',
  of: ({ amount, currency }: Money) => <Amount amount={amount} currency={currency} />,
  end: true,
};
const workflowOf = {
  label: 'operations.object.workflow',
  of: ({ workflowId }: { workflowId: string }) => <WorkflowLink workflowId={workflowId} />,
};

/** In the API's own words, which are English. */
function Said({ text }: { text: string | undefined }) {
  return text ? <span lang="en">{text}</span> : null;
}

function Acts({ acts, about, amount, currency }: { acts: WorkAct[]; about: string } & Money) {
  const refresh = useRefresh();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {acts.map((offered) => (
        <OperatorAct
          key={offered.act}
          offered={offered}
          about={about}
          amount={amount}
          currency={currency}
          onDone={refresh}
        />
      ))}
    </Box>
  );
}

const INTERVENTIONS: Column<Intervention>[] = [
  { label: 'operations.object.act', of: (row) => <Ordered row={row} /> },
  amountOf,
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.audit.reason', of: ({ reason }) => <Wrapped>{reason}</Wrapped> },
  {
    label: 'operations.audit.startedBy',
    of: ({ orderedBy, confirmedBy }) => <Wrapped>{[orderedBy, confirmedBy].filter(Boolean).join(' + ')}</Wrapped>,
    wide: true,
  },
  { label: 'operations.audit.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

function Ordered({ row: { act, objectId } }: { row: Intervention }) {
  const translate = useTranslate();
  return (
    <Wrapped>
      {translate(`operations.acts.${act}`)}: {objectId}
    </Wrapped>
  );
}

export function InterventionList() {
  const statuses = ['proposed', 'ordered', 'done', 'refused', 'withdrawn'];
  return (
    <ListPage<Intervention>
      columns={INTERVENTIONS}
      to={({ objectId }) => objectPage(objectId)}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="operations.work.status"
          choices={statuses.map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
        <TextInput key="objectId" source="objectId" label="console.record.id" alwaysOn />,
      ]}
    />
  );
}

const CALLBACKS: Column<Callback>[] = [
  { label: 'operations.callback.type', of: ({ processor, type }) => `${processor}: ${type.replaceAll('_', ' ')}` },
  { label: 'operations.callback.reference', of: ({ reference }) => <Wrapped>{reference}</Wrapped> },
  { label: 'operations.work.status', of: ({ state }) => <Status value={state} tone={STATE_TONES[state]} /> },
  { label: 'operations.callback.note', of: ({ note }) => <Said text={note} />, wide: true },
  { label: 'operations.callback.received', of: ({ receivedAt }) => <Instant at={receivedAt} /> },
];

export function CallbackList() {
  return (
    <ListPage<Callback>
      columns={CALLBACKS}
      filters={[
        <SelectInput
          key="state"
          source="state"
          label="operations.work.status"
          choices={Object.keys(STATE_TONES).map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
        <TextInput key="reference" source="reference" label="operations.callback.reference" alwaysOn />,
        <TextInput key="processor" source="processor" label="operations.object.processor" />,
      ]}
    />
  );
}

const EVENTS: Column<SecurityEvent>[] = [
  { label: 'operations.security.kind', of: ({ kind }) => kind.replaceAll('_', ' ') },
  { label: 'operations.security.source', of: ({ source }) => source },
  {
    label: 'operations.security.detail',
    of: ({ detail }) =>
      Object.entries(detail)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join(', '),
  },
  { label: 'operations.security.at', of: ({ at }) => <Instant at={at} /> },
];

export function SecurityEventList() {
  return (
    <ListPage<SecurityEvent>
      columns={EVENTS}
      to={false}
      filters={[<TextInput key="receiver" source="receiver" label="operations.callback.receiver" alwaysOn />]}
    />
  );
}

const PAYOUTS: Column<OpsPayout>[] = [
  { label: 'console.record.id', of: ({ payoutId }) => <Wrapped>{payoutId}</Wrapped> },
  amountOf,
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.work.why', of: ({ detail, whatToDo }) => <Said text={[detail, whatToDo].join(' ')} /> },
  workflowOf,
  { label: 'operations.work.acts', of: (row) => <Acts acts={actsOnPayout(row)} about={row.payoutId} {...row} /> },
];

function actsOnPayout({ payoutId, status, proposal, problem }: OpsPayout): WorkAct[] {
  const base = `/ops/1.0.0/payouts/${payoutId}`;
  if (proposal && !('confirmedBy' in proposal && proposal.confirmedBy)) return onProposal(base);
  const act = (name: string): WorkAct => ({
    act: name.replaceAll('-', '_'),
    path: `${base}/${name}`,
    asks: ['reason'],
  });
  if (status === 'sent') return [act('ask-again'), act('mark-returned')];
  return problem ? [act('close')] : [];
}

export function OpsPayoutList() {
  const problems = ['outcome_unknown', 'returned', 'refused'];
  return (
    <ListPage<OpsPayout>
      columns={PAYOUTS}
      to={false}
      filters={[
        <SelectInput
          key="problem"
          source="problem"
          label="operations.object.review"
          choices={problems.map((id) => ({ id, name: `operations.problems.${id}` }))}
          alwaysOn
        />,
      ]}
    />
  );
}

const UNMATCHED: Column<Unmatched>[] = [
  { label: 'operations.unmatched.payer', of: ({ payerName, text }) => [payerName, text].filter(Boolean).join(': ') },
  amountOf,
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.work.why', of: ({ detail }) => <Said text={detail} /> },
  { label: 'operations.unmatched.account', of: ({ account }) => <Wrapped>{account}</Wrapped>, wide: true },
  {
    label: 'operations.work.acts',
    of: (row) => <Acts acts={actsOnTransfer(row)} about={row.unmatchedTransferId} {...row} />,
  },
];

function actsOnTransfer({ unmatchedTransferId, status }: Unmatched): WorkAct[] {
  const base = `/ops/1.0.0/unmatched-transfers/${unmatchedTransferId}`;
  if (status === 'proposed') return onProposal(base);
  if (status !== 'open') return [];
  return [
    { act: 'match', path: `${base}/match`, asks: ['paymentId', 'reason'] },
    { act: 'return', path: `${base}/return`, asks: ['reason'] },
  ];
}

export function UnmatchedList() {
  const statuses = ['open', 'proposed', 'matching', 'matched', 'returning', 'returned'];
  return (
    <ListPage<Unmatched>
      columns={UNMATCHED}
      to={false}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="operations.work.status"
          choices={statuses.map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
      ]}
    />
  );
}

const RECEIPTS: Column<Receipt>[] = [
  { label: 'operations.object.payment', of: ({ paymentId }) => <Wrapped>{paymentId}</Wrapped> },
  amountOf,
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.work.why', of: ({ detail }) => <Said text={detail} /> },
  { label: 'operations.audit.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export function ReceiptList() {
  return (
    <ListPage<Receipt>
      columns={RECEIPTS}
      to={({ receiptId }) => objectPage(receiptId)}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="operations.work.status"
          choices={['returning', 'returned', 'refused'].map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
        <TextInput key="paymentId" source="paymentId" label="operations.object.payment" />,
      ]}
    />
  );
}

const DISPUTES: Column<OpsDispute>[] = [
  { label: 'operations.object.payment', of: ({ paymentId }) => <Wrapped>{paymentId}</Wrapped> },
  amountOf,
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.work.why', of: ({ detail }) => <Said text={detail} /> },
  { label: 'operations.audit.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export function OpsDisputeList() {
  const statuses = ['flagged', 'open', 'evidence_submitted', 'won', 'lost'];
  return (
    <ListPage<OpsDispute>
      columns={DISPUTES}
      to={({ disputeId }) => objectPage(disputeId)}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="operations.work.status"
          choices={statuses.map((id) => ({ id, name: `status.${id}` }))}
          alwaysOn
        />,
        <TextInput key="paymentId" source="paymentId" label="operations.object.payment" />,
      ]}
    />
  );
}

const LINKS: Column<OpsLink>[] = [
  { label: 'operations.link.title', of: ({ title }) => title },
  { label: 'operations.work.status', of: ({ status }) => <Status value={status} /> },
  { label: 'operations.work.why', of: ({ statusDetail }) => <Said text={statusDetail} /> },
  { label: 'operations.link.expires', of: ({ expiresAt }) => <Instant at={expiresAt} /> },
  workflowOf,
];

export function OpsLinkList() {
  return (
    <ListPage<OpsLink>
      columns={LINKS}
      to={false}
      filters={[<TextInput key="status" source="status" label="operations.work.status" alwaysOn />]}
    />
  );
}
