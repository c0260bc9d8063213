import type { Knex } from 'knex';

/** What waits for an operator is found by an index that holds only what waits, what has waited longest first. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX disputes_flagged ON disputes (created_at, id) WHERE status = 'flagged';
    CREATE INDEX unmatched_transfers_waiting ON unmatched_transfers ((coalesce(review_since, decided_at)), id)
      WHERE review_since IS NOT NULL OR status = 'proposed';
    CREATE INDEX payouts_waiting ON payouts ((coalesce(review_since, return_proposed_at)), id)
      WHERE review_since IS NOT NULL OR (return_proposed_by IS NOT NULL AND return_confirmed_by IS NULL);
    CREATE INDEX bank_returns_for_review ON bank_returns (review_since, id) WHERE review_since IS NOT NULL;
    CREATE INDEX reconciliation_differences_waiting ON reconciliation_differences (found_at, id) WHERE status = 'open';
    CREATE INDEX callback_inbox_flagged ON callback_inbox (received_at, id) WHERE state = 'flagged';
    CREATE INDEX notifications_given_up ON notifications (created_at) WHERE state = 'failed' AND type <> 'test.ping';
    CREATE INDEX security_events_by_kind ON security_events (kind, at);

    -- Flows that are gone and could not be started anew.
    CREATE TABLE lost_flows (
      workflow_id text PRIMARY KEY,
      flow text NOT NULL,
      object_id text NOT NULL,
      tenant_id text,
      -- The class of the failure, never its text.
      failure text NOT NULL,
      found_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX lost_flows_by_age ON lost_flows (found_at, workflow_id);
    GRANT SELECT, INSERT, UPDATE, DELETE ON lost_flows TO tillway_system;
    GRANT SELECT ON lost_flows TO tillway_ops;
    -- Not what they say, nor to whom.
    GRANT SELECT (id, tenant_id, channel, state, tries, next_try_at, created_at, ended_at) ON messages TO tillway_ops;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE ALL (id, tenant_id, channel, state, tries, next_try_at, created_at, ended_at) ON messages FROM tillway_ops;
    DROP TABLE lost_flows;
    DROP INDEX security_events_by_kind, notifications_given_up, callback_inbox_flagged, reconciliation_differences_waiting,
      bank_returns_for_review, payouts_waiting, unmatched_transfers_waiting, disputes_flagged;
  `);
}
