import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** What operators order about a payment, refund, dispute or receipt; above a limit another one has to agree. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE interventions (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      organization_id text NOT NULL,
      subject_kind text NOT NULL CHECK (subject_kind IN ('payment', 'topup', 'refund', 'dispute', 'receipt')),
      subject_id text NOT NULL,
      act text NOT NULL CHECK (act IN ('ask_again', 'cancel', 'resolve', 'mark_returned', 'close')),
      outcome text CHECK (outcome IN ('captured', 'nothing_charged', 'refunded', 'not_refunded')),
      -- What the processor calls the charge, as the operator learnt it.
      processor_reference text,
      reason text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      needs_second boolean NOT NULL,
      -- ordered: the flow of the object has not taken it yet.
      status text NOT NULL CHECK (status IN ('proposed', 'ordered', 'done', 'refused', 'withdrawn')),
      status_detail text NOT NULL,
      ordered_by text NOT NULL,
      confirmed_by text,
      -- The step that carried it out: its repeats go on, others find it done.
      carried_out_by text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT interventions_outcome CHECK ((act = 'resolve') = (outcome IS NOT NULL)),
      CONSTRAINT interventions_by_two CHECK (confirmed_by <> ordered_by),
      CONSTRAINT interventions_confirmed CHECK (
        NOT needs_second OR status IN ('proposed', 'withdrawn') OR confirmed_by IS NOT NULL)
    );
    CREATE INDEX interventions_by_subject ON interventions (subject_id, id DESC);
    CREATE UNIQUE INDEX interventions_one_proposal ON interventions (subject_id) WHERE status = 'proposed';
    CREATE INDEX interventions_proposed ON interventions (created_at, id) WHERE status = 'proposed';
    CREATE INDEX interventions_ordered ON interventions (updated_at) WHERE status = 'ordered';
    GRANT SELECT, INSERT ON interventions TO tillway_app, tillway_system;
    GRANT UPDATE (status, status_detail, confirmed_by, carried_out_by, updated_at) ON interventions
      TO tillway_app, tillway_system;
    -- Operators find what waits for them, longest first, however much has ended.
    CREATE INDEX refunds_for_review ON refunds (review_since, id) WHERE review_since IS NOT NULL;
  `);
  await isolateByTenant(knex, 'interventions');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX refunds_for_review; DROP TABLE interventions');
}
