import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { CardData } from '../../domain/connector';
import { Keyring, Mac, openWith, sealWith } from './keyring';
import { reseal } from './reseal';

/** A card at rest: a row of `vault_cards`, and one of `vault_cvvs` while there is a CVV. */
export interface SealedCard {
  fingerprint: Buffer;
  key_id: string;
  wrapped_key: Buffer;
  sealed: Buffer;
  cvv: Buffer | null;
  cvv_expires_at: Date;
}

export interface VaultKeys {
  /** `VAULT_KEYS` */
  keys: string;
  /** `VAULT_HMAC_KEY` */
  hmacKey: string;
  /** How long a CVV may wait for the one authorization it is for, in milliseconds. */
  cvvTtlMs: number;
}

/**
 * The only code that turns card data into bytes at rest and back. Each record has a data key of its own, wrapped by
 * a key-encryption key that can be rotated (`rewrap`). The CVV is sealed under a separate key, in an unlogged table.
 */
export class Vault {
  private readonly wrapping: Keyring;
  private readonly cvvKeys: Keyring;
  private readonly fingerprints: Mac;
  private readonly ibanKeys: Keyring;
  private readonly cvvTtlMs: number;

  constructor(options: VaultKeys) {
    this.wrapping = new Keyring(options.keys, 'card-key-encryption');
    this.cvvKeys = new Keyring(options.keys, 'cvv');
    this.ibanKeys = new Keyring(options.keys, 'iban');
    this.fingerprints = new Mac(options.hmacKey, 'card-fingerprint');
    this.cvvTtlMs = options.cvvTtlMs;
  }

  /** Keyed hash of the whole card number: equal for equal cards, useless without the key. */
  fingerprint(number: string): Buffer {
    return this.fingerprints.of(number);
  }

  /** A card in the form in which it is stored. The CVV, if any, is good for `cvvTtlMs` at most. */
  seal(cardId: string, card: CardData): SealedCard {
    const dataKey = randomBytes(32);
    const { cvv, ...lasting } = card;
    return {
      fingerprint: this.fingerprint(card.number),
      key_id: this.wrapping.currentId,
      wrapped_key: sealWith(this.wrapping.keyOf(this.wrapping.currentId), dataKey, cardId),
      sealed: sealWith(dataKey, Buffer.from(JSON.stringify(lasting)), cardId),
      cvv: cvv === undefined ? null : this.cvvKeys.seal(Buffer.from(cvv), cardId),
      cvv_expires_at: new Date(Date.now() + this.cvvTtlMs),
    };
  }

  /** The card in clear, for a processor call. The CVV is there until it was erased or its time was up. */
  open(cardId: string, stored: Pick<SealedCard, 'key_id' | 'wrapped_key' | 'sealed' | 'cvv'>): CardData {
    const dataKey = openWith(this.wrapping.keyOf(stored.key_id), stored.wrapped_key, cardId);
    const card = JSON.parse(openWith(dataKey, stored.sealed, cardId).toString()) as CardData;
    return stored.cvv ? { ...card, cvv: this.cvvKeys.open(stored.cvv, cardId).toString() } : card;
  }

  /** An account number in the form in which it is stored: a debtor's with its mandate, a seller's with its payout account. */
  sealIban(ownerId: string, iban: string): Buffer {
    return this.ibanKeys.seal(Buffer.from(iban), ownerId);
  }

  openIban(ownerId: string, sealed: Buffer): string {
    return this.ibanKeys.open(sealed, ownerId).toString();
  }

  /** Seals up to `limit` account numbers of each table anew under the current key; answers how many. Runs as the system role. */
  async resealIbans(system: Knex, limit?: number): Promise<number> {
    const column = 'iban_sealed';
    let resealed = 0;
    for (const table of ['mandates', 'payout_accounts', 'bank_statement_lines', 'bank_returns'])
      resealed += await reseal(system, this.ibanKeys, { table, column }, limit);
    return resealed;
  }

  /** Removes CVVs whose time is up; answers how many. Runs as the system role. */
  async eraseExpiredCvvs(system: Knex): Promise<number> {
    return system('vault_cvvs').where('expires_at', '<=', system.fn.now()).delete();
  }

  /** Re-wraps up to `limit` data keys under the current key-encryption key; answers how many. Runs as the system role. */
  async rewrap(system: Knex, limit = 500): Promise<number> {
    return system.transaction(async (trx) => {
      const rows = await trx('vault_cards')
        .whereNot('key_id', this.wrapping.currentId)
        .whereNull('erased_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', 'key_id', 'wrapped_key');
      for (const row of rows) {
        const dataKey = openWith(this.wrapping.keyOf(row.key_id), row.wrapped_key, row.id);
        await trx('vault_cards')
          .where({ id: row.id })
          .update({
            key_id: this.wrapping.currentId,
            wrapped_key: sealWith(this.wrapping.keyOf(this.wrapping.currentId), dataKey, row.id),
          });
      }
      return rows.length;
    });
  }
}

/** Removes all that is readable of these cards. The rows stay for what was paid with them. */
export async function eraseCards(trx: Knex.Transaction, cardIds: readonly string[]): Promise<void> {
  const nothing = Buffer.alloc(0);
  await trx('vault_cvvs').whereIn('card_id', cardIds).delete();
  await trx('vault_cards')
    .whereIn('id', cardIds)
    .whereNull('erased_at')
    .update({ sealed: nothing, wrapped_key: nothing, fingerprint: nothing, erased_at: trx.fn.now() });
}
