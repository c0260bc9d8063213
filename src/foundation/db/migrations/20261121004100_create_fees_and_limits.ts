import type { Knex } from 'knex';
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

    CREATE FUNCTION utc_today() RETURNS date LANGUAGE sql VOLATILE
      AS $$ SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date $$;

    -- Every limit that holds for a customer: its own where there is one, else the tenant's.
    CREATE FUNCTION limits_of(tenant text, customer text, what text, code text)
    RETURNS TABLE (per_transaction bigint, daily_amount bigint, daily_times integer, monthly_amount bigint,
      monthly_times integer) LANGUAGE sql STABLE AS $$
      SELECT coalesce(own.per_transaction_minor, general.per_transaction_minor),
        coalesce(own.daily_minor, general.daily_minor), coalesce(own.daily_count, general.daily_count),
        coalesce(own.monthly_minor, general.monthly_minor), coalesce(own.monthly_count, general.monthly_count)
      FROM (VALUES (1)) one
      LEFT JOIN limits own ON own.tenant_id = tenant AND own.customer_id = customer AND own.operation = what
        AND own.currency = code
      LEFT JOIN limits general ON general.tenant_id = tenant AND general.customer_id IS NULL
        AND general.operation = what AND general.currency = code
    $$;

    -- Spends once per cause, or answers which limit stands against it, how much it allows and how much of it is gone.
    -- The clock is read under the lock, so that a day never returns.
    CREATE FUNCTION spend_allowance(tenant text, customer text, what text, code text, amount bigint, reason text)
    RETURNS TABLE (exceeded text, allowed numeric, used numeric) LANGUAGE plpgsql AS $$
    DECLARE
      counter allowance_counters;
      bound record;
      today date;
    BEGIN
      LOOP
        SELECT * INTO counter FROM allowance_counters c WHERE c.tenant_id = tenant AND c.customer_id = customer
          AND c.operation = what AND c.currency = code FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO allowance_counters (tenant_id, customer_id, operation, currency, day)
          VALUES (tenant, customer, what, code, utc_today()) ON CONFLICT DO NOTHING;
      END LOOP;
      IF EXISTS (SELECT 1 FROM allowance_spendings s WHERE s.tenant_id = tenant AND s.cause = reason) THEN
        RETURN;
      END IF;
      today := greatest(utc_today(), counter.day);
      IF date_trunc('month', counter.day) <> date_trunc('month', today) THEN
        counter.month_minor := 0;
        counter.month_count := 0;
      END IF;
      IF counter.day <> today THEN
        counter.day_minor := 0;
        counter.day_count := 0;
      END IF;
      SELECT * INTO bound FROM limits_of(tenant, customer, what, code);
      RETURN QUERY SELECT l.name, l.most, l.gone FROM (VALUES
        (1, 'perTransaction', bound.per_transaction::numeric, 0::numeric, amount::numeric),
        (2, 'dailyAmount', bound.daily_amount, counter.day_minor, amount),
        (3, 'dailyCount', bound.daily_times, counter.day_count, 1),
        (4, 'monthlyAmount', bound.monthly_amount, counter.month_minor, amount),
        (5, 'monthlyCount', bound.monthly_times, counter.month_count, 1)
      ) AS l(place, name, most, gone, more) WHERE l.gone + l.more > l.most ORDER BY l.place LIMIT 1;
      IF FOUND THEN
        RETURN;
      END IF;
      UPDATE allowance_counters c SET day = today, day_minor = counter.day_minor + amount,
        day_count = counter.day_count + 1, month_minor = counter.month_minor + amount,
        month_count = counter.month_count + 1
      WHERE c.tenant_id = tenant AND c.customer_id = customer AND c.operation = what AND c.currency = code;
      INSERT INTO allowance_spendings (tenant_id, cause, customer_id, operation, currency, amount_minor, day)
        VALUES (tenant, reason, customer, what, code, amount, today);
    END $$;

    -- Takes a spending back out of the day and the month it was counted in, once.
    CREATE FUNCTION give_back_allowance(tenant text, reason text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE spent allowance_spendings;
    BEGIN
      -- In the order in which whoever spends locks: the counter first.
      PERFORM 1 FROM allowance_counters c JOIN allowance_spendings s USING (tenant_id, customer_id, operation, currency)
        WHERE s.tenant_id = tenant AND s.cause = reason FOR UPDATE OF c;
      UPDATE allowance_spendings s SET given_back_at = clock_timestamp()
        WHERE s.tenant_id = tenant AND s.cause = reason AND s.given_back_at IS NULL RETURNING * INTO spent;
      IF NOT FOUND THEN
        RETURN;
      END IF;
      UPDATE allowance_counters c SET
        day_minor = c.day_minor - CASE WHEN c.day = spent.day THEN spent.amount_minor ELSE 0 END,
        day_count = c.day_count - CASE WHEN c.day = spent.day THEN 1 ELSE 0 END,
        month_minor = c.month_minor - spent.amount_minor,
        month_count = c.month_count - 1
      WHERE c.tenant_id = tenant AND c.customer_id = spent.customer_id AND c.operation = spent.operation
        AND c.currency = spent.currency AND date_trunc('month', c.day) = date_trunc('month', spent.day);
    END $$;

    GRANT SELECT, INSERT ON fee_versions TO tillway_app, tillway_system;
    GRANT SELECT, INSERT, UPDATE ON limits, allowance_counters, allowance_spendings TO tillway_app, tillway_system;
  `);
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
