import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { DomainError } from '../../domain/errors';
import { divideHalfEven } from '../../domain/money';
import type { Ledger } from '../../money/ledger/ledger';
import { isActiveTenant } from '../../people/identity/tenants';
import { accountInEffect } from './account';
import { ordered } from './bookings';
import { tellOfPayout } from './move';
import type { Origin, PayoutRow } from './payout';
import { lockPosition, type PositionRow, type Reckoning, reckonUp, type Seller } from './reckoning';
import { type Terms, termsFor } from './terms';

/** What a seller could be paid now, and why. Amounts are minor units. */
export interface Standing extends Reckoning {
  terms: Terms;
  /** Of earlier reserves, what comes back with the next payout. */
  reserveDueMinor: bigint;
  /** Of this period, what goes into the reserve with the next payout. */
  reserveMinor: bigint;
  /** What can be paid out; negative where the seller owes. */
  availableMinor: bigint;
}

/** Why nothing was paid out; the balance is carried to the next time. */
export interface Carried {
  carried: string;
  /** As the API refuses an order. */
  code: 'insufficient_funds' | 'invalid_state';
  availableMinor: bigint;
}

export interface PayoutOrder {
  id: string;
  origin: Origin;
  processor: ProcessorId;
  /** Absent: all that is available. */
  amountMinor?: bigint;
  sendAt: Date;
  by: string;
}

const DAY_MS = 86_400_000;

/** Where a seller stands; with `payoutId`, the entries since the last statement become those of this payout. */
export async function standingOf(
  trx: Knex.Transaction,
  seller: Seller,
  position: Pick<PositionRow, 'closing_minor'>,
  now: Date,
  payoutId?: string,
): Promise<Standing> {
  const terms = await termsFor(trx, seller, now);
  const reckoning = await reckonUp(trx, seller, position, payoutId);
  const held: { due: bigint } = await dueReserves(trx, seller, now).first(
    trx.raw('coalesce(sum(reserve_held_minor), 0)::bigint AS due'),
  );
  const { balanceMinor, unsettledMinor, refundingMinor, sums } = reckoning;
  const free = balanceMinor - unsettledMinor - refundingMinor + held.due;
  const share =
    sums.gross_minor > 0n ? divideHalfEven(sums.gross_minor * BigInt(terms.reserve_basis_points), 10_000n) : 0n;
  // No more can be held back than there is.
  const reserveMinor = free <= 0n ? 0n : share < free ? share : free;
  return { ...reckoning, terms, reserveDueMinor: held.due, reserveMinor, availableMinor: free - reserveMinor };
}

/**
 * Makes the next payout of a seller: its money leaves the balance, its statement is written, all in the caller's
 * transaction. Carries the balance where there is nothing to pay, or nowhere to pay it.
 */
export async function orderPayout(
  trx: Knex.Transaction,
  ledger: Ledger,
  seller: Seller,
  order: PayoutOrder,
  now = new Date(),
): Promise<PayoutRow | Carried> {
  const position = await lockPosition(trx, seller);
  const before = await standingOf(trx, seller, position, now);
  const why = await whyNot(trx, seller, order, before, now);
  if (why) return { ...why, availableMinor: before.availableMinor };
  // What was booked meanwhile is in it too.
  const standing = await standingOf(trx, seller, position, now, order.id);
  if (standing.availableMinor < (order.amountMinor ?? 1n))
    throw new DomainError('insufficient_funds', 'The balance has fallen meanwhile');
  return writePayout(trx, ledger, seller, order, { position, standing, now });
}

async function whyNot(
  trx: Knex.Transaction,
  { tenantId, organizationId }: Seller,
  { amountMinor }: PayoutOrder,
  { availableMinor, terms }: Standing,
  now: Date,
): Promise<Omit<Carried, 'availableMinor'> | undefined> {
  const short = (carried: string) => ({ carried, code: 'insufficient_funds' as const });
  if (!(await isActiveTenant(trx, tenantId))) return { carried: 'The tenant is suspended.', code: 'invalid_state' };
  if (availableMinor < 0n) return short('The balance is negative.');
  if (availableMinor === 0n) return short('Nothing is available.');
  if (amountMinor !== undefined && amountMinor > availableMinor) return short('Less than this amount is available.');
  if ((amountMinor ?? availableMinor) < terms.minimum_minor) return short('It is less than the smallest payout.');
  if (await accountInEffect(trx, organizationId, now)) return undefined;
  return { carried: 'There is no verified account to pay to.', code: 'invalid_state' };
}

async function writePayout(
  trx: Knex.Transaction,
  ledger: Ledger,
  seller: Seller,
  order: PayoutOrder,
  { position, standing, now }: { position: PositionRow; standing: Standing; now: Date },
): Promise<PayoutRow> {
  const { tenantId, organizationId, currency } = seller;
  const { balanceMinor, reserveDueMinor, reserveMinor, sums, terms } = standing;
  const amount = order.amountMinor ?? standing.availableMinor;
  const closing = balanceMinor + reserveDueMinor - reserveMinor - amount;
  await dueReserves(trx, seller, now).update({ reserve_released_by: order.id });
  const [row]: PayoutRow[] = await trx('payouts')
    .insert({
      id: order.id,
      tenant_id: tenantId,
      organization_id: organizationId,
      currency,
      number: position.last_number + 1,
      origin: order.origin,
      status: 'scheduled',
      status_detail: 'It is about to be sent.',
      opening_minor: position.closing_minor,
      ...sums,
      reserve_held_minor: reserveMinor,
      reserve_released_minor: reserveDueMinor,
      reserve_until: reserveMinor > 0n ? new Date(now.getTime() + terms.reserve_days * DAY_MS) : null,
      amount_minor: amount,
      closing_minor: closing,
      unsettled_minor: standing.unsettledMinor,
      refunding_minor: standing.refundingMinor,
      period_from: standing.from,
      period_to: now,
      processor: order.processor,
      send_at: order.sendAt,
      look_at: order.sendAt,
      created_by: order.by,
    })
    .returning('*');
  const movements = ordered(row!);
  await ledger.book(trx, tenantId, currency, movements);
  await trx.raw(
    `INSERT INTO payout_entries (transfer_id, tenant_id, payout_id)
     SELECT id, tenant_id, :id FROM ledger_transfers WHERE tenant_id = :tenantId AND cause = ANY (:causes)`,
    { id: order.id, tenantId, causes: movements.map(({ cause }) => cause) },
  );
  await tellOfPayout(trx, row!);
  await trx('payout_positions')
    .where({ organization_id: organizationId, currency })
    .update({ last_number: position.last_number + 1, closing_minor: closing });
  return row!;
}

/** Payouts whose reserve has been held for long enough. */
function dueReserves(trx: Knex.Transaction, { organizationId, currency }: Seller, now: Date): Knex.QueryBuilder {
  return trx('payouts')
    .where({ organization_id: organizationId, currency })
    .where('reserve_until', '<=', now)
    .whereNull('reserve_released_by');
}
