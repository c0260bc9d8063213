import { createHash, createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';

const makeKeyPair = promisify(generateKeyPair);
const MODULUS_BITS = 3072;

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
 * keyring. The newest key signs. Older ones stay public, so that what they have signed can still be verified.
 */
export class SigningKeys {
  private readonly keys: Keyring;
  private loaded: Promise<KeyRow[]> | undefined;
  private readonly opened = new Map<string, KeyObject>();

  /** `vaultKeys`: VAULT_KEYS. */
  constructor(
    private readonly database: Pick<Database, 'system'>,
    vaultKeys: Keys,
  ) {
    this.keys = new Keyring(vaultKeys, 'open-banking');
  }

  /** The key to sign with. It is made at the first use. */
  async current(): Promise<SigningKey> {
    const [newest] = await this.rows();
    return { kid: newest!.kid, privateKey: this.open(newest!) };
  }

  /** All keys with their private parts, newest first. */
  async all(): Promise<SigningKey[]> {
    return (await this.rows()).map((row) => ({ kid: row.kid, privateKey: this.open(row) }));
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
    this.loaded ??= this.load().catch((error: Error) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  private async load(): Promise<KeyRow[]> {
    const known = await this.read();
    if (known.length > 0) return known;
    const made = await this.make();
    const { system } = this.database;
    // Several processes start at once: exactly one key is the first.
    await system.transaction(async (trx) => {
      await trx.raw("SELECT pg_advisory_xact_lock(hashtext('open_banking_keys'))");
      if (await trx('open_banking_keys').first('kid')) return;
      await trx('open_banking_keys').insert({ ...made, public_jwk: JSON.stringify(made.public_jwk) });
    });
    return this.read();
  }

  private read(): Promise<KeyRow[]> {
    return this.database
      .system('open_banking_keys')
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
