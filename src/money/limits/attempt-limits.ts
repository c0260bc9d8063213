import type { Knex } from 'knex';
import { RESULT, type ResultCode } from '../../domain/result-codes';
import { type Actor, appendAuditLine, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';

/** What declined card attempts are counted for. */
export const ATTEMPT_SUBJECTS = ['customer', 'card', 'address', 'merchant'] as const;
export type AttemptSubject = (typeof ATTEMPT_SUBJECTS)[number];

/** The longest time that attempts are counted in, in seconds: 30 days. */
export const LONGEST_WINDOW_SECONDS = 2_592_000;

/** At most `declined` declined card attempts in any `windowSeconds`, for each customer, card, source address or merchant. */
export interface AttemptLimit {
  per: AttemptSubject;
  declined: number;
  windowSeconds: number;
}

/** The tenant's limits on declined card attempts; none: nothing is limited. */
export async function attemptLimitsOf(trx: Knex.Transaction): Promise<AttemptLimit[]> {
  const rows = await trx('attempt_limits').orderBy('per');
  return rows.map(({ per, declined, window_seconds }) => ({ per, declined, windowSeconds: window_seconds }));
}

/** Puts limits in place of all there were, and writes down who did. They hold for what is sent from now on. */
export async function replaceAttemptLimits(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  limits: readonly AttemptLimit[],
): Promise<void> {
  await trx('attempt_limits')
    .whereNotIn(
      'per',
      limits.map(({ per }) => per),
    )
    .delete();
  for (const { per, declined, windowSeconds } of limits)
    await trx('attempt_limits')
      .insert({ tenant_id: tenantId, per, declined, window_seconds: windowSeconds, updated_by: actor.id })
      .onConflict(['tenant_id', 'per'])
      .merge({
        declined,
        window_seconds: windowSeconds,
        updated_by: actor.id,
        updated_at: trx.raw('clock_timestamp()'),
      });
  await noteDone(trx, tenantId, actor, 'attempt_limits.replaced', tenantId, { limits });
}

/** A card attempt that is about to be sent. */
export interface CardAttempt {
  tenantId: string;
  /** Of the payment or the card verification. */
  id: string;
  customerId?: string | null;
  organizationId?: string | null;
  /** In the vault. */
  cardId: string;
  /** The payer's address, IPv4 or IPv6. */
  address?: string;
}

/**
 * Asks whether a card attempt may be sent, in the transaction that marks it as sent: from there on it counts, until it ends
 * otherwise than by a decline. Answers what the limits that stand against it are per; empty: it may be sent. Exact under
 * concurrency: what is limited stays locked until the transaction ends. Lock nothing before it
 * that others wait for.
 */
export async function admitCardAttempt(trx: Knex.Transaction, attempt: CardAttempt): Promise<AttemptSubject[]> {
  const { tenantId, id, customerId = null, organizationId = null, cardId, address = null } = attempt;
  const { rows } = await trx.raw('SELECT card_attempt_admit(?, ?, ?, ?, ?, ?) AS refused', [
    tenantId,
    id,
    customerId,
    organizationId,
    cardId,
    address,
  ] as Knex.Value[]);
  return rows[0].refused;
}

/** Forgets an attempt that has ended otherwise than by a decline. `payment_move` does it for payments. */
export async function forgetCardAttempt(trx: Knex.Transaction, attemptId: string): Promise<void> {
  await trx('card_attempts').where({ attempt_id: attemptId }).delete();
}

/** Whether an end without success is a decline, which counts: the processor or the issuer has said no. */
export function isDecline(code: ResultCode): boolean {
  return code !== RESULT.nothingCharged;
}

/** How a refused attempt ends: one answer, whichever limit it was. */
export const TOO_MANY_DECLINED = {
  resultCode: RESULT.blockedByRiskRule,
  detail: 'The payment was declined.',
} as const;

/** Tells the tenant's own people which limits an attempt was refused by; what asked for it is not told. */
export async function noteRefusedAttempt(
  trx: Knex.Transaction,
  tenantId: string,
  attemptId: string,
  refusedBy: readonly AttemptSubject[],
): Promise<void> {
  await appendAuditLine(trx, {
    tenantId,
    actor: 'rule',
    action: 'card_attempt.refused',
    target: attemptId,
    result: 'attempt_limit',
    detail: { per: refusedBy },
  });
}

/** Removes attempts that no limit can count any more. */
export async function sweepCardAttempts({ system }: Database): Promise<void> {
  await system('card_attempts')
    .where('at', '<', system.raw("now() - ? * interval '1 second'", [LONGEST_WINDOW_SECONDS]))
    .delete();
}
