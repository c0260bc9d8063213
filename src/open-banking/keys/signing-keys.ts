import { createHash, createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Knex } from 'knex';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';

const makeKeyPair = promisify(generateKeyPair);
const MODULUS_BITS = 3072;
/** How long a new key is public before it signs: whoever keeps our key set has read it anew by then. */
const LEAD_MS = 86_400_000;
/** How long a process goes on with the keys that it has read. */
const READ_EVERY_MS = 60_000;

/** A public key as RFC 7517 writes it. */
export interface PublicSigningJwk {
  kty: string;
  n: string;
  e: string;
  kid: string;
  use: 'sig';
  alg: 'PS256';
}

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

interface KeyRow {
  kid: string;
  public_jwk: PublicSigningJwk;
  private_sealed: Buffer;
  created_at: Date;
}

/**
 * The keys that the bank signs with: id tokens and answers, by PS256. Their private parts are sealed by the vault's
 * keyring. A new key is public for a day before it signs. Older ones stay public, so that what they have signed can still be
 * verified.
 */
export class SigningKeys {
  private readonly keys: Keyring;
  private loaded: { rows: Promise<KeyRow[]>; at: number } | undefined;
  private readonly opened = new Map<string, KeyObject>();

  /** `vaultKeys`: VAULT_KEYS; `readEveryMs`: how old what was read may be. */
  constructor(
    private readonly database: Pick<Database, 'system'>,
    vaultKeys: Keys,
    private readonly readEveryMs = READ_EVERY_MS,
  ) {
    this.keys = new Keyring(vaultKeys, 'open-banking');
  }

  /** The key to sign with. It is made at the first use. */
  async current(now = Date.now()): Promise<SigningKey> {
    return (await this.all(now))[0]!;
  }

  /** All keys with their private parts: first the one that signs, then the others, newest first. */
  async all(now = Date.now()): Promise<SigningKey[]> {
    const rows = await this.rows();
    const signer = signerOf(rows, now);
    return [signer, ...rows.filter((row) => row !== signer)].map((row) => ({
      kid: row.kid,
      privateKey: this.open(row),
    }));
  }

  /** Makes the next key. One that does not sign yet is answered as it is, so it is safe to repeat. `signsFrom`: in a day. */
  async rotate(now = Date.now()): Promise<{ kid: string; signsFrom: Date }> {
    await this.rows();
    const made = await this.make();
    const next = await this.database.system.transaction(async (trx) => {
      await lockKeys(trx);
      const rows = await this.read(trx);
      const waiting = rows.find((row) => row !== rows.at(-1) && !isDue(row, now));
      if (waiting) return waiting;
      const [row] = await trx('open_banking_keys')
        .insert({ ...made, public_jwk: JSON.stringify(made.public_jwk) })
        .returning('*');
      return row as KeyRow;
    });
    this.loaded = undefined;
    return { kid: next.kid, signsFrom: new Date(next.created_at.getTime() + LEAD_MS) };
  }

  /** The key set for those who verify: RFC 7517, section 5. */
  async public(): Promise<{ keys: PublicSigningJwk[] }> {
    return { keys: (await this.rows()).map(({ public_jwk }) => public_jwk) };
  }

  /** Brings keys under the current key of the keyring. Answers how many. */
  reseal(): Promise<number> {
    return reseal(this.database.system, this.keys, {
      table: 'open_banking_keys',
      column: 'private_sealed',
      key: ['kid'],
      contextOf: ({ kid }) => kid!,
    });
  }

  private rows(): Promise<KeyRow[]> {
    const earlier = this.loaded;
    if (earlier && Date.now() - earlier.at < this.readEveryMs) return earlier.rows;
    const rows = this.load().catch((error: Error) => {
      // With the database away, those of before are still good.
      if (earlier) return earlier.rows;
      this.loaded = undefined;
      throw error;
    });
    this.loaded = { rows, at: Date.now() };
    return rows;
  }

  private async load(): Promise<KeyRow[]> {
    const known = await this.read();
    if (known.length > 0) return known;
    const made = await this.make();
    const { system } = this.database;
    // Several processes start at once: exactly one key is the first.
    await system.transaction(async (trx) => {
      await lockKeys(trx);
      if (await trx('open_banking_keys').first('kid')) return;
      await trx('open_banking_keys').insert({ ...made, public_jwk: JSON.stringify(made.public_jwk) });
    });
    return this.read();
  }

  private read(system: Knex = this.database.system): Promise<KeyRow[]> {
    return system('open_banking_keys')
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'kid', order: 'desc' },
      ])
      .select();
  }

  private async make(): Promise<Omit<KeyRow, 'created_at'>> {
    const { publicKey, privateKey } = await makeKeyPair('rsa', { modulusLength: MODULUS_BITS });
    const { kty, n, e } = publicKey.export({ format: 'jwk' }) as { kty: string; n: string; e: string };
    // RFC 7638: the thumbprint of the key itself.
    const kid = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
    const sealed = this.keys.seal(privateKey.export({ type: 'pkcs8', format: 'der' }), kid);
    return { kid, public_jwk: { kty, n, e, kid, use: 'sig', alg: 'PS256' }, private_sealed: sealed };
  }

  private open({ kid, private_sealed }: KeyRow): KeyObject {
    const known = this.opened.get(kid);
    if (known) return known;
    const key = createPrivateKey({ key: this.keys.open(private_sealed, kid), format: 'der', type: 'pkcs8' });
    this.opened.set(kid, key);
    return key;
  }
}

/** The newest key whose day has come; the oldest where none has. `rows`: newest first. */
function signerOf(rows: readonly KeyRow[], now: number): KeyRow {
  return rows.find((row) => isDue(row, now)) ?? rows.at(-1)!;
}

function isDue({ created_at }: KeyRow, now: number): boolean {
  return created_at.getTime() + LEAD_MS <= now;
}

async function lockKeys(trx: Knex.Transaction): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(hashtext('open_banking_keys'))");
}
