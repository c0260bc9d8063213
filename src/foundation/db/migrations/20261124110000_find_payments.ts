import type { Knex } from 'knex';

/** Indexes are built beside the writers, one at a time: none of them locks a payment out. */
export const config = { transaction: false };

/**
 * What merchants look for payments by. Each index ends with the id, so that a page is read from its place on, however deep.
 * Four are all that it takes: the id itself finds a time, the beginning of a transaction id is found by the index that keeps
 * it unique (it compares bytes from now on), and the indexes of orders, links, customers and processors are there.
 *
 * A step of a payment changes its status, which indexes know already: each of these gets one entry more per step, and is
 * as narrow as the question allows. A payment without a card is not in the one for cards.
 */
const INDEXES = {
  payments_by_status: 'payments (organization_id, status, id DESC)',
  payments_by_method: 'payments (organization_id, method_id, id DESC)',
  payments_by_amount: 'payments (organization_id, currency, amount_minor, id DESC)',
  payments_by_last_four: 'payments (organization_id, card_last4, id DESC) WHERE card_last4 IS NOT NULL',
  refunds_by_organization: 'refunds (organization_id, id DESC)',
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES)) {
    // Half an index is left where building one was broken off.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  }
  await renew(knex, 'text_pattern_ops');
}

export async function down(knex: Knex): Promise<void> {
  await renew(knex, 'text_ops');
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** A transaction id stays unique all the time: the new index is there before the old one goes. */
async function renew(knex: Knex, operators: 'text_pattern_ops' | 'text_ops'): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payments_transaction_once_renewed');
  await knex.raw(`CREATE UNIQUE INDEX CONCURRENTLY payments_transaction_once_renewed
    ON payments (organization_id, merchant_transaction_id ${operators})`);
  await knex.transaction(async (trx) => {
    await trx.raw(`
      ALTER TABLE payments DROP CONSTRAINT IF EXISTS payments_transaction_once;
      DROP INDEX IF EXISTS payments_transaction_once;
      ALTER INDEX payments_transaction_once_renewed RENAME TO payments_transaction_once;
    `);
    if (operators === 'text_ops')
      await trx.raw(
        'ALTER TABLE payments ADD CONSTRAINT payments_transaction_once UNIQUE USING INDEX payments_transaction_once',
      );
  });
}
