import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Customers who have signed in on a page, by the digest of their cookie. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customer_web_sessions (
      id text PRIMARY KEY,
      digest text NOT NULL UNIQUE,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      -- The question for the second factor that is still open: nobody is signed in yet.
      code_session_id text,
      -- From where, and with what.
      source text NOT NULL,
      device text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at timestamptz(3) NOT NULL,
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id)
    );
    CREATE INDEX customer_web_sessions_by_customer ON customer_web_sessions (customer_id, id DESC);
    CREATE INDEX customer_web_sessions_expiry ON customer_web_sessions (expires_at);
    GRANT SELECT, INSERT, UPDATE, DELETE ON customer_web_sessions TO tillway_app, tillway_system;

    -- Whether anybody of a tenant can sign in on a page.
    CREATE INDEX customer_secrets_passwords ON customer_secrets (tenant_id) WHERE kind = 'password';
  `);
  await isolateByTenant(knex, 'customer_web_sessions');
  await knex.raw('REVOKE ALL ON customer_web_sessions FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX customer_secrets_passwords; DROP TABLE customer_web_sessions');
}
