import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a random 96-bit nonce: nonce | ciphertext | tag. `context` is authenticated with it. */
export function sealWith(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
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

/** Keys by id. The first one seals, all of them open: put a new key in front to rotate. */
export class Keyring {
  private readonly keys = new Map<string, Buffer>();
  readonly currentId: string;

  /** `setting`: comma-separated `id:base64 of 32 bytes`. `purpose` derives separate keys for separate uses (HKDF). */
  constructor(setting: string, purpose: string) {
    for (const entry of setting.split(',')) {
      const [id, encoded] = entry.trim().split(':');
      const key = Buffer.from(encoded ?? '', 'base64');
      if (!id || id.length > 32 || key.length !== 32) throw new RangeError('keys are written id:base64 of 32 bytes');
      this.keys.set(id, Buffer.from(hkdfSync('sha256', key, '', `tillway/${purpose}`, 32)));
    }
    this.currentId = [...this.keys.keys()][0]!;
  }

  keyOf(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new Error(`no key named ${id}`);
    return key;
  }

  /** What everything sealed with the current key begins with: length and id of the key. */
  get currentMark(): Buffer {
    const id = Buffer.from(this.currentId);
    return Buffer.concat([Buffer.from([id.length]), id]);
  }

  /** Seals with the current key; the key's id travels in front of the bytes. */
  seal(plaintext: Buffer, context: string): Buffer {
    return Buffer.concat([this.currentMark, sealWith(this.keyOf(this.currentId), plaintext, context)]);
  }

  open(sealed: Buffer, context: string): Buffer {
    return openWith(this.requireKeyOf(sealed), sealed.subarray(1 + sealed[0]!), context);
  }

  /** The key that these bytes say they were sealed with. Throws when it is not there. */
  requireKeyOf(sealed: Buffer): Buffer {
    return this.keyOf(sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString());
  }
}

/** HMAC-SHA256 under a key derived for one purpose: for fingerprints and for comparing what must not be stored. */
export class Mac {
  private readonly key: Buffer;

  constructor(setting: string, purpose: string) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(setting, 'base64'), '', `tillway/${purpose}`, 32));
  }

  of(...parts: (string | Buffer)[]): Buffer {
    const mac = createHmac('sha256', this.key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  }
}
