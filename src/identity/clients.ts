import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Role } from '../api/context';

/** A program that signs in with client credentials (RFC 6749 section 2). */
export interface Client {
  id: string;
  role: Role;
  name: string;
  secretHash: Buffer;
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
  });
  return secret;
}

/** Gives a client a new secret and returns it; the old one stops working at once. Tokens already issued live on. */
export async function rotateSecret(system: Knex, clientId: string, secret = newSecret()): Promise<string> {
  const changed = await system('clients')
    .where({ id: clientId })
    .update({ secret_hash: hashSecret(secret) });
  if (changed !== 1) throw new Error('no such client');
  return secret;
}

/** Undefined for an unknown or disabled client. */
export async function findClient(system: Knex, clientId: string): Promise<Client | undefined> {
  const row = await system('clients').where({ id: clientId }).whereNull('disabled_at').first();
  return (
    row && {
      id: row.id,
      role: row.role,
      name: row.name,
      secretHash: row.secret_hash,
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
