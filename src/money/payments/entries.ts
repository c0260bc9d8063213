import type { Knex } from 'knex';
import { type CauseStep, type CauseSubject, causesOf, type ParsedCause, parseCause } from '../ledger/causes';
import type { AccountKind } from '../ledger/ledger';
import type { PaymentRow } from './payment';

/** What an entry does to the money of whom the payment is for. */
export const EFFECTS = ['credit', 'debit', 'hold', 'release', 'none'] as const;
export type Effect = (typeof EFFECTS)[number];

/** A transfer of the ledger that a payment, its refunds, its disputes or its late money caused. */
export interface PaymentEntry {
  id: bigint;
  at: Date;
  currency: string;
  amountMinor: bigint;
  effect: Effect;
  /** A sentence for the merchant. */
  meaning: string;
  /** The payment, refund, dispute or receipt that it is about. */
  reference: string;
  debit: AccountKind;
  credit: AccountKind;
}

interface TransferRow {
  id: bigint;
  booked_at: Date;
  currency: string;
  amount_minor: bigint;
  phase: 'posted' | 'pending' | 'post' | 'void';
  cause: string;
  debit: AccountKind;
  debit_owner: string;
  credit: AccountKind;
  credit_owner: string;
}

/** The entries of a payment, oldest first. Its causes are known, so that each is found by the index that keeps it unique. */
export async function entriesOf(trx: Knex.Transaction, payment: PaymentRow): Promise<PaymentEntry[]> {
  const causes = [...causesOf('payment', payment.id)];
  for (const [subject, table] of SUBJECTS) {
    const ids: string[] = await trx(table).where({ payment_id: payment.id }).pluck('id');
    causes.push(...ids.flatMap((id) => causesOf(subject, id)));
  }
  const rows: TransferRow[] = await trx('ledger_transfers as t')
    .join('ledger_accounts as d', 'd.id', 't.debit_account_id')
    .join('ledger_accounts as c', 'c.id', 't.credit_account_id')
    .where({ 't.tenant_id': payment.tenant_id })
    .whereIn('t.cause', causes)
    .orderBy('t.id')
    .select('t.*', 'd.kind as debit', 'd.owner as debit_owner', 'c.kind as credit', 'c.owner as credit_owner');
  return rows.map((row) => entryOf(payment, row));
}

const SUBJECTS: readonly [CauseSubject, string][] = [
  ['refund', 'refunds'],
  ['dispute', 'disputes'],
  ['receipt', 'unapplied_receipts'],
];

function entryOf(payment: PaymentRow, row: TransferRow): PaymentEntry {
  const cause = parseCause(row.cause);
  return {
    id: row.id,
    at: row.booked_at,
    currency: row.currency,
    amountMinor: row.amount_minor,
    effect: effectOf(payment, row),
    meaning: (cause && meaningOf(cause)) ?? 'It was booked.',
    reference: cause?.id ?? payment.id,
    debit: row.debit,
    credit: row.credit,
  };
}

function effectOf(payment: PaymentRow, row: TransferRow): Effect {
  const gets = isTheirs(payment, row.credit, row.credit_owner);
  const gives = isTheirs(payment, row.debit, row.debit_owner);
  if (gets === gives) return 'none';
  if (row.phase === 'pending') return 'hold';
  if (row.phase === 'void') return 'release';
  return gets ? 'credit' : 'debit';
}

/** Whether an account is the merchant's, or that of the customer whose wallet the payment is for. */
function isTheirs(payment: PaymentRow, kind: AccountKind, owner: string): boolean {
  return payment.beneficiary === 'wallet'
    ? owner === payment.customer_id && kind.startsWith('customer_')
    : owner === payment.organization_id && kind === 'merchant_payable';
}

function meaningOf(cause: ParsedCause): string | undefined {
  switch (cause.subject) {
    case 'payment':
      return OF_PAYMENT[cause.step];
    case 'refund':
      return OF_REFUND[cause.step];
    case 'dispute':
      return OF_DISPUTE[cause.step];
    case 'receipt':
      return OF_RECEIPT[cause.step];
    default:
      return undefined;
  }
}

const OF_PAYMENT: Record<CauseStep<'payment'>, string> = {
  authorize: 'The payer’s money is held.',
  capture: 'The payment was captured.',
  release: 'The hold was released: nothing was captured of it.',
  fee: 'The fee of the payment.',
  owed: 'Part of the payment paid what the customer owed.',
  settled: 'The money has arrived and is available.',
  'settled/float': 'The seller of the top-up holds the money for the tenant.',
  late: 'Money arrived after the payment had ended.',
  'late-returned': 'The late money went back.',
};

const OF_REFUND: Record<CauseStep<'refund'>, string> = {
  hold: 'The amount of the refund is held until the processor has answered.',
  post: 'The refund was paid.',
  void: 'The refund was declined: its amount is no longer held.',
  fee: 'The fee went back with the refund.',
  'fee-kept': 'The refund was declined: the fee is due again.',
  settled: 'What was held for a declined refund is available again.',
  corrected: 'The refund was paid after all, although it had been declined.',
  'corrected/incoming': 'The customer paid for the refund with money that was still coming in.',
  'corrected/wallet': 'The customer paid for the refund out of the wallet.',
  'corrected/fee': 'The fee went back with the refund that was paid after all.',
  unallocated: 'A refund was paid that the payment had no money left for.',
  reversed: 'The refund came back from the payer’s bank.',
  'reversed/fee': 'The refund came back: the fee is due again.',
  'hold/float': 'The seller of the top-up follows the refund that is held.',
  'post/float': 'The seller of the top-up follows the refund.',
  'void/float': 'The seller of the top-up follows the refund that was declined.',
  'fee/float': 'The seller of the top-up follows the fee that went back.',
  'fee-kept/float': 'The seller of the top-up follows the fee that is due again.',
  'settled/float': 'The seller of the top-up follows the money that is available again.',
  'corrected/wallet/float': 'The seller of the top-up follows the refund that was paid after all.',
  'reversed/float': 'The seller of the top-up follows the refund that came back.',
  'reversed/fee/float': 'The seller of the top-up follows the fee that is due again.',
};

const OF_DISPUTE: Record<CauseStep<'dispute'>, string> = {
  'charged-back': 'The payer’s bank took the money back.',
  'charged-back/incoming': 'The customer paid for the chargeback with money that was still coming in.',
  'charged-back/wallet': 'The customer paid for the chargeback out of the wallet.',
  'charged-back/wallet/float': 'The seller of the top-up follows the chargeback.',
  'second-presentment': 'The second presentment brought the money back until the dispute is decided.',
  'second-presentment/incoming': 'The money of the second presentment is coming in for the wallet.',
  'second-presentment/wallet': 'The money of the second presentment is in the wallet.',
  'second-presentment/wallet/float': 'The seller of the top-up follows the second presentment.',
  won: 'The dispute was won: the money is back.',
  'won/incoming': 'The dispute was won: the money is coming in for the wallet.',
  'won/wallet': 'The dispute was won: the money is in the wallet.',
  'won/wallet/float': 'The seller of the top-up follows the dispute that was won.',
  lost: 'The dispute was lost: the money is gone for good.',
  'lost/incoming': 'The dispute was lost: the customer paid with money that was still coming in.',
  'lost/wallet': 'The dispute was lost: the customer paid out of the wallet.',
  'lost/wallet/float': 'The seller of the top-up follows the dispute that was lost.',
};

const OF_RECEIPT: Record<CauseStep<'receipt'>, string> = {
  arrived: 'A processor took money that nobody had asked for.',
  returned: 'That money went back to the payer.',
};
