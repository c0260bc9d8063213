import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * Statistics that do not take longer the more payments there are. Workers count what changed, some seconds behind;
 * statistics add what came after. Nothing is added to the steps of a payment.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_stand: 1, id_made_at: 1 });
  await knex.raw(`
    -- Up to which event payments are counted, and to which next, once these transactions have ended.
    CREATE TABLE payment_counting (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      through_id bigint NOT NULL DEFAULT 0,
      next_id bigint NOT NULL DEFAULT 0,
      waits_for text[] NOT NULL DEFAULT '{}',
      -- Whether every payment that was there at first has been counted.
      is_complete boolean NOT NULL DEFAULT false,
      CHECK (next_id >= through_id)
    );
    INSERT INTO payment_counting DEFAULT VALUES;
    -- What each payment and refund counts as in the sums.
    CREATE TABLE payment_counted (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      stand text NOT NULL CHECK (stand IN ('taken', 'refused', 'unpaid', 'open', 'refunded', 'none')),
      code integer NOT NULL,
      minor bigint NOT NULL,
      charged_back_minor bigint NOT NULL
    ) WITH (fillfactor = 90);
    -- Per hour ('interval'), and per hour and day by kind and reason of refusal. Hours and days of UTC.
    CREATE TABLE payment_sums (
      organization_id text NOT NULL,
      tenant_id text NOT NULL,
      terminal_id text NOT NULL,
      currency char(3) NOT NULL,
      per text NOT NULL CHECK (per IN ('interval', 'hour', 'day')),
      at timestamptz NOT NULL,
      kind text NOT NULL,
      code integer NOT NULL,
      taken_count bigint NOT NULL,
      taken_accepted_minor numeric NOT NULL,
      taken_minor numeric NOT NULL,
      refused_count bigint NOT NULL,
      refused_minor numeric NOT NULL,
      unpaid_count bigint NOT NULL,
      unpaid_minor numeric NOT NULL,
      open_count bigint NOT NULL,
      open_minor numeric NOT NULL,
      charged_back_count bigint NOT NULL,
      charged_back_minor numeric NOT NULL,
      refunded_count bigint NOT NULL,
      refunded_minor numeric NOT NULL,
      PRIMARY KEY (organization_id, per, at, currency, terminal_id, kind, code)
    ) WITH (fillfactor = 80);
    CREATE VIEW payment_shares WITH (security_invoker = true) AS
      SELECT id, NULL::text AS payment_id, tenant_id, organization_id, terminal_id, currency, kind, created_at, amount_minor,
        payment_stand(status) AS stand, CASE payment_stand(status) WHEN 'refused' THEN result_code ELSE 0 END AS code,
        CASE payment_stand(status) WHEN 'taken' THEN captured_minor ELSE amount_minor END AS minor, charged_back_minor
      FROM payments;
    CREATE VIEW refund_shares WITH (security_invoker = true) AS
      SELECT r.id, r.payment_id, r.tenant_id, r.organization_id, p.terminal_id, r.currency, ''::text AS kind, r.created_at,
        r.amount_minor, CASE r.status WHEN 'succeeded' THEN 'refunded' ELSE 'none' END AS stand, 0 AS code,
        CASE r.status WHEN 'succeeded' THEN r.amount_minor ELSE 0 END AS minor, 0::bigint AS charged_back_minor
      FROM refunds r JOIN payments p ON p.id = r.payment_id;
    GRANT SELECT ON payment_counting, payment_shares, refund_shares TO tillway_app, tillway_system, tillway_ops;
    GRANT UPDATE ON payment_counting TO tillway_system;
    GRANT SELECT ON payment_counted, payment_sums TO tillway_app, tillway_system;
    GRANT INSERT, UPDATE ON payment_counted, payment_sums TO tillway_system;
    GRANT SELECT ON SEQUENCE payment_events_id_seq TO tillway_system;
  `);
  for (const table of ['payment_counted', 'payment_sums']) await isolateByTenant(knex, table);
  await installFunctions(knex, { payment_count_up: 1, payment_statistics: 1 });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT ON SEQUENCE payment_events_id_seq FROM tillway_system;
    DROP FUNCTION payment_statistics;
    DROP FUNCTION payment_count_up;
    DROP VIEW refund_shares, payment_shares;
    DROP TABLE payment_sums, payment_counted, payment_counting;
    DROP FUNCTION id_made_at;
    DROP FUNCTION payment_stand;
  `);
}
