import { randomBytes } from 'node:crypto';
import { Mac } from '../../foundation/vault/keyring';

/** How long a device is known after the last sign-in on it. */
export const KNOWN_MS = 90 * 86_400_000;
const ID_BYTES = 16;
/** A browser that several people use remembers so many of them. */
const MOST = 5;
const BETWEEN = '~';

/**
 * Devices on which somebody has signed in before. The device keeps a token that says so, signed and bound to the person; we
 * keep nothing. It opens nothing by itself: it only spares its holder the locks that strangers bring about.
 */
export class KnownDevices {
  private readonly mac: Mac;

  /** `hmacKey`: VAULT_HMAC_KEY. */
  constructor(hmacKey: string) {
    this.mac = new Mac(hmacKey, 'known-device');
  }

  /** What the device keeps after `ownerId` has signed in on it. `held`: what it kept until now. */
  add(held: string | undefined, ownerId: string, now = Date.now()): string {
    const others = (held ?? '').split(BETWEEN).filter((token) => token !== '' && !this.read(token, ownerId, now));
    const id = randomBytes(ID_BYTES).toString('base64url');
    const until = `${now + KNOWN_MS}`;
    const token = `${id}.${until}.${this.mac.of(signedOf(id, until, ownerId)).toString('base64url')}`;
    return [token, ...others.slice(0, MOST - 1)].join(BETWEEN);
  }

  /** The id of the device where `ownerId` has signed in on it, else undefined. */
  find(held: string | undefined, ownerId: string, now = Date.now()): string | undefined {
    for (const token of (held ?? '').split(BETWEEN, MOST)) {
      const id = this.read(token, ownerId, now);
      if (id) return id;
    }
    return undefined;
  }

  private read(token: string, ownerId: string, now: number): string | undefined {
    const [id = '', until = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0) return undefined;
    if (!this.mac.matches(Buffer.from(signature, 'base64url'), signedOf(id, until, ownerId))) return undefined;
    return Number(until) > now ? id : undefined;
  }
}

const signedOf = (id: string, until: string, ownerId: string) => JSON.stringify([id, until, ownerId]);
