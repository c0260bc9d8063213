import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { CardData } from '../providers/connector';
import { Keyring, Mac, openWith, sealWith } from './keyring';

/** A card as it is stored: everything but the sealed part may be shown. */
export interface StoredCard {
  cardId: string;
  fingerprint: Buffer;
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
  private readonly cvvTtlMs: number;

  constructor(options: VaultKeys) {
    this.wrapping = new Keyring(options.keys, 'card-key-encryption');
    this.cvvKeys = new Keyring(options.keys, 'cvv');
    this.fingerprints = new Mac(options.hmacKey, 'card-fingerprint');
    this.cvvTtlMs = options.cvvTtlMs;
  }

  /** Keyed hash of the whole card number: equal for equal cards, useless without the key. */
  fingerprint(number: string): Buffer {
    return this.fingerprints.of(number);
  }

  /** Stores a card inside the caller's transaction. The CVV, if any, is kept for `cvvTtlMs` at most. */
  async store(trx: Knex.Transaction, tenantId: string, cardId: string, card: CardData): Promise<StoredCard> {
    const dataKey = randomBytes(32);
    const { cvv, ...lasting } = card;
    const fingerprint = this.fingerprint(card.number);
    await trx('vault_cards').insert({
      id: cardId,
      tenant_id: tenantId,
      fingerprint,
      key_id: this.wrapping.currentId,
      wrapped_key: sealWith(this.wrapping.keyOf(this.wrapping.currentId), dataKey, cardId),
      sealed: sealWith(dataKey, Buffer.from(JSON.stringify(lasting)), cardId),
    });
    if (cvv !== undefined)
      await trx('vault_cvvs').insert({
        card_id: cardId,
        tenant_id: tenantId,
        sealed: this.cvvKeys.seal(Buffer.from(cvv), cardId),
        expires_at: new Date(Date.now() + this.cvvTtlMs),
      });
    return { cardId, fingerprint };
  }

  /** The card in clear, for a provider call. The CVV is there until `eraseCvv` or its time is up. */
  async open(trx: Knex.Transaction, cardId: string): Promise<CardData> {
    const row = await trx('vault_cards as c')
      .leftJoin('vault_cvvs as v', (join) => join.on('v.card_id', 'c.id').andOn('v.expires_at', '>', trx.raw('now()')))
      .where('c.id', cardId)
      .first('c.key_id', 'c.wrapped_key', 'c.sealed', 'v.sealed as cvv');
    if (!row) throw new Error(`no card ${cardId} in the vault`);
    const dataKey = openWith(this.wrapping.keyOf(row.key_id), row.wrapped_key, cardId);
    const card = JSON.parse(openWith(dataKey, row.sealed, cardId).toString()) as CardData;
    return row.cvv ? { ...card, cvv: this.cvvKeys.open(row.cvv, cardId).toString() } : card;
  }

  /** Forgets the CVV: after a definite answer, or when the payment is abandoned. */
  async eraseCvv(trx: Knex, cardId: string): Promise<void> {
    await trx('vault_cvvs').where({ card_id: cardId }).delete();
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
