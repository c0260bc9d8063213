import type { Knex } from 'knex';

/**
 * Payments are found by what their processor calls them, for callbacks that say no other name. A claim notes when the
 * payment is sent, not when it was sent first: "not found" counts from the last send.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payments_provider_reference ON payments (processor, provider_reference)
      WHERE provider_reference IS NOT NULL;
    ${claim('clock_timestamp()')}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payments_provider_reference;
    ${claim('coalesce(submitted_at, clock_timestamp())')}`);
}

function claim(submittedAt: string): string {
  return `
    CREATE OR REPLACE FUNCTION payment_claim(tenant text, wanted text)
    RETURNS TABLE (payment payments, key_id text, wrapped_key bytea, sealed bytea, cvv bytea) LANGUAGE plpgsql AS $$
    DECLARE claimed payments;
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      UPDATE payments SET attempts = attempts + 1, version = version + 1, submitted_at = ${submittedAt}
      WHERE id = wanted AND status = 'initiated' RETURNING * INTO claimed;
      IF NOT FOUND THEN RETURN; END IF;
      RETURN QUERY SELECT claimed, c.key_id, c.wrapped_key, c.sealed, v.sealed
        FROM (SELECT claimed.card_id AS id) wanted_card
        LEFT JOIN vault_cards c ON c.id = wanted_card.id
        LEFT JOIN vault_cvvs v ON v.card_id = c.id AND v.expires_at > now();
    END $$;`;
}
