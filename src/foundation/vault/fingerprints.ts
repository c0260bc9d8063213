import { createHmac, hkdfSync } from 'node:crypto';
import type { Knex } from 'knex';
import type { CardData } from '../../domain/connector';
import { Mac } from './keyring';
import { inBatches } from './rehash';

/** What one card number is recognized by: under the newest key, and under each other key that is configured. */
export interface CardFingerprints {
  fingerprint: Buffer;
  other_fingerprints: Buffer[];
}

/** Stands in FINGERPRINT_KEYS for the key that made fingerprints before there were keys of their own: the oldest of VAULT_HMAC_KEY. */
const FORMER_KEY = 'hmac';

/**
 * Keyed hashes of card numbers: equal for equal cards, useless without the key. Each says which key made it (length and id
 * of the key, then HMAC-SHA256), but those of the former key, which are the hash alone.
 */
export class Fingerprints {
  private readonly makers: ((number: string) => Buffer)[];

  /** `setting`: FINGERPRINT_KEYS, the newest key first. `hmacKey`: VAULT_HMAC_KEY, of which the former key was derived. */
  constructor(setting: string, hmacKey: string) {
    this.makers = setting.split(',').map((entry) => {
      const [id = '', encoded = ''] = entry.trim().split(':');
      if (id === FORMER_KEY) {
        const former = new Mac(hmacKey.split(',').at(-1)!, 'card-fingerprint');
        return (number) => former.of(number);
      }
      const key = Buffer.from(hkdfSync('sha256', Buffer.from(encoded, 'base64'), '', 'tillway/card-fingerprint', 32));
      const mark = Buffer.concat([Buffer.from([id.length]), Buffer.from(id)]);
      return (number) => Buffer.concat([mark, createHmac('sha256', key).update(number).digest()]);
    });
  }

  /** How many keys there are. */
  get keys(): number {
    return this.makers.length;
  }

  of(number: string): CardFingerprints {
    const [fingerprint, ...others] = this.makers.map((make) => make(number));
    return { fingerprint: fingerprint!, other_fingerprints: others };
  }
}

/** All that a card number is recognized by. */
export const allOf = ({ fingerprint, other_fingerprints }: CardFingerprints) => [fingerprint, ...other_fingerprints];

/** Narrows a query to rows with that card number, whichever key made their fingerprint. */
export function ofSameCard(card: CardFingerprints): (query: Knex.QueryBuilder) => void {
  return (query) => query.whereIn('fingerprint', allOf(card));
}

/**
 * Lets one at a time decide about a card number in the transaction's tenant, until the transaction ends. Processes that
 * know the same keys agree on the lock, whichever key is the newest to each.
 */
export async function lockCardNumber(trx: Knex.Transaction, card: CardFingerprints): Promise<void> {
  const [least] = allOf(card).sort(Buffer.compare);
  await trx.raw("SELECT pg_advisory_xact_lock(hashtextextended('card number ' || ?, 0))", [least!.toString('hex')]);
}

/** A card as it lies in the vault. */
interface LyingCard {
  id: string;
  key_id: string;
  wrapped_key: Buffer;
  sealed: Buffer;
}

/**
 * Brings the fingerprints of every card number that is still in the vault under the newest key, and writes down those under
 * the other keys: of the number itself, and of all else that recognizes it by one of them. Answers how many rows changed.
 * What has no number left keeps its fingerprint. Safe to cut off and repeat. Runs as the system role.
 */
export async function moveFingerprints(
  system: Knex,
  fingerprints: Fingerprints,
  open: (cardId: string, stored: LyingCard & { cvv: null }) => CardData,
): Promise<number> {
  if (fingerprints.keys === 1) return 0;
  await system('fingerprint_moves').delete();
  await inBatches(system, 'vault_cards', async (ids) => {
    const cards: LyingCard[] = await system('vault_cards')
      .whereIn('id', ids)
      .whereNull('erased_at')
      .select('id', 'key_id', 'wrapped_key', 'sealed');
    const moves = new Map<string, CardFingerprints & { former: Buffer }>();
    for (const card of cards) {
      const found = fingerprints.of(open(card.id, { ...card, cvv: null }).number);
      for (const former of allOf(found)) moves.set(former.toString('hex'), { former, ...found });
    }
    if (moves.size > 0)
      await system('fingerprint_moves')
        .insert([...moves.values()])
        .onConflict('former')
        .merge();
  });
  let moved = 0;
  const move = async (statement: string, ids: string[]) => {
    moved += (await system.raw(statement, [ids])).rowCount;
  };
  await inBatches(system, 'vault_cards', (ids) => move(MOVE_CARDS, ids));
  // One saved card at a time: two of one owner that prove to be the same card stay as they are.
  await inBatches(system, 'payment_methods', async (ids) => {
    for (const id of ids) await move(MOVE_SAVED_CARDS, [id]);
  });
  await system.raw(MOVE_LOW_VALUE_RUNS);
  await system('fingerprint_moves').delete();
  return moved;
}

const MOVE_CARDS = `
  UPDATE vault_cards c SET fingerprint = m.fingerprint, other_fingerprints = m.other_fingerprints
  FROM fingerprint_moves m WHERE m.former = c.fingerprint AND c.id = ANY(?)
    AND (c.fingerprint, c.other_fingerprints) IS DISTINCT FROM (m.fingerprint, m.other_fingerprints)`;

const MOVE_SAVED_CARDS = `
  UPDATE payment_methods c SET fingerprint = m.fingerprint
  FROM fingerprint_moves m WHERE m.former = c.fingerprint AND m.fingerprint <> c.fingerprint AND c.id = ANY(?)
    AND c.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM payment_methods twin WHERE twin.fingerprint = m.fingerprint AND twin.deleted_at IS NULL
        AND twin.customer_id IS NOT DISTINCT FROM c.customer_id
        AND (c.customer_id IS NOT NULL OR twin.organization_id = c.organization_id))`;

const MOVE_LOW_VALUE_RUNS = `
  WITH gone AS (
    DELETE FROM low_value_runs r USING fingerprint_moves m
    WHERE m.former = r.fingerprint AND m.fingerprint <> r.fingerprint
    RETURNING r.tenant_id, m.fingerprint, r.uses, r.sum_minor, r.began_at
  )
  INSERT INTO low_value_runs AS r (tenant_id, fingerprint, uses, sum_minor, began_at)
  SELECT tenant_id, fingerprint, sum(uses), sum(sum_minor), min(began_at) FROM gone GROUP BY 1, 2
  ON CONFLICT (tenant_id, fingerprint) DO UPDATE
    SET uses = r.uses + excluded.uses, sum_minor = r.sum_minor + excluded.sum_minor,
      began_at = least(r.began_at, excluded.began_at)`;
