import { ID_PREFIXES } from '../../domain/ids';

/** What waits for the decision of a tenant admin. */
export const APPROVAL_KINDS = ['item', 'payment_link', 'document', 'customer', 'payout_account'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** Something that waits, read from its own table. */
export interface WaitingRow {
  kind: ApprovalKind;
  subject_id: string;
  /** What a decision has to be about, where that can change: an item's version, a document's file. */
  mark: string | null;
  organization_id: string | null;
  /** Whose document it is, or who is verified. */
  customer_id: string | null;
  title: string;
  currency: string | null;
  /** Minor units of `currency`. */
  amount_minor: bigint | null;
  requested_by: string | null;
  waiting_since: Date;
  /** Until when somebody has to decide. */
  due_at: Date | null;
  /** How many people have to approve it. */
  needs: number;
  approved_by: string[];
}

/** What an approval is about, as its id says. */
export interface Subject {
  kind: ApprovalKind;
  id: string;
  mark?: string;
}

const PREFIXES: Record<ApprovalKind, string> = {
  item: ID_PREFIXES.item,
  payment_link: ID_PREFIXES.paymentLink,
  document: ID_PREFIXES.document,
  customer: ID_PREFIXES.customer,
  payout_account: ID_PREFIXES.payoutAccount,
};

/** The id of what it is about, and after a dot what was looked at: once that changes, the id is another. */
export function approvalIdOf({ subject_id, mark }: Pick<WaitingRow, 'subject_id' | 'mark'>): string {
  return mark === null ? subject_id : `${subject_id}.${mark}`;
}

/** Undefined for an id that is none of an approval. */
export function subjectOf(approvalId: string): Subject | undefined {
  const [id = '', mark] = approvalId.split('.');
  const kind = APPROVAL_KINDS.find((one) => id.startsWith(`${PREFIXES[one]}_`));
  return kind && { kind, id, ...(mark !== undefined && { mark }) };
}
