import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Role } from './principal';

/** A program that signs in with client credentials (RFC 6749 section 2). */
export interface Client {
  id: string;
  role: Role;
  name: string;
  secretHash: Buffer;
  /** Hashes of secrets that were replaced a short while ago and still work. */
  retiredHashes: Buffer[];
  tenantId?: string;
  organizationId?: string;
  /** Set for the pair of terminal id and terminal password: good for that merchant account alone. */
  terminalId?: string;
}

export interface NewClient {
  id: string;
  role: Role;
  name: string;
  tenantId?: string;
  organizationId?: string;
  terminalId?: string;
  /** User or client. */
  createdBy?: string;
}

const SECRET_BYTES = 32;

/** A secret nobody can guess, so that a single SHA-256 of it is enough to store. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares in constant time. */
export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

/** Whether it is the client's secret, or one that is still good; the same work for each. False where there is no client. */
export function isSecretOf(client: Client | undefined, secret: string): boolean {
  const hashes = [client?.secretHash ?? Buffer.alloc(32), ...(client?.retiredHashes ?? [])];
  return hashes.filter((hash) => secretMatches(secret, hash)).length > 0 && client !== undefined;
}

/** Creates a client and returns its secret, which cannot be read again. `system`: a knex or transaction in the system role. */
export async function createClient(system: Knex, client: NewClient, secret = newSecret()): Promise<string> {
  await system('clients').insert({
    id: client.id,
    role: client.role,
    name: client.name,
    secret_hash: hashSecret(secret),
    tenant_id: client.tenantId ?? null,
    organization_id: client.organizationId ?? null,
    terminal_id: client.terminalId ?? null,
    created_by: client.createdBy ?? null,
  });
  return secret;
}

/**
 * Gives a client a new secret and returns it. The old one works for `overlapMs` more, without it stops at once, and any
 * before it with it. Tokens already issued live on.
 */
export async function rotateSecret(
  system: Knex.Transaction,
  clientId: string,
  { overlapMs = 0, secret = newSecret() }: { overlapMs?: number; secret?: string } = {},
): Promise<string> {
  const client = await system('clients').where({ id: clientId }).forUpdate().first('secret_hash');
  if (!client) throw new Error('no such client');
  await system('clients')
    .where({ id: clientId })
    .update({ secret_hash: hashSecret(secret) });
  await retire(system, clientId, { secret_hash: client.secret_hash }, overlapMs);
  return secret;
}

/** Keeps a secret that was replaced for `overlapMs`; for no time at all, every earlier one goes with it. */
export async function retire(
  system: Knex.Transaction,
  ownerId: string,
  secret: { secret_hash: Buffer } | { secret_sealed: Buffer },
  overlapMs: number,
): Promise<void> {
  if (overlapMs === 0) await endOverlap(system, ownerId);
  else
    await system('retired_secrets').insert({
      owner_id: ownerId,
      ...secret,
      valid_until: system.raw("clock_timestamp() + ? * interval '1 millisecond'", [overlapMs]),
    });
}

/**
 * From now on only the current secret of this client or merchant account is good, and no token from before: whoever had an old
 * secret may have one. Answers how many other secrets were good.
 */
export async function endOverlap(system: Knex.Transaction, ownerId: string): Promise<number> {
  // As the index oidc_payloads_client has it, word for word.
  const tokens = system('oidc_payloads').whereRaw("model = 'ClientCredentials'");
  await tokens.whereRaw("payload->>'clientId' = ?", [ownerId]).delete();
  return system('retired_secrets').where({ owner_id: ownerId }).delete();
}

/** Undefined for an unknown or disabled client. */
export async function findClient(system: Knex, clientId: string): Promise<Client | undefined> {
  const retired = system('retired_secrets')
    .where('owner_id', clientId)
    .where('valid_until', '>', system.raw('clock_timestamp()'))
    .select('secret_hash');
  const row = await system('clients')
    .where({ id: clientId })
    .whereNull('disabled_at')
    .first('clients.*', system.raw('ARRAY(?) AS retired_hashes', [retired]));
  return (
    row && {
      id: row.id,
      role: row.role,
      name: row.name,
      secretHash: row.secret_hash,
      retiredHashes: row.retired_hashes,
      tenantId: row.tenant_id ?? undefined,
      organizationId: row.organization_id ?? undefined,
      terminalId: row.terminal_id ?? undefined,
    }
  );
}

/** Ends a client: no new tokens from now on, issued ones refused within the API's cache time. */
export async function disableClient(system: Knex, clientId: string): Promise<void> {
  await system('clients').where({ id: clientId }).whereNull('disabled_at').update({ disabled_at: system.fn.now() });
}
