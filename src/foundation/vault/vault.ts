import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { CardData } from '../../domain/connector';
import type { Keys } from '../config/key-source';
import { type CardFingerprints, Fingerprints, moveFingerprints } from './fingerprints';
import { Keyring, openWith, sealWith } from './keyring';
import { reseal } from './reseal';

/** A card at rest: a row of `vault_cards`, and one of `vault_cvvs` while there is a CVV. */
export interface SealedCard extends CardFingerprints {
  key_id: string;
  wrapped_key: Buffer;
  sealed: Buffer;
  cvv: Buffer | null;
  cvv_expires_at: Date;
}

/** What of a row is opened. */
export type StoredCard = Pick<SealedCard, 'key_id' | 'wrapped_key' | 'sealed' | 'cvv'>;

export interface VaultKeys {
  /** `VAULT_KEYS` */
  keys: Keys;
  /** `VAULT_HMAC_KEY` */
  hmacKey: string;
  /** `FINGERPRINT_KEYS`. Default: the key that they were derived from before, of `VAULT_HMAC_KEY`. */
  fingerprintKeys?: string;
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
  private readonly fingerprints: Fingerprints;
  private readonly ibanKeys: Keyring;
  private readonly cvvTtlMs: number;

  constructor(options: VaultKeys) {
    this.wrapping = new Keyring(options.keys, 'card-key-encryption');
    this.cvvKeys = new Keyring(options.keys, 'cvv');
    this.ibanKeys = new Keyring(options.keys, 'iban');
    this.fingerprints = new Fingerprints(options.fingerprintKeys ?? 'hmac', options.hmacKey);
    this.cvvTtlMs = options.cvvTtlMs;
  }

  /** Keyed hashes of the whole card number: equal for equal cards, useless without the key. */
  fingerprintsOf(number: string): CardFingerprints {
    return this.fingerprints.of(number);
  }

  /** A card in the form in which it is stored. The CVV, if any, is good for `cvvTtlMs` at most. */
  seal(cardId: string, card: CardData): SealedCard {
    const dataKey = randomBytes(32);
    const { cvv, ...lasting } = card;
    return {
      ...this.fingerprintsOf(card.number),
      ...this.wrap(cardId, dataKey),
      sealed: sealWith(dataKey, Buffer.from(JSON.stringify(lasting)), cardId),
      cvv: cvv === undefined ? null : this.cvvKeys.seal(Buffer.from(cvv), cardId),
      cvv_expires_at: new Date(Date.now() + this.cvvTtlMs),
    };
  }

  private wrap(cardId: string, dataKey: Buffer): Pick<SealedCard, 'key_id' | 'wrapped_key'> {
    const key_id = this.wrapping.currentId;
    return { key_id, wrapped_key: sealWith(this.wrapping.keyOf(key_id), dataKey, cardId) };
  }

  /** The card in clear, for a processor call. The CVV is there until it was erased or its time was up. */
  open(cardId: string, stored: StoredCard): CardData {
    const dataKey = openWith(this.wrapping.keyOf(stored.key_id), stored.wrapped_key, cardId);
    const card = JSON.parse(openWith(dataKey, stored.sealed, cardId).toString()) as CardData;
    return stored.cvv ? { ...card, cvv: this.cvvKeys.open(stored.cvv, cardId).toString() } : card;
  }

  /** The same, undefined once the card was erased. */
  openIfKept(cardId: string, stored: StoredCard): CardData | undefined {
    return stored.sealed.length > 0 ? this.open(cardId, stored) : undefined;
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

  /**
   * Erases cards that nothing needs any more, and those whose authorization has not ended within `ttlMs`; marks those that
   * are kept, so that the next sweep does not look at them. Answers how many were erased. Runs as the system role.
   */
  async sweepCards(system: Knex, ttlMs: number): Promise<number> {
    let erased = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const swept = await sweepBatch(system, ttlMs, after);
      erased += swept.erased;
      after = swept.last;
    }
    return erased;
  }

  /** Brings fingerprints under the newest key, as far as numbers are in the vault; answers how many. Runs as the system role. */
  async moveFingerprints(system: Knex): Promise<number> {
    return moveFingerprints(system, this.fingerprints, (id, stored) => this.open(id, stored));
  }

  /** Re-wraps up to `limit` data keys under the current key-encryption key; answers how many. Runs as the system role. */
  async rewrap(system: Knex, limit = 500): Promise<number> {
    const { idLength, prefix } = this.wrapping.settled;
    return system.transaction(async (trx) => {
      const rows = await trx('vault_cards')
        .whereRaw('NOT (length(key_id) = ? AND starts_with(key_id, ?))', [idLength, prefix])
        .whereNull('erased_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', 'key_id', 'wrapped_key');
      for (const row of rows) {
        const dataKey = openWith(this.wrapping.keyOf(row.key_id), row.wrapped_key, row.id);
        await trx('vault_cards').where({ id: row.id }).update(this.wrap(row.id, dataKey));
      }
      return rows.length;
    });
  }
}

const SWEEP_BATCH = 500;

/** Sweeps the next cards in the order of their ids. `last`: where the batch after it begins; undefined after the last one. */
async function sweepBatch(system: Knex, ttlMs: number, after: string): Promise<{ erased: number; last?: string }> {
  const since = new Date(Date.now() - ttlMs);
  return system.transaction(async (trx) => {
    const ids: string[] = await trx('vault_cards')
      .whereNull('erased_at')
      .where({ kept: false })
      .where('id', '>', after)
      .whereRaw('(vault_card_kept(id) OR NOT vault_card_awaited(id, ?))', [since])
      .orderBy('id')
      .limit(SWEEP_BATCH)
      .forUpdate()
      .skipLocked()
      .pluck('id');
    // In statements of their own: they see what others have written down until the cards were locked.
    await trx('vault_cards').whereIn('id', ids).whereRaw('vault_card_kept(id)').update({ kept: true });
    const erased = await trx('vault_cards')
      .whereIn('id', ids)
      .where({ kept: false })
      .whereRaw('NOT vault_card_awaited(id, ?)', [since])
      .update({ ...NOTHING, erased_at: trx.fn.now() });
    return { erased, last: ids.length === SWEEP_BATCH ? ids.at(-1) : undefined };
  });
}

const NOTHING = { sealed: Buffer.alloc(0), wrapped_key: Buffer.alloc(0) };

/** Erases a card that was let go, unless something else needs it. In a transaction of its tenant. */
export async function forgetCard(trx: Knex.Transaction, cardId: string): Promise<void> {
  await trx.raw('SELECT vault_forget_card(?)', [cardId]);
}

/** Keeps a card from being erased until the transaction ends. False where it is gone. */
export async function holdCard(trx: Knex.Transaction, cardId: string): Promise<boolean> {
  const held = await trx('vault_cards').where({ id: cardId }).whereNull('erased_at').forKeyShare().first('id');
  return held !== undefined;
}

/** Removes all that is readable of these cards, fingerprints too. The rows stay for what was paid with them. */
export async function eraseCards(trx: Knex.Transaction, cardIds: readonly string[]): Promise<void> {
  await trx('vault_cvvs').whereIn('card_id', cardIds).delete();
  await trx('vault_cards')
    .whereIn('id', cardIds)
    .update({
      ...NOTHING,
      fingerprint: Buffer.alloc(0),
      other_fingerprints: [],
      erased_at: trx.raw('coalesce(erased_at, now())'),
    });
}
