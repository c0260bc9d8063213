/** Kinds of what needs a person. */
export const WORK_KINDS = [
  'payment',
  'topup',
  'refund',
  'receipt',
  'dispute',
  'intervention',
  'tenant',
  'unmatched_transfer',
  'difference',
  'payout',
  'bank_return',
  'order',
  'callback',
  'notification',
  'message',
  'security',
  'lost_flow',
] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** What an act asks the operator for, beside what the list gives. */
export const ASKS = ['reason', 'outcome', 'processorReference', 'paymentId', 'resolution', 'tenantId'] as const;
export type Ask = (typeof ASKS)[number];

/** Something that an operator can do: `POST` of `path` with `body` and what it asks for. */
export interface WorkAct {
  act: string;
  path: string;
  body?: Record<string, string>;
  asks: readonly Ask[];
  /** Of a resolution: what can be stated. */
  outcomes?: readonly string[];
}

/** Something that waits, read from its own table. */
export interface WorkRow<Facts = Record<string, unknown>> {
  kind: WorkKind;
  /** What the table calls it. */
  id: string;
  tenant_id: string | null;
  organization_id: string | null;
  currency: string | null;
  /** Minor units of `currency`. */
  amount_minor: bigint | null;
  since: Date;
  facts: Facts;
}

/** How one kind is read from the table where it stands, and what is said of it. */
export interface Source<Facts = Record<string, unknown>> {
  from: string;
  where: string;
  /** What it is sorted by: since when it waits, and its id. An index holds them for the rows that wait. */
  since: string;
  id: string;
  tenant: string;
  organization: string;
  currency: string;
  amount: string;
  /** A jsonb value. */
  facts: string;
  /** Ends a source that is counted. */
  groupBy?: string;
  /** What the API calls it, where that is not `id`. */
  objectId?(row: WorkRow<Facts>): string;
  /** A sentence from the data. */
  why(row: WorkRow<Facts>): string;
  whatToDo(row: WorkRow<Facts>): string;
  acts(row: WorkRow<Facts>): WorkAct[];
  /** Its flow in the engine, if it has one. */
  workflow(row: WorkRow<Facts>): string | undefined;
}

/** Keeps the type of the facts inside one source. */
export function source<Facts>(spec: Source<Facts>): Source {
  return spec as unknown as Source;
}

/** Columns of a table that has all of them under the usual names. */
export const MONEY = (alias: string) => ({
  id: `${alias}.id`,
  tenant: `${alias}.tenant_id`,
  organization: `${alias}.organization_id`,
  currency: `${alias}.currency::text`,
  amount: `${alias}.amount_minor`,
});

export const NO_MONEY = { currency: 'NULL::text', amount: 'NULL::bigint' };
