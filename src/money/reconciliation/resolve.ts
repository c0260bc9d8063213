import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import { EXISTING } from '../../people/identity/tenants';
import type { Ledger } from '../ledger/ledger';
import { becauseOf } from '../payments/timeline-causes';
import { adjustmentFor } from './adjustment';
import type { DifferenceRow, Resolution } from './differences';
import { settle } from './matching';
import { MATCHING_LOCK } from './movements';

export interface ResolutionOrder {
  differenceId: string;
  resolution: Resolution;
  reason: string;
  /** The tenant whose books take the difference, where the line names no payment that we know. */
  tenantId?: string;
  operator: string;
  source: string;
}

/**
 * Closes a difference and books its adjustment in one transaction, once. Runs as the system role. Throws `not_found`,
 * `invalid_state` (409: it is closed) and `invalid_request` (400: no tenant, or another than the difference's).
 */
export async function resolveDifference(system: Knex, ledger: Ledger, order: ResolutionOrder): Promise<DifferenceRow> {
  const { differenceId, resolution, reason, operator } = order;
  return system.transaction(async (trx) => {
    const known = await trx('reconciliation_differences').where({ id: differenceId }).first('processor');
    if (!known) throw notFound('difference');
    await trx.raw(MATCHING_LOCK, [known.processor]);
    const difference: DifferenceRow = await trx('reconciliation_differences')
      .where({ id: differenceId })
      .forUpdate()
      .first();
    if (difference.status !== 'open')
      throw new DomainError('invalid_state', `the difference is ${difference.status.replace('_', ' ')}`);
    const tenantId = await tenantOf(trx, difference, order.tenantId);
    await ledger.book(trx, tenantId, difference.currency, adjustmentFor(difference, resolution, tenantId));
    await settleLine(trx, ledger, difference, tenantId);
    const [row]: DifferenceRow[] = await trx('reconciliation_differences')
      .where({ id: differenceId })
      .update({
        tenant_id: tenantId,
        status: 'resolved',
        resolution,
        reason,
        resolved_by: operator,
        closed_at: trx.raw('clock_timestamp()'),
      })
      .returning('*');
    await appendAuditLine(trx, {
      tenantId: tenantId,
      actor: operator,
      action: 'reconciliation.resolve',
      target: differenceId,
      source: order.source,
      result: 'done',
      detail: { kind: difference.kind, resolution, reason },
    });
    return row!;
  });
}

async function tenantOf(trx: Knex.Transaction, difference: DifferenceRow, named: string | undefined): Promise<string> {
  const refuse = (message: string) =>
    new DomainError('invalid_request', `tenantId ${message}`, { details: [{ field: 'tenantId', message }] });
  if (difference.tenant_id !== null) {
    if (named !== undefined && named !== difference.tenant_id) throw refuse('is not the tenant of this difference');
    return difference.tenant_id;
  }
  if (named === undefined) throw refuse('is required, since the line names nothing of ours');
  if (!(await trx('tenants').where({ id: named }).whereIn('status', EXISTING).first('id'))) throw refuse('is unknown');
  return named;
}

/** The line has had its effect now; a movement that it stood for, if with another amount, is settled by it. */
async function settleLine(
  trx: Knex.Transaction,
  ledger: Ledger,
  difference: DifferenceRow,
  tenantId: string,
): Promise<void> {
  const { kind, processor, line_id, movement } = difference;
  if (kind !== 'missing_here' && kind !== 'different_amount') return;
  const taken = kind === 'different_amount' ? movement : null;
  await trx('settlement_lines')
    .where({ processor, line_id })
    .update({ outcome: 'adjusted', tenant_id: tenantId, movement: taken, booked_at: trx.fn.now() });
  if (taken) await settle(trx, ledger, becauseOf.settlement(processor), [taken]);
}
