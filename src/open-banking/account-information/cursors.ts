import { refuse } from '../../domain/errors';
import { Mac } from '../../foundation/vault/keyring';

/** How long the pages of one reading may be asked for. */
export const READING_MS = 60 * 60 * 1_000;

/** A reading of a list, page by page. */
export interface Reading {
  startedAt: Date;
  /** Where a page begins, in words of the list. */
  place: readonly string[];
}

/**
 * Cursors of pages. The pages of one reading count once towards the readings that are allowed without the customer, so a
 * third party must not be able to make a cursor: each carries a keyed hash over itself and over what it is good for, and
 * ends with its reading.
 */
export class Cursors {
  private readonly mac: Mac;

  /** `hmacKey`: VAULT_HMAC_KEY. */
  constructor(hmacKey: string) {
    this.mac = new Mac(hmacKey, 'open-banking-cursor');
  }

  /** `scope`: what the cursor is good for: consent, account, resource, filters. */
  encode({ startedAt, place }: Reading, scope: readonly string[]): string {
    const text = JSON.stringify([startedAt.getTime(), ...place]);
    return Buffer.concat([this.mac.of(signedOf(text, scope)), Buffer.from(text)]).toString('base64url');
  }

  /** Throws `invalid_request` for a cursor that was not made here, is good for something else, or is too old. */
  decode(cursor: string, scope: readonly string[], at: Date): Reading {
    const bytes = Buffer.from(cursor, 'base64url');
    const [signature, text] = [bytes.subarray(0, MAC_LENGTH), bytes.subarray(MAC_LENGTH).toString()];
    if (!this.mac.matches(signature, signedOf(text, scope))) refuse('cursor', 'does not continue this list');
    const [startedMs, ...place] = JSON.parse(text) as [number, ...string[]];
    if (at.getTime() - startedMs > READING_MS) refuse('cursor', 'is too old: begin with the first page again');
    return { startedAt: new Date(startedMs), place };
  }
}

const signedOf = (text: string, scope: readonly string[]) => JSON.stringify([text, ...scope]);

/** Bytes of an HMAC-SHA256. */
const MAC_LENGTH = 32;
