import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { DomainError, found } from '../../domain/errors';
import { canUnmatchedTransferBecome, type UnmatchedTransferStatus } from '../../domain/states/unmatched-transfer';
import type { Ledger } from '../ledger/ledger';
import { lockPayment } from '../payments/payment';
import { becauseOf } from '../payments/timeline-causes';
import { outOfSuspense } from './bookings';

/** Why an incoming transfer matched no payment. */
export const MISMATCHES = ['no_payment', 'several_payments', 'other_currency', 'payment_not_waiting'] as const;
export type Mismatch = (typeof MISMATCHES)[number];

export const DECISIONS = ['match', 'return'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Who decides where the processor's word, or the account, leaves nothing to decide. */
export const PLATFORM_ACTOR = 'platform';

/** One row of `unmatched_transfers`. The amount is minor units of `currency`. */
export interface UnmatchedTransferRow {
  id: string;
  /** `PLATFORM_TENANT` where nothing tells whose it is. */
  tenant_id: string;
  processor: ProcessorId;
  /** What the processor calls it; where it names none, the event that told of it. */
  transfer_id: string;
  /** The report of it in the inbox, which goes to the payment once there is one. */
  callback_id: string;
  account: string;
  remittance_text: string;
  payer_name: string | null;
  currency: string;
  amount_minor: bigint;
  mismatch: Mismatch;
  status: UnmatchedTransferStatus;
  status_detail: string;
  decision: Decision | null;
  payment_id: string | null;
  reason: string | null;
  /** A second operator has to confirm the decision. */
  needs_second: boolean;
  decided_by: string | null;
  confirmed_by: string | null;
  decided_at: Date | null;
  /** Counts the decisions: each has a key of its own at the processor. */
  decisions: number;
  /** What the processor knows the latest return by. */
  return_reference: string | null;
  sends: number;
  sent_at: Date | null;
  review_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The row, locked until the transaction ends. Throws `not_found`. */
export async function lockUnmatchedTransfer(trx: Knex.Transaction, id: string): Promise<UnmatchedTransferRow> {
  return found(await trx('unmatched_transfers').where({ id }).forUpdate().first(), 'unmatched transfer');
}

type Change = Partial<Omit<UnmatchedTransferRow, 'id' | 'status' | 'updated_at'>>;

/** Moves a locked row. Throws `invalid_state` where the table does not allow it. */
export async function moveUnmatchedTransfer(
  trx: Knex.Transaction,
  row: UnmatchedTransferRow,
  to: UnmatchedTransferStatus,
  change: Change & { status_detail: string },
): Promise<UnmatchedTransferRow> {
  if (!canUnmatchedTransferBecome(row.status, to))
    throw new DomainError('invalid_state', `A transfer that is ${row.status} cannot become ${to}`);
  const [moved]: UnmatchedTransferRow[] = await trx('unmatched_transfers')
    .where({ id: row.id })
    .update({ ...change, status: to, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return moved!;
}

/** Said of a transfer while the processor is told which payment it is for. */
export const matchingDetail = (paymentId: string) => `It is being matched with ${paymentId}.`;

/** What a row has while nobody has decided about it. */
export const UNDECIDED = {
  decision: null,
  payment_id: null,
  reason: null,
  needs_second: false,
  decided_by: null,
  confirmed_by: null,
  decided_at: null,
} satisfies Change;

/** The columns of a decision that the platform makes by itself. */
export function decidedByPlatform(reason: string): Change {
  return { reason, needs_second: false, decided_by: PLATFORM_ACTOR, confirmed_by: null, decided_at: new Date() };
}

/**
 * The processor counts the transfer towards a payment of ours: it leaves suspense and the payment's timeline says so, in the
 * caller's transaction with the row locked. The payment books the money as it books every incoming transfer. Throws
 * `not_found`.
 */
export async function recordMatched(
  trx: Knex.Transaction,
  ledger: Ledger,
  row: UnmatchedTransferRow,
  paymentId: string,
): Promise<UnmatchedTransferRow> {
  const payment = await lockPayment(trx, paymentId);
  const isAsDecided = row.status === 'matching' && row.payment_id === paymentId;
  await ledger.book(trx, row.tenant_id, row.currency, outOfSuspense(row, 'matched'));
  const matched = await moveUnmatchedTransfer(trx, row, 'matched', {
    ...(isAsDecided ? {} : decidedByPlatform('The processor counts it towards this payment.')),
    decision: 'match',
    payment_id: paymentId,
    status_detail: `It counts towards ${paymentId}.`,
    review_since: null,
  });
  const { decided_by: decidedBy, reason } = matched;
  await trx('payment_events').insert({
    payment_id: paymentId,
    tenant_id: payment.tenant_id,
    from_status: payment.status,
    to_status: payment.status,
    result_code: payment.result_code,
    cause: decidedBy === PLATFORM_ACTOR ? 'inquiry' : becauseOf.operator(decidedBy!, 'match'),
    detail: `The incoming transfer ${row.id} was matched with this payment: ${reason}`,
  });
  return matched;
}
