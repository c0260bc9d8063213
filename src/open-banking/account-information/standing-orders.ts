import type { Knex } from 'knex';
import { paged } from '../../foundation/db/page';
import type { BeneficiaryKeys, BeneficiaryRow } from '../../money/beneficiaries/beneficiary';
import { type Frequency, nextOccurrence } from '../../money/p2p/occurrences';
import { recurrenceOf } from '../../money/p2p/schedules';
import { nextDue, type StandingOrderRow } from '../../money/standing-orders/order';
import type { Access, Depth, SharedAccount } from './access';
import { creditorOf } from './beneficiaries';
import { type AmountOf, amount, atMost, type CashAccount } from './present';

/** A standing order as the standard shows it (OBStandingOrder6). */
export interface StandingOrderInformation {
  AccountId: string;
  StandingOrderId: string;
  Frequency: string;
  Reference?: string;
  FirstPaymentDateTime: string;
  NextPaymentDateTime?: string;
  FinalPaymentDateTime?: string;
  StandingOrderStatusCode: 'Active' | 'Inactive';
  FirstPaymentAmount: AmountOf;
  NextPaymentAmount?: AmountOf;
  FinalPaymentAmount?: AmountOf;
  CreditorAccount?: CashAccount;
}

/** The standing orders in the currency of the account that are not over, newest first, up to `limit + 1`. */
export async function readStandingOrders(
  trx: Knex.Transaction,
  keys: BeneficiaryKeys,
  { customerId }: Access,
  account: SharedAccount,
  { depth, limit, after, at }: { depth: Depth; limit: number; after?: string; at: Date },
): Promise<StandingOrderInformation[]> {
  const orders: StandingOrderRow[] = await paged(
    trx('p2p_schedules').where({
      sender_id: customerId,
      kind: 'standing_order',
      currency: account.currency,
      status: 'active',
    }),
    { limit, cursor: after },
  );
  if (depth === 'basic') return orders.map((order) => basicOf(account, order, at));
  const saved: BeneficiaryRow[] = await trx('beneficiaries')
    .where({ customer_id: customerId })
    .whereIn(
      'id',
      orders.flatMap(({ beneficiary_id }) => beneficiary_id ?? []),
    );
  const creditors = new Map(saved.map((row) => [row.id, creditorOf(keys.open(row))]));
  return orders.map((order) => ({
    ...basicOf(account, order, at),
    CreditorAccount: creditors.get(order.beneficiary_id ?? '') ?? {
      SchemeName: 'Tillway.CustomerId',
      Identification: order.recipient_id,
    },
  }));
}

function basicOf({ account_id }: SharedAccount, order: StandingOrderRow, at: Date): StandingOrderInformation {
  const money = amount(order.amount_minor, order.currency);
  const next = order.paused_at ? undefined : nextDue(order, at);
  const final = finalOf(order);
  const Reference = atMost(order.note, 35);
  return {
    AccountId: String(account_id),
    StandingOrderId: order.id,
    Frequency: frequencyOf(order.frequency, order.starts_at),
    ...(Reference !== undefined && { Reference }),
    FirstPaymentDateTime: order.starts_at.toISOString(),
    FirstPaymentAmount: money,
    ...(next && { NextPaymentDateTime: next.toISOString(), NextPaymentAmount: money }),
    ...(final && { FinalPaymentDateTime: final.toISOString(), FinalPaymentAmount: money }),
    StandingOrderStatusCode: order.paused_at ? 'Inactive' : 'Active',
  };
}

/** Longer than a period, in days. */
const MORE_THAN_PERIOD: Record<Exclude<Frequency, 'once'>, number> = {
  daily: 2,
  weekly: 8,
  fortnightly: 15,
  monthly: 32,
  quarterly: 93,
  yearly: 367,
};
const DAY_MS = 86_400_000;

/** The last payment; undefined for an order without an end. */
export function finalOf(order: StandingOrderRow): Date | undefined {
  const recurrence = recurrenceOf(order);
  if (recurrence.frequency === 'once') return recurrence.startsAt;
  if (!recurrence.endsAt) return undefined;
  let last: Date | undefined;
  let next = nextOccurrence(
    recurrence,
    new Date(recurrence.endsAt.getTime() - MORE_THAN_PERIOD[recurrence.frequency] * DAY_MS),
  );
  while (next) {
    last = next;
    next = nextOccurrence(recurrence, next);
  }
  return last;
}

/** How often, in the standard's words. Days are those of the first payment, in UTC; a day that a month lacks is its last. */
export function frequencyOf(frequency: Frequency, startsAt: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const weekday = two(startsAt.getUTCDay() || 7);
  const day = startsAt.getUTCDate();
  const dayOfMonth = day === 31 ? '-01' : two(day);
  const inWords: Record<Frequency, string> = {
    once: 'NotKnown',
    daily: 'EvryDay',
    weekly: `IntrvlWkDay:01:${weekday}`,
    fortnightly: `IntrvlWkDay:02:${weekday}`,
    monthly: `IntrvlMnthDay:01:${dayOfMonth}`,
    quarterly: `IntrvlMnthDay:03:${dayOfMonth}`,
    yearly: `IntrvlMnthDay:12:${dayOfMonth}`,
  };
  return inWords[frequency];
}
