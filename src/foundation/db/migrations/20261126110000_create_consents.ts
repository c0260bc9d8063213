import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Consents of open banking: what a customer lets a third party do, what became of it, and who read what under it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE consents (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      tpp_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('account', 'payment', 'funds')),
      status text NOT NULL
        CHECK (status IN ('AwaitingAuthorisation', 'Authorised', 'Rejected', 'Revoked', 'Expired', 'Consumed')),
      status_detail text NOT NULL,
      -- Of an account consent: named when it is made. Of the others: known once somebody has authorised it.
      customer_id text,
      permissions text[] NOT NULL DEFAULT '{}',
      -- As the third party sent it.
      record jsonb NOT NULL,
      sharing_from timestamptz(3),
      sharing_to timestamptz(3),
      expires_at timestamptz(3),
      -- Until when somebody has to authorise it.
      awaits_until timestamptz(3) NOT NULL,
      authorised_at timestamptz(3),
      -- The customer's last strong authentication for it, or the third party's last reconfirmation.
      authenticated_at timestamptz(3),
      -- An error while it was being authorised.
      failed_at timestamptz(3),
      -- What the authorization server's tokens for it hang on.
      grant_id text UNIQUE,
      -- The customer's confirmation of amount and payee.
      step_up_id text UNIQUE,
      -- When the customer was told that it expires soon, and that it must be authenticated anew.
      expiry_told_at timestamptz(3),
      reauthentication_told_at timestamptz(3),
      -- When the flow is to look at it, at the latest. Null: nothing will become of it by itself.
      look_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (id, tenant_id),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK (kind <> 'account' OR num_nulls(customer_id, sharing_from, sharing_to, expires_at) = 0),
      CHECK (kind <> 'account' OR cardinality(permissions) > 0),
      CHECK (sharing_from <= sharing_to AND sharing_to <= expires_at),
      CHECK (status <> 'Consumed' OR kind = 'payment'),
      CHECK (status NOT IN ('Authorised', 'Consumed')
        OR num_nulls(customer_id, authorised_at, authenticated_at, grant_id) = 0)
    );
    CREATE INDEX consents_by_tenant ON consents (tenant_id, id DESC);
    CREATE INDEX consents_by_customer ON consents (customer_id, id DESC) WHERE customer_id IS NOT NULL;
    CREATE INDEX consents_by_tpp ON consents (tpp_id, id DESC);
    CREATE INDEX consents_due ON consents (look_at) WHERE look_at IS NOT NULL;
    GRANT SELECT, INSERT, UPDATE ON consents TO tillway_app;
    GRANT SELECT, UPDATE ON consents TO tillway_system;

    CREATE TABLE consent_accounts (
      consent_id text NOT NULL,
      tenant_id text NOT NULL,
      account_id bigint NOT NULL REFERENCES ledger_accounts,
      iban text NOT NULL,
      currency char(3) NOT NULL,
      PRIMARY KEY (consent_id, account_id),
      FOREIGN KEY (consent_id, tenant_id) REFERENCES consents (id, tenant_id)
    );
    GRANT SELECT, INSERT, DELETE ON consent_accounts TO tillway_app;
    GRANT SELECT ON consent_accounts TO tillway_system;

    CREATE TABLE consent_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      consent_id text NOT NULL,
      tenant_id text NOT NULL,
      cause text NOT NULL CHECK (cause IN ('created', 'authorised', 'reauthorised', 'failed', 'rejected', 'revoked',
        'expired', 'consumed', 'reconfirmed', 'expiry_told', 'reauthentication_told')),
      status text NOT NULL,
      -- Third party, customer, client or user; 'platform' where nobody did it.
      actor text NOT NULL,
      detail text NOT NULL,
      -- Those that the customer chose by this event.
      ibans text[],
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (consent_id, tenant_id) REFERENCES consents (id, tenant_id)
    );
    CREATE INDEX consent_events_by_consent ON consent_events (consent_id, id);
    GRANT SELECT, INSERT ON consent_events TO tillway_app, tillway_system;

    CREATE TABLE consent_accesses (
      id text PRIMARY KEY,
      consent_id text NOT NULL,
      tenant_id text NOT NULL,
      tpp_id text NOT NULL,
      resource text NOT NULL,
      -- Null: of no account in particular.
      account_id bigint,
      is_customer_present boolean NOT NULL,
      -- Null: it was answered. Otherwise the error's code.
      refusal text,
      interaction_id text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (consent_id, tenant_id) REFERENCES consents (id, tenant_id)
    );
    CREATE INDEX consent_accesses_by_consent ON consent_accesses (consent_id, id DESC);
    GRANT SELECT ON consent_accesses TO tillway_app;
    GRANT SELECT, INSERT ON consent_accesses TO tillway_system;
  `);
  for (const table of TABLES) await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'consent_events');
  await makeAppendOnly(knex, 'consent_accesses');
  await installFunctions(knex, { consent_end_grant: 1, customer_look_at_consents: 1 });
  await knex.raw(`
    CREATE TRIGGER consents_end_grant AFTER UPDATE OF status, grant_id ON consents FOR EACH ROW
      WHEN (OLD.grant_id IS NOT NULL
        AND (NEW.status IN ('Rejected', 'Revoked', 'Expired') OR NEW.grant_id IS DISTINCT FROM OLD.grant_id))
      EXECUTE FUNCTION consent_end_grant();
    CREATE TRIGGER customers_look_at_consents AFTER UPDATE OF deleted_at ON customers FOR EACH ROW
      WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL) EXECUTE FUNCTION customer_look_at_consents();
  `);
}

const TABLES = ['consents', 'consent_accounts', 'consent_events', 'consent_accesses'];

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER customers_look_at_consents ON customers;
    DROP FUNCTION customer_look_at_consents();
    DROP TABLE consent_accesses, consent_events, consent_accounts, consents;
    DROP FUNCTION consent_end_grant();
  `);
}
