import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Questions of buyers about a payment link, and the answers of its seller. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE tickets (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      link_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'answered', 'closed')),
      -- The buyer's e-mail address.
      email_sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (id, tenant_id),
      FOREIGN KEY (link_id, tenant_id) REFERENCES payment_links (id, tenant_id)
    );
    CREATE INDEX tickets_by_organization ON tickets (tenant_id, organization_id, id DESC);
    CREATE INDEX tickets_by_link ON tickets (link_id, id DESC);
    GRANT SELECT, INSERT, UPDATE ON tickets TO tillway_app;
    GRANT SELECT, UPDATE ON tickets TO tillway_system;

    CREATE TABLE ticket_messages (
      ticket_id text NOT NULL,
      tenant_id text NOT NULL,
      number integer NOT NULL CHECK (number > 0),
      -- Null: the buyer; else the user or client who answered.
      author text,
      words text NOT NULL CHECK (length(words) BETWEEN 1 AND 4000),
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (ticket_id, number),
      FOREIGN KEY (ticket_id, tenant_id) REFERENCES tickets (id, tenant_id)
    );
    GRANT SELECT, INSERT ON ticket_messages TO tillway_app;
  `);
  for (const table of ['tickets', 'ticket_messages']) await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'ticket_messages');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE ticket_messages, tickets');
}
