import type { Knex } from 'knex';
import { endedWithoutMoney, isClosed } from '../../domain/states/payment';
import { holdByRule } from '../../people/customers/status';
import { incomingOf, owedBy, walletOf } from '../ledger/accounts';
import { causeOf, type DisputeMovement } from '../ledger/causes';
import type { Ledger, Movement } from '../ledger/ledger';
import { withSellerFloat } from '../ledger/seller-float';
import { giveBackAllowance } from '../limits/allowance';
import * as bookings from './bookings';
import type { PaymentChange } from './change';
import type { PaymentRow, RefundRow } from './payment';
import { feeOnCapture, feeReturnedBy, type TopupRow } from './topup';

/**
 * What the steps of a payment mean where its beneficiary is a wallet. Each runs in the transaction of its step, with the
 * payment locked; rows are locked in the order payment, top-up, customer, accounts.
 */

/** Takes the fee when the money is captured, and gives the allowance back when there is none. */
export async function effectsOnTopup(
  trx: Knex.Transaction,
  payment: PaymentRow,
  { to, columns }: PaymentChange,
): Promise<{ topup: TopupRow; movements: Movement[] }> {
  const topup = await lockTopup(trx, payment);
  const capturedMinor = columns?.captured_minor;
  if (to === 'captured' && !isClosed(payment.status) && capturedMinor !== undefined) {
    const feeMinor = feeOnCapture(topup, capturedMinor);
    const captured = await change(trx, topup, { fee_minor: feeMinor, incoming_minor: capturedMinor - feeMinor });
    return { topup: captured, movements: bookings.fee(payment, feeMinor) };
  }
  if (endedWithoutMoney(to) && !isClosed(payment.status))
    await giveBackAllowance(trx, { tenantId: topup.tenant_id, cause: topup.id });
  return { topup, movements: [] };
}

/**
 * Where a refund is taken from and what of the fee goes back with it, and who has sold the top-up; the amount is reserved
 * by the caller.
 */
export async function planRefund(
  trx: Knex.Transaction,
  payment: PaymentRow,
  amountMinor: bigint,
): Promise<{ plan: Pick<RefundRow, 'fee_minor' | 'taken_from'>; sellerId: string | null }> {
  const topup = await lockTopup(trx, payment);
  const byThen = payment.refunded_minor + payment.refund_reserved_minor + amountMinor;
  const back = feeReturnedBy(topup, payment.captured_minor, byThen);
  const left = topup.incoming_minor + back - amountMinor;
  const isIncoming = payment.settled_at === null && left >= 0n;
  await change(trx, topup, {
    fee_returned_minor: topup.fee_returned_minor + back,
    ...(isIncoming ? { incoming_minor: left } : {}),
  });
  const plan = { fee_minor: back, taken_from: isIncoming ? 'customer_incoming' : 'customer_wallet' } as const;
  return { plan, sellerId: topup.seller_id };
}

/** Undoes the plan of a refund that the processor declined. What was settled meanwhile becomes available. */
export async function undoRefund(trx: Knex.Transaction, payment: PaymentRow, refund: RefundRow): Promise<Movement[]> {
  const topup = await lockTopup(trx, payment);
  const netMinor = refund.amount_minor - refund.fee_minor;
  const isIncoming = refund.taken_from === 'customer_incoming';
  const isSettled = payment.settled_at !== null;
  await change(trx, topup, {
    fee_returned_minor: topup.fee_returned_minor - refund.fee_minor,
    ...(isIncoming && !isSettled ? { incoming_minor: topup.incoming_minor + netMinor } : {}),
  });
  return isIncoming && isSettled ? bookings.available(payment, netMinor, causeOf('refund', refund.id, 'settled')) : [];
}

/**
 * The movements of a step of a dispute. What is charged back comes out of the wallet as far as it reaches; who owes the
 * rest is put on hold. What is given back pays what the customer owes first.
 */
export async function disputeTransfers(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  dispute: { id: string; amount_minor: bigint },
  movement: DisputeMovement,
): Promise<Movement[]> {
  const { tenant_id: tenantId, currency } = payment;
  const customerId = payment.customer_id!;
  const topup = await lockTopup(trx, payment);
  await trx('customers').where({ id: customerId }).forUpdate().first('id');
  const amountMinor = dispute.amount_minor;
  if (!bookings.isTaking(movement)) {
    const owed = await ledger.balance(trx, tenantId, currency, owedBy(customerId));
    const walletMinor = amountMinor - (owed > 0n ? least(amountMinor, owed) : 0n);
    return bookings.dispute(payment, dispute.id, amountMinor, movement, { incomingMinor: 0n, walletMinor });
  }
  const why = `top-up ${topup.id} was charged back and its money is gone: it is owed now`;
  return bookings.dispute(
    payment,
    dispute.id,
    amountMinor,
    movement,
    await take(trx, ledger, payment, topup, amountMinor, why),
  );
}

/** How far the customer's money covers what is taken back; the rest is owed, and who owes is put on hold. */
async function take(
  trx: Knex.Transaction,
  ledger: Ledger,
  { tenant_id: tenantId, currency, customer_id }: PaymentRow,
  topup: TopupRow,
  amountMinor: bigint,
  why: string,
): Promise<bookings.Reach> {
  const customerId = customer_id!;
  const accounts = [incomingOf(customerId), walletOf(customerId)];
  const [, inWallet] = await ledger.available(trx, tenantId, currency, accounts);
  const incomingMinor = least(amountMinor, topup.incoming_minor);
  const walletMinor = least(amountMinor - incomingMinor, inWallet!);
  await change(trx, topup, { incoming_minor: topup.incoming_minor - incomingMinor });
  if (incomingMinor + walletMinor < amountMinor) await holdByRule(trx, customerId, why);
  return { incomingMinor, walletMinor };
}

