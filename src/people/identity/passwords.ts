import { randomUUID } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Knex } from 'knex';
import { forgiveTries, takeTry } from './tries';

/** The library's own algorithm is Argon2id (RFC 9106); OWASP's parameters: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 200;

/** The hash of a password that nobody has. It is compared when there is no other, so that both take the same time. */
let nobodys: Promise<string> | undefined;

/** The PHC string to store. Runs on another thread, about 20 ms of one core. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), OPTIONS);
}

/** One Argon2id computation whatever `stored` is: undefined (nobody there) takes as long and is false. */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  nobodys ??= hash(randomUUID(), OPTIONS);
  const matches = await verify(stored ?? (await nobodys), password.normalize('NFC'));
  return matches && stored !== undefined;
}

/** A stored password: a row with `failures`, `locked_until` and the hash. */
export interface StoredPassword {
  table: string;
  row: Record<string, unknown>;
  /** Column of the PHC string, text or bytea. */
  column?: string;
}

/**
 * Whether the password is right; ten wrong tries lock it for 30 minutes, also against the right one. The same statements
 * and the same one hash whether `stored` is somebody's, locked, or undefined (nobody). `database` must not be a
 * transaction that could be rolled back: the try would be free.
 */
export async function checkPassword(
  database: Knex,
  stored: StoredPassword | undefined,
  password: string,
): Promise<boolean> {
  const { table, row, column = 'hash' } = stored ?? NO_PASSWORD;
  const found = await database(table).where(row).first(column);
  const admitted = await takeTry(database, table, row);
  const matches = await passwordMatches(found?.[column]?.toString(), password);
  if (!matches || !admitted) return false;
  await forgiveTries(database, table, row);
  return true;
}

const NO_PASSWORD: StoredPassword = { table: 'customer_secrets', row: { customer_id: '', kind: 'password' } };
