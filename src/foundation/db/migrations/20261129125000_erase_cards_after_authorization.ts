import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A card leaves the vault when its authorization has ended, unless it is saved or of a series. `kept` is what the sweep of
 * the vault has found out; cards of before are looked at by it too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vault_cards ADD COLUMN kept boolean NOT NULL DEFAULT false;
    CREATE INDEX vault_cards_to_look_at ON vault_cards (id) WHERE erased_at IS NULL AND NOT kept;
    CREATE INDEX payments_open_by_card ON payments (card_id)
      WHERE card_id IS NOT NULL AND status IN ('initiated', 'pending', 'requires_action');
    CREATE INDEX payments_beginning_series ON payments (card_id)
      WHERE card_id IS NOT NULL AND request->'recurring'->>'initial' = 'true';
    GRANT SELECT (id, tenant_id, created_at, erased_at) ON vault_cards TO tillway_ops;
  `);
  await installFunctions(knex, {
    vault_card_kept: 1,
    vault_card_awaited: 1,
    vault_forget_card: 1,
    vault_let_card_go: 1,
    payment_move: 6,
  });
  await knex.raw(`
    CREATE TRIGGER payment_methods_let_card_go AFTER UPDATE ON payment_methods FOR EACH ROW
      WHEN (OLD.deleted_at IS NULL AND (NEW.deleted_at IS NOT NULL OR NEW.card_id <> OLD.card_id))
      EXECUTE FUNCTION vault_let_card_go();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_move: 5 });
  await knex.raw(`
    DROP TRIGGER payment_methods_let_card_go ON payment_methods;
    DROP FUNCTION vault_let_card_go, vault_forget_card, vault_card_awaited, vault_card_kept;
    DROP INDEX payments_beginning_series, payments_open_by_card, vault_cards_to_look_at;
    REVOKE SELECT (id, tenant_id, created_at, erased_at) ON vault_cards FROM tillway_ops;
    ALTER TABLE vault_cards DROP COLUMN kept;
  `);
}
