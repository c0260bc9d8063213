import type { Knex } from 'knex';

/** Who has saved a card, and which mandates are a customer's: asked when a card or a customer is erased. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payment_methods_by_card ON payment_methods (card_id);
    CREATE INDEX mandates_by_customer ON mandates (customer_id) WHERE customer_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX mandates_by_customer, payment_methods_by_card');
}
