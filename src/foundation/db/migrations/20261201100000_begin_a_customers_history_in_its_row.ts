import type { Knex } from 'knex';

/**
 * Who created a customer stands in its row: no event is written for it. Of older customers the first event says it. The
 * index of a tenant's customers grows at its end, where Postgres fills whole pages.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE customers ADD COLUMN created_by text;
    CREATE TRIGGER customers_created_once BEFORE UPDATE OF created_by ON customers
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    DROP INDEX customers_by_tenant;
    CREATE INDEX customers_by_tenant ON customers (tenant_id, id) WHERE deleted_at IS NULL;
  `);
}

/** The events that were not written get ids before all others: the first of each customer comes first. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    INSERT INTO customer_events (id, customer_id, tenant_id, to_status, actor, reason, at)
    OVERRIDING SYSTEM VALUE
    SELECT (SELECT least(min(id), 0) FROM customer_events) - row_number() OVER (ORDER BY c.id DESC), c.id, c.tenant_id,
      coalesce((SELECT from_status FROM customer_events WHERE customer_id = c.id ORDER BY id LIMIT 1), c.status),
      c.created_by, 'created', c.created_at
    FROM customers c WHERE c.created_by IS NOT NULL;
    DROP INDEX customers_by_tenant;
    CREATE INDEX customers_by_tenant ON customers (tenant_id, id DESC) WHERE deleted_at IS NULL;
    DROP TRIGGER customers_created_once ON customers;
    ALTER TABLE customers DROP COLUMN created_by;
  `);
}
