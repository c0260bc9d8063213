import type { Knex } from 'knex';
import { found, notFound } from '../../domain/errors';
import { workflowId } from '../../domain/flows';
import { hasEnded } from '../../domain/states/dispute';
import { isClosed } from '../../domain/states/payment';
import type { DisputeRow } from '../disputes/dispute';
import type { InterventionAct, InterventionOutcome, InterventionSubject } from '../payments/intervention';
import type { PaymentRow, RefundRow } from '../payments/payment';
import { LATE_MONEY, type ReceiptRow } from '../payments/receipt';
import { paymentIdOf, topupIdOf } from '../payments/topup';

/** What an operator acts on, with its own row. */
export type Subject =
  | { kind: 'payment' | 'topup'; id: string; row: PaymentRow }
  | { kind: 'refund'; id: string; row: RefundRow }
  | { kind: 'dispute'; id: string; row: DisputeRow }
  | { kind: 'receipt'; id: string; row: ReceiptRow };

/**
 * What `id` names, whoever's it is. A payment into a wallet is its top-up. Throws `not_found`. `lock`: until the
 * transaction ends; a payment before what belongs to it.
 */
export async function findSubject(connection: Knex, id: string, { lock = false } = {}): Promise<Subject> {
  const read = async <Row>(table: string, key: string, what: string): Promise<Row> => {
    const rows = connection(table).where({ id: key }).first();
    return found<Row>(await (lock ? rows.forUpdate() : rows), what);
  };
  const lockPaymentOf = async (table: string) => {
    if (!lock) return;
    const of = await connection(table).where({ id }).first('payment_id');
    if (of) await connection('payments').where({ id: of.payment_id }).forUpdate().first('id');
  };
  switch (id.slice(0, 4)) {
    case 'pay_':
    case 'top_': {
      const row = await read<PaymentRow>('payments', paymentIdIn(id), 'object');
      return row.beneficiary === 'wallet'
        ? { kind: 'topup', id: topupIdOf(row.id), row }
        : { kind: 'payment', id: row.id, row };
    }
    case 'ref_':
      await lockPaymentOf('refunds');
      return { kind: 'refund', id, row: await read<RefundRow>('refunds', id, 'object') };
    case 'dsp_':
      await lockPaymentOf('disputes');
      return { kind: 'dispute', id, row: await read<DisputeRow>('disputes', id, 'object') };
    case 'rcp_':
      await lockPaymentOf('unapplied_receipts');
      return { kind: 'receipt', id, row: await read<ReceiptRow>('unapplied_receipts', id, 'object') };
    default:
      throw notFound('object');
  }
}

function paymentIdIn(id: string): string {
  if (id.startsWith('pay_')) return id;
  try {
    return paymentIdOf(id);
  } catch {
    throw notFound('object');
  }
}

/** The flow of an object. */
export function workflowOf({ kind, id, row }: Subject): string {
  return kind === 'dispute' ? workflowId.dispute(row.processor, row.case_id) : workflowId[kind](id);
}

/** What decides which acts are possible. */
export interface Standing {
  status: string;
  /** Its outcome is unknown. */
  isUnknown: boolean;
  /** Why an operator should look at it. Null: nobody need. */
  review: string | null;
}

export function standingOf({ kind, row }: Subject): Standing {
  switch (kind) {
    case 'payment':
    case 'topup':
      return {
        status: row.status,
        isUnknown: row.unknown_since !== null,
        review: row.review_since && (row.review_reason ?? 'for review'),
      };
    case 'refund':
      return {
        status: row.status,
        isUnknown: row.unknown_since !== null,
        review: row.review_since && row.status_detail,
      };
    case 'dispute':
      return { status: row.status, isUnknown: false, review: row.status === 'flagged' ? row.status_detail : null };
    case 'receipt':
      return { status: row.status, isUnknown: false, review: row.review_since && row.status_detail };
  }
}

/** The outcomes that can be stated about each kind of object. */
export const OUTCOMES_OF: Partial<Record<InterventionSubject, readonly InterventionOutcome[]>> = {
  payment: ['captured', 'nothing_charged'],
  topup: ['captured', 'nothing_charged'],
  refund: ['refunded', 'not_refunded'],
};

/** What an operator can do about an object that stands like this. */
export const POSSIBLE_ACTS: Record<InterventionSubject, (standing: Standing) => InterventionAct[]> = {
  payment: ofPayment,
  topup: ofPayment,
  refund: ({ status, isUnknown, review }) => {
    if (status === 'pending') return ['ask_again', ...(isUnknown || review ? (['resolve'] as const) : [])];
    return review ? ['close'] : [];
  },
  dispute: ({ status }) => (hasEnded(status as DisputeRow['status']) ? [] : ['ask_again']),
  receipt: ({ status }) => (status === 'refused' ? ['mark_returned'] : []),
};

function ofPayment({ status, isUnknown, review }: Standing): InterventionAct[] {
  if (isClosed(status as PaymentRow['status'])) return review && review !== LATE_MONEY ? ['close'] : [];
  return ['ask_again', 'cancel', ...(isUnknown ? (['resolve'] as const) : [])];
}

export function possibleActs(subject: Subject): InterventionAct[] {
  return POSSIBLE_ACTS[subject.kind](standingOf(subject));
}
