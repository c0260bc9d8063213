import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/**
 * Fees in versions, each effective from a time on; limits of a tenant and of single customers; and what of them each
 * customer has spent. Days and months are those of UTC.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE DOMAIN wallet_operation AS text CHECK (VALUE IN ('topup', 'p2p', 'link', 'bank_transfer'));

    CREATE TABLE fee_versions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      operation wallet_operation NOT NULL,
      currency char(3) NOT NULL,
      fixed_minor bigint NOT NULL CHECK (fixed_minor >= 0),
      basis_points integer NOT NULL CHECK (basis_points BETWEEN 0 AND 10000),
      minimum_minor bigint NOT NULL CHECK (minimum_minor >= 0),
      maximum_minor bigint CHECK (maximum_minor >= minimum_minor),
      payer text NOT NULL CHECK (payer IN ('sender', 'recipient')),
      effective_from timestamptz(3) NOT NULL,
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX fee_versions_in_effect
      ON fee_versions (tenant_id, operation, currency, effective_from DESC, id DESC);

    -- A limit that is null is none. Without a customer it is the tenant's, for customers who have none of their own.
    CREATE TABLE limits (
      tenant_id text NOT NULL REFERENCES tenants,
      customer_id text REFERENCES customers,
      operation wallet_operation NOT NULL,
      currency char(3) NOT NULL,
      per_transaction_minor bigint CHECK (per_transaction_minor >= 0),
      daily_minor bigint CHECK (daily_minor >= 0),
      daily_count integer CHECK (daily_count >= 0),
      monthly_minor bigint CHECK (monthly_minor >= 0),
      monthly_count integer CHECK (monthly_count >= 0),
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT limits_once UNIQUE NULLS NOT DISTINCT (tenant_id, customer_id, operation, currency)
    );

    -- One row for each customer, operation and currency, locked by whoever spends: what was spent in the last day and
    -- in the last month in which anything was. Sums beyond a bigint are no reason to fail where nothing limits them.
    CREATE TABLE allowance_counters (
      tenant_id text NOT NULL,
      customer_id text NOT NULL REFERENCES customers,
      operation wallet_operation NOT NULL,
      currency char(3) NOT NULL,
      day date NOT NULL,
      day_minor numeric NOT NULL DEFAULT 0 CHECK (day_minor >= 0),
      day_count integer NOT NULL DEFAULT 0 CHECK (day_count >= 0),
      month_minor numeric NOT NULL DEFAULT 0 CHECK (month_minor >= 0),
      month_count integer NOT NULL DEFAULT 0 CHECK (month_count >= 0),
      PRIMARY KEY (tenant_id, customer_id, operation, currency)
    );
    CREATE TABLE allowance_spendings (
      tenant_id text NOT NULL,
      cause text NOT NULL,
      customer_id text NOT NULL,
      operation wallet_operation NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      day date NOT NULL,
      given_back_at timestamptz(3),
      PRIMARY KEY (tenant_id, cause)
    );

    GRANT SELECT, INSERT ON fee_versions TO tillway_app, tillway_system;
    GRANT SELECT, INSERT, UPDATE ON limits, allowance_counters, allowance_spendings TO tillway_app, tillway_system;
  `);
  await installFunctions(knex, { utc_today: 1, limits_of: 1, spend_allowance: 1, give_back_allowance: 1 });
  for (const table of ['fee_versions', 'limits', 'allowance_counters', 'allowance_spendings'])
    await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'fee_versions');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION spend_allowance, give_back_allowance, limits_of, utc_today;
    DROP TABLE allowance_spendings, allowance_counters, limits, fee_versions;
    DROP DOMAIN wallet_operation;
  `);
}
