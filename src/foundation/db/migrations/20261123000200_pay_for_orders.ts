import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A payment may pay an order. The database refuses one of another amount or currency, a second one beside one that can
 * still take money or has, and one for an order that is no longer open. Each move of it has the workers look at the order.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE orders ADD CONSTRAINT orders_payable UNIQUE (id, tenant_id, currency, total_minor);
    ALTER TABLE payments
      ADD COLUMN order_id text,
      ADD CONSTRAINT payments_order FOREIGN KEY (order_id, tenant_id, currency, amount_minor)
        REFERENCES orders (id, tenant_id, currency, total_minor);
    CREATE UNIQUE INDEX payments_one_per_order ON payments (order_id)
      WHERE order_id IS NOT NULL AND status NOT IN ('failed', 'cancelled', 'expired');
    CREATE INDEX payments_by_order ON payments (order_id) WHERE order_id IS NOT NULL;
  `);
  await installFunctions(knex, { payment_look_at_order: 1 });
  await knex.raw(`
    CREATE TRIGGER payments_begin_order AFTER INSERT ON payments
      FOR EACH ROW WHEN (NEW.order_id IS NOT NULL) EXECUTE FUNCTION payment_look_at_order();
    CREATE TRIGGER payments_move_order AFTER UPDATE OF status ON payments
      FOR EACH ROW WHEN (NEW.order_id IS NOT NULL) EXECUTE FUNCTION payment_look_at_order();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER payments_move_order ON payments;
    DROP TRIGGER payments_begin_order ON payments;
    DROP FUNCTION payment_look_at_order();
    ALTER TABLE payments DROP COLUMN order_id;
    ALTER TABLE orders DROP CONSTRAINT orders_payable;
  `);
}
