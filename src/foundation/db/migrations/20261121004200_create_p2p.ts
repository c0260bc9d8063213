import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

const TABLES = ['p2p_members', 'p2p_aliases', 'p2p_transfers', 'p2p_transfer_events', 'p2p_requests', 'p2p_schedules'];

/**
 * Transfers between customers. A row says where a transfer stands, the ledger holds its money: both change in one
 * transaction. Aliases are found by keyed hashes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE p2p_members (
      customer_id text PRIMARY KEY,
      tenant_id text NOT NULL,
      -- Every transfer to this customer waits until the customer has accepted it.
      accepts_each boolean NOT NULL DEFAULT false,
      suspended_at timestamptz(3),
      -- 'tenant': the customer cannot resume by itself.
      suspended_by text CHECK (suspended_by IN ('customer', 'tenant')),
      suspension_reason text,
      enrolled_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK ((suspended_at IS NULL) = (suspended_by IS NULL))
    );
    CREATE TABLE p2p_aliases (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL REFERENCES p2p_members ON DELETE CASCADE,
      type text NOT NULL CHECK (type IN ('phone', 'email', 'handle')),
      mac bytea NOT NULL,
      -- For the customer to read.
      sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT p2p_aliases_once UNIQUE (tenant_id, type, mac)
    );
    CREATE INDEX p2p_aliases_by_customer ON p2p_aliases (customer_id, id);

    CREATE TABLE p2p_schedules (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      sender_id text NOT NULL,
      recipient_id text NOT NULL,
      -- Of an alias that the sender named: enough to recognize it.
      recipient_hint text,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      note text,
      -- A standing order is a schedule to a saved recipient.
      kind text NOT NULL CHECK (kind IN ('schedule', 'standing_order')),
      frequency text NOT NULL
        CHECK (frequency IN ('once', 'daily', 'weekly', 'fortnightly', 'monthly', 'quarterly', 'yearly')),
      starts_at timestamptz(3) NOT NULL,
      ends_at timestamptz(3) CHECK (ends_at >= starts_at),
      status text NOT NULL CHECK (status IN ('active', 'ended', 'cancelled')),
      -- The engine has yet to be told of what this row says.
      untold_since timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (sender_id, tenant_id) REFERENCES customers (id, tenant_id),
      FOREIGN KEY (recipient_id, tenant_id) REFERENCES customers (id, tenant_id)
    );
    CREATE INDEX p2p_schedules_by_tenant ON p2p_schedules (tenant_id, id DESC);
    CREATE INDEX p2p_schedules_by_sender ON p2p_schedules (sender_id, id DESC);
    CREATE INDEX p2p_schedules_untold ON p2p_schedules (untold_since) WHERE untold_since IS NOT NULL;

    CREATE TABLE p2p_requests (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      requester_id text NOT NULL,
      payer_id text NOT NULL,
      payer_hint text,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      note text,
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'declined', 'cancelled', 'expired')),
      transfer_id text,
      expires_at timestamptz(3) NOT NULL,
      -- Its flow has yet to look at what this row says.
      look_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (requester_id, tenant_id) REFERENCES customers (id, tenant_id),
      FOREIGN KEY (payer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK ((status = 'paid') = (transfer_id IS NOT NULL))
    );
    CREATE INDEX p2p_requests_by_tenant ON p2p_requests (tenant_id, id DESC);
    CREATE INDEX p2p_requests_by_requester ON p2p_requests (requester_id, id DESC);
    CREATE INDEX p2p_requests_by_payer ON p2p_requests (payer_id, id DESC);
    CREATE INDEX p2p_requests_pending ON p2p_requests (expires_at) WHERE status = 'pending';
    CREATE INDEX p2p_requests_to_look_at ON p2p_requests (look_at) WHERE look_at IS NOT NULL;

    CREATE TABLE p2p_transfers (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      sender_id text NOT NULL,
      -- Null while an invitation waits for somebody to join.
      recipient_id text,
      -- The alias that the sender named; of an identifier none.
      alias_type text CHECK (alias_type IN ('phone', 'email', 'handle')),
      alias_mac bytea,
      recipient_hint text,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      fee_minor bigint NOT NULL CHECK (fee_minor >= 0),
      fee_payer text NOT NULL CHECK (fee_payer IN ('sender', 'recipient')),
      note text,
      status text NOT NULL
        CHECK (status IN ('held', 'settled', 'expired', 'declined', 'cancelled', 'reversed', 'failed')),
      status_detail text NOT NULL,
      -- Who brought it there: client, user or customer, or 'flow'.
      moved_by text NOT NULL,
      -- Whose account the hold points to; null where nothing was ever held.
      held_for text CHECK (held_for IN ('recipient', 'invitation')),
      expires_at timestamptz(3),
      settled_at timestamptz(3),
      -- Its flow has yet to look at what this row says.
      look_at timestamptz(3),
      request_id text REFERENCES p2p_requests,
      schedule_id text REFERENCES p2p_schedules,
      scheduled_for timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT p2p_transfers_sender FOREIGN KEY (sender_id, tenant_id) REFERENCES customers (id, tenant_id),
      CONSTRAINT p2p_transfers_recipient FOREIGN KEY (recipient_id, tenant_id) REFERENCES customers (id, tenant_id),
      CONSTRAINT p2p_transfers_scheduled_once UNIQUE (schedule_id, scheduled_for),
      CHECK (sender_id <> recipient_id),
      CHECK (status <> 'held' OR (held_for IS NOT NULL AND expires_at IS NOT NULL)),
      CHECK (recipient_id IS NOT NULL OR alias_mac IS NOT NULL),
      CHECK (status NOT IN ('settled', 'reversed') OR (recipient_id IS NOT NULL AND settled_at IS NOT NULL))
    );
    CREATE INDEX p2p_transfers_by_tenant ON p2p_transfers (tenant_id, id DESC);
    CREATE INDEX p2p_transfers_by_sender ON p2p_transfers (sender_id, id DESC);
    CREATE INDEX p2p_transfers_by_recipient ON p2p_transfers (recipient_id, id DESC) WHERE recipient_id IS NOT NULL;
    CREATE INDEX p2p_transfers_invited ON p2p_transfers (tenant_id, alias_type, alias_mac)
      WHERE status = 'held' AND recipient_id IS NULL;
    CREATE INDEX p2p_transfers_held ON p2p_transfers (expires_at) WHERE status = 'held';
    CREATE INDEX p2p_transfers_to_look_at ON p2p_transfers (look_at) WHERE look_at IS NOT NULL;

    -- The timeline: written with every move, whoever makes it.
    CREATE TABLE p2p_transfer_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL,
      transfer_id text NOT NULL REFERENCES p2p_transfers,
      from_status text,
      to_status text NOT NULL,
      detail text NOT NULL,
      actor text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX p2p_transfer_events_by_transfer ON p2p_transfer_events (transfer_id, id);
  `);
  await installFunctions(knex, { p2p_note_move: 1 });
  await knex.raw(`
    CREATE TRIGGER p2p_transfers_begun AFTER INSERT ON p2p_transfers
      FOR EACH ROW EXECUTE FUNCTION p2p_note_move();
    CREATE TRIGGER p2p_transfers_moved AFTER UPDATE ON p2p_transfers
      FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.status_detail <> NEW.status_detail)
      EXECUTE FUNCTION p2p_note_move();

    GRANT SELECT, INSERT, UPDATE, DELETE ON p2p_members, p2p_aliases TO tillway_app;
    GRANT SELECT, UPDATE ON p2p_aliases TO tillway_system;
    GRANT SELECT, INSERT, UPDATE ON p2p_transfers, p2p_requests, p2p_schedules TO tillway_app;
    GRANT SELECT ON p2p_transfers, p2p_requests TO tillway_system;
    GRANT SELECT, UPDATE ON p2p_schedules TO tillway_system;
    GRANT SELECT, INSERT ON p2p_transfer_events TO tillway_app;
  `);
  for (const table of TABLES) await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON p2p_aliases FROM tillway_ops');
  await makeAppendOnly(knex, 'p2p_transfer_events');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE p2p_transfer_events, p2p_transfers, p2p_requests, p2p_schedules, p2p_aliases, p2p_members;
    DROP FUNCTION p2p_note_move();
  `);
}
