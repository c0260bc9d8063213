import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A payment is marked as sent with its acceptance. When the engine then refuses its flow, it is taken back, with its attempt;
 * what may have reached a processor stays.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { refuse_removal_of_sent_attempt: 1 });
  await knex.raw(`
    CREATE TRIGGER payment_attempts_stay BEFORE DELETE ON payment_attempts
      FOR EACH ROW EXECUTE FUNCTION refuse_removal_of_sent_attempt();
    GRANT DELETE ON payment_attempts TO tillway_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE DELETE ON payment_attempts FROM tillway_app;
    DROP TRIGGER payment_attempts_stay ON payment_attempts;
    DROP FUNCTION refuse_removal_of_sent_attempt();
  `);
}
