import type { Knex } from 'knex';

/** What belongs to a customer is found by its id: payments, and the lines of the audit log about it. Cards can be erased. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payments_by_customer ON payments (customer_id, id DESC) WHERE customer_id IS NOT NULL;
    CREATE INDEX audit_log_by_customer ON audit_log (target, id) WHERE action LIKE 'customer.%';
    -- One line for a whole page of a list.
    CREATE INDEX audit_log_listed_customers ON audit_log USING gin ((detail->'customerIds') jsonb_path_ops)
      WHERE action = 'customer.list';
    -- Nothing of the card is left; the row stays for the payments that were made with it.
    ALTER TABLE vault_cards ADD COLUMN erased_at timestamptz(3),
      ADD CONSTRAINT vault_cards_erased CHECK ((erased_at IS NULL) = (octet_length(sealed) > 0));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vault_cards DROP COLUMN erased_at;
    DROP INDEX audit_log_listed_customers, audit_log_by_customer, payments_by_customer;
  `);
}