/** A refund held as declined was made after all: the customer has the money, and pays for it as for a chargeback. */
export async function correctRefundOfTopup(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  refund: RefundRow,
): Promise<{ feeMinor: bigint; movements: Movement[] }> {
  const topup = await lockTopup(trx, payment);
  await trx('customers').where({ id: payment.customer_id }).forUpdate().first('id');
  const feeMinor = feeReturnedBy(
    topup,
    payment.captured_minor,
    payment.refunded_minor + payment.refund_reserved_minor + refund.amount_minor,
  );
  const feeGone = await change(trx, topup, { fee_returned_minor: topup.fee_returned_minor + feeMinor });
  const why = `refund ${refund.id} of top-up ${topup.id} was paid out after it had been declined: it is owed now`;
  const reach = await take(trx, ledger, payment, feeGone, refund.amount_minor - feeMinor, why);
  return { feeMinor, movements: bookings.correctedRefund(payment, refund, feeMinor, reach) };
}

/** A refund that had succeeded came back: to where unsettled money lies while the top-up is not settled, else the wallet. */
export async function reverseRefundOfTopup(
  trx: Knex.Transaction,
  payment: PaymentRow,
  refund: RefundRow,
): Promise<Movement[]> {
  const topup = await lockTopup(trx, payment);
  const isSettled = payment.settled_at !== null;
  const netMinor = refund.amount_minor - refund.fee_minor;
  await change(trx, topup, {
    fee_returned_minor: topup.fee_returned_minor - refund.fee_minor,
    ...(isSettled ? {} : { incoming_minor: topup.incoming_minor + netMinor }),
  });
  const customerId = payment.customer_id!;
  return bookings.reversedRefund(payment, refund, isSettled ? walletOf(customerId) : incomingOf(customerId));
}

/**
 * Top-ups that were just settled become available, all in one pass: what the customer owes is paid first. Runs as the
 * system role, with the payments locked.
 */
export async function settleTopups(trx: Knex.Transaction, ledger: Ledger, paymentIds: string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  const topups: TopupRow[] = await trx('topups')
    .whereIn('payment_id', paymentIds)
    .where('incoming_minor', '>', 0)
    .orderBy('payment_id')
    .forUpdate();
  const owed = await debtsOf(trx, topups);
  for (const group of groupByBook(topups)) {
    const { tenant_id, currency } = group[0]!;
    const movements = group.flatMap((topup): Movement[] => {
      const key = debtKey(topup);
      const paid = least(topup.incoming_minor, owed.get(key) ?? 0n);
      owed.set(key, (owed.get(key) ?? 0n) - paid);
      return withSellerFloat(topup.seller_id, [
        ...bookings.repaid(topup, paid, causeOf('payment', topup.payment_id, 'owed')),
        ...bookings.available(topup, topup.incoming_minor - paid, causeOf('payment', topup.payment_id, 'settled')),
      ]);
    });
    await ledger.book(trx, tenant_id, currency, movements);
  }
  const ids = topups.map(({ id }) => id);
  await trx('topups').whereIn('id', ids).update({ incoming_minor: 0n });
}

/** What the customers of these top-ups owe; who owes anything is locked, so that nobody else settles it meanwhile. */
async function debtsOf(trx: Knex.Transaction, topups: TopupRow[]): Promise<Map<string, bigint>> {
  const customerIds = topups.map(({ customer_id }) => customer_id);
  const debtors = await trx('ledger_accounts')
    .where({ kind: 'customer_receivable' })
    .whereIn('owner', customerIds)
    .orderBy('owner')
    .select('id', 'tenant_id', 'currency', 'owner');
  const owed = new Map<string, bigint>();
  if (debtors.length === 0) return owed;
  const [owners, accountIds] = [debtors.map(({ owner }) => owner), debtors.map(({ id }) => id)];
  await trx('customers').whereIn('id', owners).orderBy('id').forUpdate().select('id');
  const sums: { account_id: bigint; total: string }[] = await trx('ledger_entries')
    .whereIn('account_id', accountIds)
    .groupBy('account_id')
    .select('account_id', trx.raw('sum(signed_minor)::text AS total'));
  for (const { account_id, total } of sums) {
    const { tenant_id, currency, owner } = debtors.find(({ id }) => id === account_id)!;
    if (BigInt(total) > 0n) owed.set(debtKey({ tenant_id, currency, customer_id: owner }), BigInt(total));
  }
  return owed;
}

const debtKey = ({ tenant_id, currency, customer_id }: Pick<TopupRow, 'tenant_id' | 'currency' | 'customer_id'>) =>
  `${tenant_id}|${currency}|${customer_id}`;

function groupByBook(topups: TopupRow[]): TopupRow[][] {
  const groups = new Map<string, TopupRow[]>();
  for (const topup of topups) {
    const key = `${topup.tenant_id}|${topup.currency}`;
    groups.set(key, [...(groups.get(key) ?? []), topup]);
  }
  // In one order everywhere: two processors may settle for the same customers at once.
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

async function lockTopup(trx: Knex.Transaction, payment: PaymentRow): Promise<TopupRow> {
  const topup: TopupRow | undefined = await trx('topups').where({ payment_id: payment.id }).forUpdate().first();
  if (!topup) throw new Error(`payment ${payment.id} is for a wallet and has no top-up`);
  return topup;
}

async function change(trx: Knex.Transaction, topup: TopupRow, columns: Partial<TopupRow>): Promise<TopupRow> {
  await trx('topups').where({ id: topup.id }).update(columns);
  return { ...topup, ...columns };
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
