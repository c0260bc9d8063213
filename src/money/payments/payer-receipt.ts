import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { dayOf, type Paper, type PaperRow } from '../../foundation/paper/paper';
import type { PaymentRow, RefundRow } from './payment';

/**
 * What a payer gets on paper: what was paid, what came back, and what remains. Throws `invalid_state` (409) for a payment
 * that took no money.
 */
export async function receiptOf(trx: Knex, payment: PaymentRow): Promise<Paper> {
  if (payment.captured_minor === 0n)
    throw new DomainError('invalid_state', 'This payment took no money: there is no receipt');
  const seller: { name: string } = await trx('organizations').where({ id: payment.organization_id }).first('name');
  const refunds: RefundRow[] = await trx('refunds').where({ payment_id: payment.id }).orderBy('id');
  const { currency, request, captured_minor, charged_back_minor } = payment;
  const amount = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  const row = (at: Date | undefined, what: string, minor: bigint, strong = false): PaperRow => ({
    cells: [at ? dayOf(at) : '', what, amount(minor)],
    strong,
  });
  const done = refunds.filter(({ status }) => status === 'succeeded');
  const underWay = refunds.filter(({ status }) => status === 'pending');
  const refundedMinor = sumOf(done);
  const payer = [request.customer?.firstName, request.customer?.lastName].filter(Boolean).join(' ');
  return {
    title: 'Receipt',
    createdAt: payment.updated_at,
    facts: [
      ['Seller', seller.name],
      ...(payer ? ([['Payer', payer]] as const) : []),
      ['Payment', payment.id],
      ['Reference', payment.merchant_transaction_id],
      ['Paid with', payment.card_last4 ? `${payment.brand}, ending in ${payment.card_last4}` : payment.brand],
    ],
    columns: [
      { heading: 'Day (UTC)', share: 2 },
      { heading: 'What', share: 5 },
      { heading: 'Amount', share: 3, end: true },
    ],
    rows: [
      row(payment.created_at, 'Payment', captured_minor),
      ...done.map((refund) => row(refund.updated_at, `Refund ${refund.id}`, -refund.amount_minor)),
      ...(charged_back_minor > 0n ? [row(undefined, 'Taken back by the bank of the payer', -charged_back_minor)] : []),
      row(undefined, 'Paid in the end', captured_minor - refundedMinor - charged_back_minor, true),
    ],
    ...(underWay.length > 0 && { note: `A refund of ${amount(sumOf(underWay))} is under way and not counted yet.` }),
  };
}

function sumOf(refunds: readonly RefundRow[]): bigint {
  return refunds.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}
