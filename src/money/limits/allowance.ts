import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import type { Operation } from '../../domain/operation';

/** What a customer is about to move. */
export interface Spending {
  tenantId: string;
  customerId: string;
  operation: Operation;
  currency: string;
  amountMinor: bigint;
  /** What it is for, unique per tenant, such as the id of a transfer: counted once, however often it is asked. */
  cause: string;
}

/**
 * Counts an amount against the limits of a customer, in the transaction that moves or holds the money: rolled back with
 * it. Exact under concurrency: the customer's counter stays locked until the transaction ends. Lock it before any
 * account of the ledger. Throws `limit_exceeded`, naming the limit in message and `details`; nothing is counted then.
 */
export async function spendAllowance(trx: Knex.Transaction, spending: Spending): Promise<void> {
  const { tenantId, customerId, operation, currency, amountMinor, cause } = spending;
  const { rows } = await trx.raw('SELECT * FROM spend_allowance(?, ?, ?, ?, ?, ?)', [
    tenantId,
    customerId,
    operation,
    currency,
    String(amountMinor),
    cause,
  ]);
  const [refusal]: { exceeded: string; allowed: string; used: string }[] = rows;
  if (!refusal) return;
  const { exceeded, allowed, used } = refusal;
  const shown = (figure: string) => (exceeded.endsWith('Count') ? figure : formatAmount(BigInt(figure), currency));
  const gone = exceeded === 'perTransaction' ? '' : `, of which ${shown(used)} is used`;
  const message = `is ${shown(allowed)} for ${operation} in ${currency}${gone}`;
  throw new DomainError('limit_exceeded', `The limit ${exceeded} ${message}`, {
    details: [{ field: exceeded, message }],
  });
}

/**
 * Gives back what was spent for a cause whose operation ended without money moving, to the day and month it was counted
 * in. Safe to repeat; nothing happens for a cause that spent nothing.
 */
export async function giveBackAllowance(
  trx: Knex.Transaction,
  { tenantId, cause }: Pick<Spending, 'tenantId' | 'cause'>,
): Promise<void> {
  await trx.raw('SELECT give_back_allowance(?, ?)', [tenantId, cause]);
}
