import type { Knex } from 'knex';
import { LOW_VALUE_USES, LOW_VALUES_MINOR, type ThreeDS } from './policy';

/** An exemption for a low value, which holds only as often as the card may be let off. */
export interface LowValue {
  /** Of the card, as the vault makes it. */
  fingerprint: Buffer;
  /** What is asked of 3-D Secure where the card is not let off. */
  otherwise: ThreeDS;
}

/**
 * Lets a card off once more, unless it was often enough, or for enough money, since it was last authenticated (RTS, article 16,
 * letters b and c, both). `amountMinor` in euro cents. In the transaction that accepts the payment, and before it writes the
 * payment: a repeat finds the payment there, and its count goes with its transaction. Exact under concurrency: the card's
 * run is one row, locked until the transaction ends.
 */
export async function useLowValue(
  trx: Knex.Transaction,
  { tenantId, amountMinor }: { tenantId: string; amountMinor: bigint },
  { fingerprint }: LowValue,
): Promise<boolean> {
  const { rows } = await trx.raw(
    `INSERT INTO low_value_runs AS r (tenant_id, fingerprint, uses, sum_minor) VALUES (?, ?, 1, ?)
     ON CONFLICT (tenant_id, fingerprint) DO UPDATE SET uses = r.uses + 1, sum_minor = r.sum_minor + excluded.sum_minor
     WHERE r.uses < ? AND r.sum_minor + excluded.sum_minor <= ? RETURNING uses`,
    [tenantId, fingerprint, String(amountMinor), LOW_VALUE_USES, String(LOW_VALUES_MINOR)],
  );
  return rows.length > 0;
}

/**
 * Gives back what a payment counted that was never charged without authentication. Nothing where the card's run has ended
 * since: the next one, which began later, has not counted it.
 */
export async function giveBackLowValue(
  trx: Knex.Transaction,
  { cardId, amountMinor, acceptedAt }: { cardId: string; amountMinor: bigint; acceptedAt: Date },
): Promise<void> {
  const run = trx('low_value_runs')
    .whereIn('fingerprint', trx('vault_cards').where({ id: cardId }).select('fingerprint'))
    .andWhere('began_at', '<=', acceptedAt);
  const ended = await run.clone().where({ uses: 1 }).delete();
  if (ended === 0)
    await run.update({ uses: trx.raw('uses - 1'), sum_minor: trx.raw('sum_minor - ?', [String(amountMinor)]) });
}

/** The holder of a card has authenticated: what was let off before does not count any more. */
export async function endLowValueRun(trx: Knex.Transaction, cardId: string): Promise<void> {
  await trx('low_value_runs')
    .whereIn('fingerprint', trx('vault_cards').where({ id: cardId }).select('fingerprint'))
    .delete();
}
