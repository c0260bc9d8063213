import type { RecordOf } from '../server/api';

/** Something that needs a person. */
export type Work = RecordOf<'/ops/1.0.0/worklist'>;

/** What the API offers to do about it. */
export interface WorkAct {
  act: string;
  path: string;
  body?: Record<string, string> | undefined;
  asks: readonly string[];
  outcomes?: readonly string[] | undefined;
}

export type Intervention = RecordOf<'/ops/1.0.0/interventions'>;
export type Callback = RecordOf<'/ops/1.0.0/callbacks'>;
export type Audit = RecordOf<'/ops/1.0.0/audits'>;
export type SecurityEvent = RecordOf<'/ops/1.0.0/security-events'>;
export type Account = RecordOf<'/ledger/1.0.0/accounts'>;
export type Transfer = RecordOf<'/ledger/1.0.0/transfers'>;
export type Trial = RecordOf<'/ledger/1.0.0/trial-balance'>;
export type Run = RecordOf<'/reconciliation/1.0.0/runs'>;
export type Difference = RecordOf<'/reconciliation/1.0.0/differences'>;
export type OpsPayout = RecordOf<'/ops/1.0.0/payouts'>;
export type Unmatched = RecordOf<'/ops/1.0.0/unmatched-transfers'>;
export type Receipt = RecordOf<'/ops/1.0.0/receipts'>;
export type OpsDispute = RecordOf<'/ops/1.0.0/disputes'>;
export type OpsLink = RecordOf<'/ops/1.0.0/payment-links'>;

/** What an object of this kind can be acted on as: its page is `/objects/<id>/show`. */
const PAGES: Partial<Record<Work['kind'], (objectId: string) => string>> = {
  payment: objectPage,
  topup: objectPage,
  refund: objectPage,
  receipt: objectPage,
  dispute: objectPage,
  tenant: (id) => `/tenants/${encodeURIComponent(id)}/show`,
  callback: (id) => `/callbacks/${encodeURIComponent(id)}/show`,
};

export function objectPage(objectId: string): string {
  return `/objects/${encodeURIComponent(objectId)}/show`;
}

export function pageOf({ kind, objectId }: Work): string | undefined {
  if (kind === 'lost_flow') return undefined;
  return PAGES[kind]?.(objectId);
}

/** What the list of possible acts of an object offers. */
export function offeredOn(kind: string, objectId: string, act: string): WorkAct {
  const outcomes = kind === 'refund' ? ['refunded', 'not_refunded'] : ['captured', 'nothing_charged'];
  const isResolution = act === 'resolve';
  return {
    act,
    path: '/ops/1.0.0/interventions',
    body: { objectId, act },
    asks: isResolution ? ['outcome', 'processorReference', 'reason'] : ['reason'],
    ...(isResolution && { outcomes }),
  };
}

/** What is done with a proposal. */
export function onProposal(base: string): WorkAct[] {
  return [
    { act: 'confirm', path: `${base}/confirm`, asks: [] },
    { act: 'withdraw', path: `${base}/withdraw`, asks: ['reason'] },
  ];
}
