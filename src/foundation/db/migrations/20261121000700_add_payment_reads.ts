import type { Knex } from 'knex';

/**
 * Status reads in one round trip: each function sets the tenant for its own statement, so that row-level security
 * holds without a transaction around every read.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION payment_by_id(tenant text, organization text, payment text) RETURNS SETOF payments
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      RETURN QUERY SELECT * FROM payments WHERE id = payment AND organization_id = organization;
    END $$;
    CREATE FUNCTION payment_by_transaction_id(tenant text, organization text, transaction_id text)
    RETURNS SETOF payments LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      RETURN QUERY SELECT * FROM payments
        WHERE organization_id = organization AND merchant_transaction_id = transaction_id;
    END $$;
    GRANT EXECUTE ON FUNCTION payment_by_id, payment_by_transaction_id TO tillway_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_by_id, payment_by_transaction_id');
}
