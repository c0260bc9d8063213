import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { newId } from '../../domain/ids';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import { createClient, newSecret, rotateSecret, secretMatches } from '../../people/identity/clients';

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** What a first user of a sandbox tenant needs to know; the only place where its secrets can be read. */
export interface SeededTenant {
  tenantId: string;
  organizationId: string;
  clients: { merchant: ClientCredentials; tenantAdmin: ClientCredentials };
  terminalId: string;
  terminalPassword: string;
  callbackSecret: string;
}

/** The first tenant, the other one, and beside the clients of the first the operator of both. */
export type SeededSandbox = SeededTenant & { clients: { ops: ClientCredentials }; other: SeededTenant };

/** What an earlier start has written. */
export type EarlierSandbox = Partial<SeededTenant> & {
  clients?: Partial<SeededSandbox['clients']>;
  other?: Partial<SeededTenant>;
};

/** A tenant by the label that it is found by at the next start, and what it and its merchant are called. */
export interface Seed {
  label: string;
  tenant: string;
  organization: string;
}

const FIRST: Seed = { label: 'first', tenant: 'Sandbox', organization: 'Corner Shop' };
const OTHER: Seed = { label: 'other', tenant: 'Other sandbox', organization: 'Other Shop' };

/** The client of the operator. An operator is of no tenant: its name is how the next start finds it. */
const OPERATOR = 'Operator of the sandbox';

/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_223;

/**
 * Makes the two sandbox tenants and the client of their operator, or finds them. Secrets that `earlier` still knows stay; one that nobody knows any more
 * is replaced, because only its hash is in the database. `system`: a knex in the system role.
 */
export async function seedSandbox(
  system: Knex,
  secrets: CallbackSecrets,
  earlier: EarlierSandbox = {},
): Promise<SeededSandbox> {
  return system.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
    const first = await seedTenant(trx, secrets, FIRST, earlier);
    const other = await seedTenant(trx, secrets, OTHER, earlier.other);
    const ops = await seedOperator(trx, OPERATOR, earlier.clients?.ops?.clientSecret);
    return { ...first, clients: { ...first.clients, ops }, other };
  });
}

/** Makes the client of an operator, or finds it by its name. A secret that is `known` stays. */
export async function seedOperator(trx: Knex.Transaction, name: string, known?: string): Promise<ClientCredentials> {
  const client = await trx('clients').where({ role: 'ops', name }).orderBy('id').first();
  if (client) return credentialsOf(trx, client, known);
  const clientId = typeidUnboxed('cli');
  return { clientId, clientSecret: await createClient(trx, { id: clientId, role: 'ops', name }) };
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
  const clients: ClientRow[] = await trx('clients').where({ tenant_id: tenantId }).orderBy('id');
  const one = (wanted: (client: ClientRow) => boolean, known?: string) =>
    credentialsOf(trx, clients.find(wanted)!, known);
  const terminal = await one((client) => client.terminal_id === account.terminal_id, earlier.terminalPassword);
  return {
    tenantId,
    organizationId: organization.id,
    clients: {
      merchant: await one(
        (client) => client.role === 'merchant' && client.organization_id === organization.id && !client.terminal_id,
        earlier.clients?.merchant.clientSecret,
      ),
      tenantAdmin: await one((client) => client.role === 'tenant_admin', earlier.clients?.tenantAdmin.clientSecret),
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

async function credentialsOf(
  trx: Knex.Transaction,
  { id, secret_hash }: Pick<ClientRow, 'id' | 'secret_hash'>,
  known?: string,
): Promise<ClientCredentials> {
  const stays = known !== undefined && secretMatches(known, secret_hash);
  return { clientId: id, clientSecret: stays ? known : await rotateSecret(trx, id) };
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
