import type { Knex } from 'knex';
import { type CardFingerprints, lockCardNumber, ofSameCard } from '../../foundation/vault/fingerprints';
import { LOW_VALUE_USES, LOW_VALUES_MINOR, type ThreeDS } from './policy';

/** An exemption for a low value, which holds only as often as the card may be let off. */
export interface LowValue {
  /** The fingerprints of the card, as the vault makes them. */
  card: CardFingerprints;
  /** What is asked of 3-D Secure where the card is not let off. */
  otherwise: ThreeDS;
}

/**
 * Lets a card off once more, unless it was often enough, or for enough money, since it was last authenticated (RTS, article 16,
 * letters b and c, both). `amountMinor` in euro cents. In the transaction that accepts the payment, and before it writes the
 * payment: a repeat finds the payment there, and its count goes with its transaction. Exact under concurrency: the card
 * stays locked until the transaction ends.
 */
export async function useLowValue(
  trx: Knex.Transaction,
  { tenantId, amountMinor }: { tenantId: string; amountMinor: bigint },
  { card }: LowValue,
): Promise<boolean> {
  await lockCardNumber(trx, card);
  const run: { fingerprint: Buffer; uses: number; sum_minor: string } | undefined = await trx('low_value_runs')
    .where(ofSameCard(card))
    .forUpdate()
    .first('fingerprint', 'uses', 'sum_minor');
  if (!run) {
    await trx('low_value_runs').insert({
      ...{ tenant_id: tenantId, fingerprint: card.fingerprint },
      ...{ uses: 1, sum_minor: String(amountMinor) },
    });
    return true;
  }
  const sum = BigInt(run.sum_minor) + amountMinor;
  if (run.uses >= LOW_VALUE_USES || sum > LOW_VALUES_MINOR) return false;
  await trx('low_value_runs')
    .where({ fingerprint: run.fingerprint })
    .update({ uses: run.uses + 1, sum_minor: String(sum) });
  return true;
}

/** What the count of a payment depends on. */
interface Counted {
  tenant_id: string;
  card_id: string | null;
  amount_minor: bigint;
  created_at: Date;
  request: { authentication?: { exemption?: string } };
}

/**
 * Gives back what a payment counted, if it did, and was never charged without authentication. Nothing where the card's run has
 * ended since: the next one, which began later, has not counted it.
 */
export async function giveBackLowValue(trx: Knex.Transaction, payment: Counted): Promise<void> {
  const { tenant_id, card_id, amount_minor: amountMinor, created_at, request } = payment;
  if (request.authentication?.exemption !== 'low_value' || !card_id) return;
  const run = trx('low_value_runs')
    .where({ tenant_id })
    .andWhere(ofSameCard(await cardOf(trx, card_id)))
    .andWhere('began_at', '<=', created_at);
  const ended = await run.clone().where({ uses: 1 }).delete();
  if (ended === 0)
    await run.update({ uses: trx.raw('uses - 1'), sum_minor: trx.raw('sum_minor - ?', [String(amountMinor)]) });
}

/** The holder of a card has authenticated: what was let off before does not count any more. */
export async function endLowValueRun(trx: Knex.Transaction, cardId: string): Promise<void> {
  await trx('low_value_runs')
    .where(ofSameCard(await cardOf(trx, cardId)))
    .delete();
}

async function cardOf(trx: Knex.Transaction, cardId: string): Promise<CardFingerprints> {
  return trx('vault_cards').where({ id: cardId }).first('fingerprint', 'other_fingerprints');
}
