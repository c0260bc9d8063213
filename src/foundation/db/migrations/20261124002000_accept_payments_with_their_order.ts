import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A payment names its link and its order when it is accepted. Both are checked when its transaction ends: the order of a
 * buyer is made in it, after the payment, whose id says whether the request is a repeat.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 3 });
  await knex.raw(`
    ALTER TABLE payments ALTER CONSTRAINT payments_link DEFERRABLE INITIALLY DEFERRED;
    ALTER TABLE payments ALTER CONSTRAINT payments_order DEFERRABLE INITIALLY DEFERRED;
    DROP TRIGGER payments_begin_order ON payments;
    CREATE CONSTRAINT TRIGGER payments_begin_order AFTER INSERT ON payments DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.order_id IS NOT NULL) EXECUTE FUNCTION payment_look_at_order();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER payments_begin_order ON payments;
    CREATE TRIGGER payments_begin_order AFTER INSERT ON payments
      FOR EACH ROW WHEN (NEW.order_id IS NOT NULL) EXECUTE FUNCTION payment_look_at_order();
    ALTER TABLE payments ALTER CONSTRAINT payments_order NOT DEFERRABLE;
    ALTER TABLE payments ALTER CONSTRAINT payments_link NOT DEFERRABLE;
  `);
  await installFunctions(knex, { payment_accept: 2 });
}
