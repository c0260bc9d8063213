import type { Knex } from 'knex';
import { jsonOf } from '../db/json';

/** Who does something, as the audit log names it. */
export interface Actor {
  /** Client or user. */
  id: string;
  /** Address the request came from. */
  source: string;
  requestId: string;
}

/** One line of the audit log: who did what to what, from where, and how it ended. */
export interface AuditLine {
  /** Absent or null: a line that belongs to no tenant. */
  tenantId?: string | null;
  /** Client, user or operator. */
  actor: string;
  /** `<subject>.<verb>`: `fees.set`, `customer.read`. */
  action: string;
  /** Id of what it was done to. */
  target?: string | null;
  /** Address the request came from. */
  source?: string | null;
  result: string;
  /** What else is worth knowing. Never a secret, a token or a card number. */
  detail?: Record<string, unknown>;
}

/**
 * Appends a line to the audit log, which nobody can change afterwards. Inside the transaction of the act it tells of,
 * so that there is no act without its line. Answers the time of the line.
 */
export async function appendAuditLine(connection: Knex, line: AuditLine): Promise<Date> {
  const { tenantId = null, target = null, source = null, detail = {}, actor, action, result } = line;
  const [row] = await connection('audit_log')
    .insert({ tenant_id: tenantId, actor, action, target, source, result, detail: jsonOf(detail) })
    .returning('at');
  return row.at;
}

/** Writes down what somebody has done, with the request that it came by. What operators do to each other has no tenant. */
export async function noteDone(
  connection: Knex,
  tenantId: string | null,
  actor: Actor,
  action: string,
  target: string | null,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await appendAuditLine(connection, {
    tenantId,
    actor: actor.id,
    action,
    target,
    source: actor.source,
    result: 'done',
    detail: { ...detail, requestId: actor.requestId },
  });
}
