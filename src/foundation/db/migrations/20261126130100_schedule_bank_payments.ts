import type { Knex } from 'knex';

/** Third parties schedule payments too: by a schedule of one transfer, to the IBAN that the customer has confirmed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Of a recipient who was named by an account, and so need not have joined transfers.
    ALTER TABLE p2p_schedules ADD COLUMN recipient_iban text;
    ALTER TABLE open_banking_payments
      ADD COLUMN kind text NOT NULL DEFAULT 'domestic' CHECK (kind IN ('domestic', 'scheduled')),
      -- What makes the transfer when it is due.
      ADD COLUMN schedule_id text UNIQUE REFERENCES p2p_schedules,
      DROP CONSTRAINT open_banking_payments_outcome,
      ADD CONSTRAINT open_banking_payments_outcome CHECK (num_nonnulls(transfer_id, schedule_id, rejection) = 1),
      ADD CONSTRAINT open_banking_payments_kind CHECK (kind = 'domestic' OR transfer_id IS NULL),
      ADD CONSTRAINT open_banking_payments_schedule CHECK (kind = 'scheduled' OR schedule_id IS NULL);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE open_banking_payments
      DROP CONSTRAINT open_banking_payments_outcome,
      DROP COLUMN schedule_id, DROP COLUMN kind,
      ADD CONSTRAINT open_banking_payments_outcome CHECK ((transfer_id IS NULL) = (rejection IS NOT NULL));
    ALTER TABLE p2p_schedules DROP COLUMN recipient_iban;
  `);
}
