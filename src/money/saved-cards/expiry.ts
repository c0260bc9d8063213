import type { Knex } from 'knex';
import type { CustomerRow } from '../../people/customers/customer';
import { type CustomerLetters, writeTo } from '../../people/customers/letters';
import type { SavedCardRow } from '../payments/saved-card';

const BATCH = 200;

/** Tells customers of saved cards that expire soon, each card and expiry once. */
export class CardExpiryNotices {
  /** `noticeMs`: how long before a card expires, in milliseconds. */
  constructor(
    private readonly system: Knex,
    private readonly letters: CustomerLetters,
    private readonly noticeMs: number,
  ) {}

  /** One batch. A card is good until the last moment of its month; one that has expired is told of no more. */
  async round(now = new Date()): Promise<{ told: number; more: boolean }> {
    const until = new Date(now.getTime() + this.noticeMs);
    return this.system.transaction(async (trx) => {
      const cards: SavedCardRow[] = await trx('payment_methods')
        .whereNotNull('customer_id')
        .whereNull('deleted_at')
        .whereRaw('(expiry_year || expiry_month) BETWEEN ? AND ?', [monthOf(now), lastMonthEndingBefore(until)])
        .whereRaw('expiry_told IS DISTINCT FROM expiry_year || expiry_month')
        .orderBy('id')
        .limit(BATCH)
        .forUpdate()
        .skipLocked();
      if (cards.length === 0) return { told: 0, more: false };
      const customers: CustomerRow[] = await trx('customers').whereIn(
        'id',
        cards.map(({ customer_id }) => customer_id!),
      );
      const byId = new Map(customers.map((customer) => [customer.id, customer]));
      for (const card of cards) await writeTo(trx, this.letters, byId.get(card.customer_id!), expiryLetter(card));
      await trx('payment_methods')
        .whereIn(
          'id',
          cards.map(({ id }) => id),
        )
        .update({ expiry_told: trx.raw('expiry_year || expiry_month') });
      return { told: cards.length, more: cards.length === BATCH };
    });
  }
}

function expiryLetter({ brand, last4, expiry_month, expiry_year }: SavedCardRow): { subject: string; text: string } {
  return {
    subject: `Your card ending in ${last4} expires soon`,
    text:
      `Your saved card ${brand} ending in ${last4} expires at the end of ${expiry_month}/${expiry_year}.\n\n` +
      'Please save its successor in time, so that payments and top-ups with it go on.\n',
  };
}

/** YYYYMM */
function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7).replace('-', '');
}

/** The latest month that is over at that time. A card of the month before the notice would be told of too late. */
function lastMonthEndingBefore(at: Date): string {
  return monthOf(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1)));
}
