import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Payment links of sellers: what is asked for, who approves it, with whom it was shared, how often it was opened. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_links (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      terminal_id text NOT NULL,
      status text NOT NULL
        CHECK (status IN ('pending_approval', 'active', 'disabled', 'rejected', 'paid', 'expired')),
      status_detail text NOT NULL,
      -- Of the token in its address. The token itself is computed from the id, and kept nowhere.
      token_digest bytea NOT NULL UNIQUE,
      title text NOT NULL,
      description text,
      reference text,
      currency text NOT NULL,
      -- What is asked for: one order, these lines, or an amount that the buyer chooses.
      order_id text,
      lines jsonb,
      amount_min_minor bigint CHECK (amount_min_minor > 0),
      amount_max_minor bigint,
      -- The most that one buyer may pay.
      most_minor bigint NOT NULL CHECK (most_minor > 0),
      -- Null: as many as come.
      max_payments integer CHECK (max_payments > 0),
      -- Null: all that serve the amount.
      kinds text[],
      custom_fields jsonb NOT NULL DEFAULT '[]',
      notification_url text,
      approvals_needed smallint NOT NULL CHECK (approvals_needed BETWEEN 0 AND 2),
      remind_at timestamptz(3),
      request_expires_at timestamptz(3),
      expires_at timestamptz(3) NOT NULL,
      -- When the flow is to look at it, at the latest. Null: nothing will become of it by itself.
      look_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (id, tenant_id),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK (num_nonnulls(order_id, lines, amount_min_minor) = 1),
      CHECK ((amount_min_minor IS NULL) = (amount_max_minor IS NULL)),
      CHECK (amount_min_minor IS NULL OR amount_max_minor BETWEEN amount_min_minor AND most_minor),
      CHECK (order_id IS NULL OR max_payments = 1),
      CHECK ((approvals_needed = 0) = (request_expires_at IS NULL))
    );
    CREATE INDEX payment_links_by_organization ON payment_links (tenant_id, organization_id, id DESC);
    CREATE INDEX payment_links_pending ON payment_links (tenant_id, id) WHERE status = 'pending_approval';
    CREATE INDEX payment_links_due ON payment_links (look_at) WHERE look_at IS NOT NULL;
    CREATE UNIQUE INDEX payment_links_one_per_order ON payment_links (order_id)
      WHERE order_id IS NOT NULL AND status NOT IN ('rejected', 'expired');
    GRANT SELECT, INSERT, UPDATE ON payment_links TO tillway_app;
    GRANT SELECT, UPDATE ON payment_links TO tillway_system;

    CREATE TABLE payment_link_decisions (
      link_id text NOT NULL,
      tenant_id text NOT NULL,
      decided_by text NOT NULL,
      decision text NOT NULL CHECK (decision IN ('approve', 'reject')),
      -- Whose delegate decided; null: a tenant admin.
      on_behalf_of text,
      reason text,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (link_id, decided_by),
      FOREIGN KEY (link_id, tenant_id) REFERENCES payment_links (id, tenant_id),
      CHECK (decision = 'approve' OR reason IS NOT NULL)
    );
    GRANT SELECT, INSERT ON payment_link_decisions TO tillway_app;

    CREATE TABLE payment_link_shares (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      link_id text NOT NULL,
      channel text NOT NULL CHECK (channel IN ('email', 'sms', 'external')),
      -- Shortened for e-mail and SMS; the name of the channel for an external one.
      recipient text NOT NULL,
      -- The whole address, sealed, to send it once more.
      recipient_sealed bytea,
      message_id text,
      sends integer NOT NULL DEFAULT 1,
      -- Kept when the message itself is removed.
      delivery text NOT NULL CHECK (delivery IN ('queued', 'delivered', 'refused', 'expired', 'recorded')),
      shared_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (link_id, tenant_id) REFERENCES payment_links (id, tenant_id),
      CHECK ((channel = 'external') = (recipient_sealed IS NULL)),
      CHECK ((channel = 'external') = (message_id IS NULL))
    );
    CREATE INDEX payment_link_shares_by_link ON payment_link_shares (link_id, id DESC);
    CREATE INDEX payment_link_shares_by_message ON payment_link_shares (message_id) WHERE delivery = 'queued';
    GRANT SELECT, INSERT, UPDATE ON payment_link_shares TO tillway_app, tillway_system;

    CREATE TABLE payment_link_opens (
      link_id text NOT NULL,
      tenant_id text NOT NULL,
      day date NOT NULL,
      opened integer NOT NULL,
      PRIMARY KEY (link_id, day),
      FOREIGN KEY (link_id, tenant_id) REFERENCES payment_links (id, tenant_id)
    );
    GRANT SELECT, INSERT, UPDATE ON payment_link_opens TO tillway_app;

    CREATE TABLE payment_link_settings (
      tenant_id text PRIMARY KEY REFERENCES tenants,
      approval_required boolean NOT NULL,
      -- From this amount on, two people approve: {"EUR": "100000"} in minor units.
      four_eyes jsonb NOT NULL,
      request_ttl_ms bigint NOT NULL CHECK (request_ttl_ms > 0),
      remind_after_ms bigint NOT NULL CHECK (remind_after_ms > 0),
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    GRANT SELECT, INSERT, UPDATE ON payment_link_settings TO tillway_app;
    GRANT SELECT ON payment_link_settings TO tillway_system;

    CREATE TABLE payment_link_delegations (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      from_id text NOT NULL,
      to_id text NOT NULL,
      currency text NOT NULL,
      most_minor bigint NOT NULL CHECK (most_minor > 0),
      ends_at timestamptz(3) NOT NULL,
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CHECK (from_id <> to_id)
    );
    CREATE INDEX payment_link_delegations_to ON payment_link_delegations (tenant_id, to_id) WHERE revoked_at IS NULL;
    GRANT SELECT, INSERT, UPDATE ON payment_link_delegations TO tillway_app;

    -- What a buyer wrote into the custom fields.
    CREATE TABLE payment_link_answers (
      payment_id text PRIMARY KEY REFERENCES payments ON DELETE CASCADE,
      tenant_id text NOT NULL,
      link_id text NOT NULL,
      answers jsonb NOT NULL,
      FOREIGN KEY (link_id, tenant_id) REFERENCES payment_links (id, tenant_id)
    );
    GRANT SELECT, INSERT ON payment_link_answers TO tillway_app;
    -- A payment that was never sent is taken back with what belongs to it.
    GRANT DELETE ON payment_link_answers TO tillway_app;

    ALTER TABLE payments ADD COLUMN link_id text;
    ALTER TABLE payments ADD CONSTRAINT payments_link FOREIGN KEY (link_id, tenant_id)
      REFERENCES payment_links (id, tenant_id);
    CREATE INDEX payments_by_link ON payments (link_id, id DESC) WHERE link_id IS NOT NULL;
  `);
  for (const table of TABLES) await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'payment_link_decisions');
  await installFunctions(knex, { payment_look_at_link: 1, message_note_share: 1 });
  await knex.raw(`
    CREATE TRIGGER payments_look_at_link AFTER UPDATE OF status ON payments FOR EACH ROW
      WHEN (NEW.link_id IS NOT NULL AND NEW.status IS DISTINCT FROM OLD.status)
      EXECUTE FUNCTION payment_look_at_link();
    CREATE TRIGGER messages_note_share AFTER UPDATE OF state ON messages FOR EACH ROW
      WHEN (NEW.state IN ('delivered', 'refused', 'expired')) EXECUTE FUNCTION message_note_share();
  `);
}

const TABLES = [
  'payment_links',
  'payment_link_decisions',
  'payment_link_shares',
  'payment_link_opens',
  'payment_link_answers',
  'payment_link_settings',
  'payment_link_delegations',
];

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER messages_note_share ON messages;
    DROP FUNCTION message_note_share();
    DROP TRIGGER payments_look_at_link ON payments;
    DROP FUNCTION payment_look_at_link();
    DROP INDEX payments_by_link;
    ALTER TABLE payments DROP CONSTRAINT payments_link, DROP COLUMN link_id;
  `);
  for (const table of [...TABLES].reverse()) await knex.raw(`DROP TABLE ${table}`);
}
