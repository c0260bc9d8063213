import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomFillSync, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { KeySource, Keys } from '../config/key-source';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const LOOKS_EVERY_MS = 500;

/** Random bytes for the next nonces and keys: one call for many costs what one for each does. */
const randomness = Buffer.alloc(8_192);
let taken = randomness.length;

/** Random bytes that nobody gets again. */
function nextRandom(target: Buffer): Buffer {
  if (taken + target.length > randomness.length) {
    randomFillSync(randomness);
    taken = 0;
  }
  randomness.copy(target, 0, taken, taken + target.length);
  // Whoever reads the memory later finds no key here.
  randomness.fill(0, taken, taken + target.length);
  taken += target.length;
  return target;
}

/** A new key for AES-256. */
export function freshKey(): Buffer {
  return nextRandom(Buffer.alloc(KEY_BYTES));
}

/** AES-256-GCM with a random 96-bit nonce: nonce | ciphertext | tag. `context` is authenticated with it. */
export function sealWith(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = nextRandom(Buffer.allocUnsafe(NONCE_BYTES));
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The inverse of sealWith. Throws when key, context or bytes differ. */
export function openWith(key: Buffer, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
}

/** Keys of a setting. The first one seals, all of them open: put a new key in front to rotate. */
export class SettingKeys implements KeySource {
  private readonly keys = new Map<string, Buffer>();
  readonly currentId: string;

  /** `setting`: comma-separated `id:base64 of 32 bytes`. */
  constructor(setting: string) {
    for (const entry of setting.split(',')) {
      const [id, encoded] = entry.trim().split(':');
      const key = Buffer.from(encoded ?? '', 'base64');
      if (!id || id.length > 32 || key.length !== 32) throw new RangeError('keys are written id:base64 of 32 bytes');
      this.keys.set(id, key);
    }
    this.currentId = [...this.keys.keys()][0]!;
  }

  get settled() {
    return { idLength: this.currentId.length, prefix: this.currentId };
  }

  has(id: string): boolean {
    return this.keys.has(id);
  }

  key(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new Error(`no key named ${id}`);
    return key;
  }
}

/** Seals and opens for one purpose. Who holds the keys, a setting or a key service, makes no difference. */
export class Keyring {
  private readonly source: KeySource;
  private readonly derived = new WeakMap<Buffer, Buffer>();

  /** `purpose` derives separate keys for separate uses (HKDF). */
  constructor(
    keys: Keys,
    private readonly purpose: string,
  ) {
    this.source = typeof keys === 'string' ? new SettingKeys(keys) : keys;
  }

  get currentId(): string {
    return this.source.currentId;
  }

  /** Resolves once there is a key that seals: at once, unless a key service is away. */
  async untilThere(): Promise<void> {
    for (;;) {
      try {
        this.keyOf(this.currentId);
        return;
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
        await pause(LOOKS_EVERY_MS);
      }
    }
  }

  /** Under which keys nothing needs to be sealed anew. */
  get settled(): KeySource['settled'] {
    return this.source.settled;
  }

  keyOf(id: string): Buffer {
    const root = this.source.key(id);
    const known = this.derived.get(root);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', root, '', `tillway/${this.purpose}`, 32));
    this.derived.set(root, key);
    return key;
  }

  /** What everything begins with that need not be sealed anew: length of the key's id, and what it begins with. */
  get settledMark(): Buffer {
    const { idLength, prefix } = this.settled;
    return Buffer.concat([Buffer.from([idLength]), Buffer.from(prefix)]);
  }

  /** Seals with the current key; length and id of the key travel in front of the bytes. */
  seal(plaintext: Buffer, context: string): Buffer {
    const id = this.currentId;
    const mark = Buffer.concat([Buffer.from([id.length]), Buffer.from(id)]);
    return Buffer.concat([mark, sealWith(this.keyOf(id), plaintext, context)]);
  }

  open(sealed: Buffer, context: string): Buffer {
    return openWith(this.requireKeyOf(sealed), sealed.subarray(1 + sealed[0]!), context);
  }

  /** The key that these bytes say they were sealed with. Throws when it is not there. */
  requireKeyOf(sealed: Buffer): Buffer {
    return this.keyOf(sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString());
  }
}

/**
 * HMAC-SHA256 under keys derived for one purpose: for finding and comparing what must not be stored. The first key makes, and
 * what any of them made is recognized: put a new key in front to rotate.
 */
export class Mac {
  private readonly keys: Buffer[];

  /** `setting`: VAULT_HMAC_KEY, comma separated, the newest key first. */
  constructor(setting: string, purpose: string) {
    this.keys = setting
      .split(',')
      .map((key) => Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', `tillway/${purpose}`, 32)));
  }

  /** Under the newest key: what is to be stored. */
  of(...parts: (string | Buffer)[]): Buffer {
    return hmac(this.keys[0]!, parts);
  }

  /** Under each key, the newest first: what may have been stored. */
  all(...parts: (string | Buffer)[]): Buffer[] {
    return this.keys.map((key) => hmac(key, parts));
  }

  /** Whether one of the keys made `given` of this. Takes as long whichever it was. */
  matches(given: Buffer, ...parts: (string | Buffer)[]): boolean {
    return includesMac(this.all(...parts), given);
  }
}

function hmac(key: Buffer, parts: (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  // As text, and from it: a buffer of Node's own making costs as much as the hash.
  return Buffer.from(mac.digest('binary'), 'latin1');
}

/** Whether `given` is among them. Takes as long whichever it is. */
export function includesMac(macs: readonly Buffer[], given: Buffer): boolean {
  return macs.filter((mac) => mac.length === given.length && timingSafeEqual(mac, given)).length > 0;
}

/**
 * Lets one at a time decide about a value in a transaction, until it ends. Processes that know the same keys agree on the
 * lock, whichever key is the newest to each. Needed only while there are two keys: with one, a unique index is enough.
 */
export async function lockValue(trx: Knex.Transaction, macs: readonly Buffer[]): Promise<void> {
  if (macs.length === 1) return;
  const [least] = [...macs].sort(Buffer.compare);
  await trx.raw("SELECT pg_advisory_xact_lock(hashtextextended('mac ' || ?, 0))", [least!.toString('hex')]);
}
