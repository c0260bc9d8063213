import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { newId } from '../../domain/ids';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import { createClient, newSecret, rotateSecret, secretMatches } from '../../people/identity/clients';

interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** What a first user of a sandbox tenant needs to know; the only place where its secrets can be read. */
export interface SeededTenant {
  tenantId: string;
  organizationId: string;
  clients: { merchant: ClientCredentials; tenantAdmin: ClientCredentials; ops: ClientCredentials };
  terminalId: string;
  terminalPassword: string;
  callbackSecret: string;
}

/** A tenant by the label that it is found by at the next start, and what it and its merchant are called. */
export interface Seed {
  label: string;
  tenant: string;
  organization: string;
}

const FIRST: Seed = { label: 'first', tenant: 'Sandbox', organization: 'Corner Shop' };
const OTHER: Seed = { label: 'other', tenant: 'Other sandbox', organization: 'Other Shop' };

/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_223;

/**
 * Makes the two sandbox tenants, or finds them. Secrets that `earlier` still knows stay; one that nobody knows any more
 * is replaced, because only its hash is in the database. `system`: a knex in the system role.
 */
export async function seedSandbox(
  system: Knex,
  secrets: CallbackSecrets,
  earlier: Partial<SeededTenant> & { other?: Partial<SeededTenant> } = {},
): Promise<SeededTenant & { other: SeededTenant }> {
  return system.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
    const first = await seedTenant(trx, secrets, FIRST, earlier);
    return { ...first, other: await seedTenant(trx, secrets, OTHER, earlier.other) };
  });
}

/** Makes one tenant with a merchant and its clients, or finds it. */
export async function seedTenant(
  trx: Knex.Transaction,
  secrets: CallbackSecrets,
  seed: Seed,
  earlier: Partial<SeededTenant> = {},
): Promise<SeededTenant> {
  const tenant = await trx('tenants').whereRaw("settings->>'seed' = ?", [seed.label]).first('id');
  const tenantId: string = tenant?.id ?? (await createTenant(trx, secrets, seed));
  const organization = await trx('organizations')
    .where({ tenant_id: tenantId, house: false })
    .orderBy('id')
    .first('id');
  const account = await trx('merchant_accounts').where({ organization_id: organization.id }).orderBy('id').first();
  const clients = await trx('clients')
    .where({ tenant_id: tenantId })
    .orWhere({ name: opsNameOf(tenantId) })
    .orderBy('id');
  const credentialsOf = async (wanted: (client: ClientRow) => boolean, known?: string): Promise<ClientCredentials> => {
    const client = clients.find(wanted);
    const stays = known !== undefined && secretMatches(known, client.secret_hash);
    return { clientId: client.id, clientSecret: stays ? known : await rotateSecret(trx, client.id) };
  };
  const terminal = await credentialsOf(
    (client) => client.terminal_id === account.terminal_id,
    earlier.terminalPassword,
  );
  return {
    tenantId,
    organizationId: organization.id,
    clients: {
      merchant: await credentialsOf(
        (client) => client.role === 'merchant' && client.organization_id === organization.id && !client.terminal_id,
        earlier.clients?.merchant.clientSecret,
      ),
      tenantAdmin: await credentialsOf(
        (client) => client.role === 'tenant_admin',
        earlier.clients?.tenantAdmin.clientSecret,
      ),
      ops: await credentialsOf((client) => client.role === 'ops', earlier.clients?.ops.clientSecret),
    },
    terminalId: account.terminal_id,
    terminalPassword: terminal.clientSecret,
    callbackSecret: await callbackSecretOf(trx, secrets, account),
  };
}

interface ClientRow {
  id: string;
  role: string;
  secret_hash: Buffer;
  organization_id: string | null;
  terminal_id: string | null;
}

function opsNameOf(tenantId: string): string {
  return `Operator seeded with ${tenantId}`;
}

async function createTenant(
  trx: Knex.Transaction,
  secrets: CallbackSecrets,
  { label, tenant, organization }: Seed,
): Promise<string> {
  const tenantId = newId('tenant');
  const organizationId = newId('organization');
  const accountId = newId('merchantAccount');
  const terminalId = typeidUnboxed('trm');
  await trx('tenants').insert({ id: tenantId, name: tenant, settings: JSON.stringify({ seed: label }) });
  await trx('organizations').insert({ id: organizationId, tenant_id: tenantId, name: organization });
  await trx('merchant_accounts').insert({
    id: accountId,
    tenant_id: tenantId,
    organization_id: organizationId,
    terminal_id: terminalId,
    callback_secret_sealed: secrets.seal(newSecret(), accountId),
  });
  const merchant = { role: 'merchant', tenantId, organizationId } as const;
  await createClient(trx, { ...merchant, id: typeidUnboxed('cli'), name: organization });
  await createClient(trx, { ...merchant, id: terminalId, name: `${organization}, terminal`, terminalId });
  await createClient(trx, { id: typeidUnboxed('cli'), role: 'tenant_admin', name: `${tenant}, admin`, tenantId });
  await createClient(trx, { id: typeidUnboxed('cli'), role: 'ops', name: opsNameOf(tenantId) });
  return tenantId;
}

/** Reads the callback secret, or replaces it when the vault's keys have changed since. */
async function callbackSecretOf(
  trx: Knex.Transaction,
  secrets: CallbackSecrets,
  account: { id: string; callback_secret_sealed: Buffer },
): Promise<string> {
  try {
    return secrets.open(account.callback_secret_sealed, account.id);
  } catch {
    const secret = newSecret();
    await trx('merchant_accounts')
      .where({ id: account.id })
      .update({ callback_secret_sealed: secrets.seal(secret, account.id) });
    return secret;
  }
}
