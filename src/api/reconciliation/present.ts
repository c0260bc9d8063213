import { formatAmount } from '../../domain/money';
import type { DifferenceRow } from '../../money/reconciliation/differences';
import type { RunRow } from '../../money/reconciliation/runs';

export function presentRun(run: RunRow): Record<string, unknown> {
  return {
    runId: run.id,
    processor: run.processor,
    status: run.status,
    startedBy: run.started_by,
    graceMs: Number(run.grace_ms),
    counts: run.counts ?? undefined,
    startedAt: run.started_at,
    finishedAt: run.finished_at ?? undefined,
  };
}

export function presentDifference(row: DifferenceRow): Record<string, unknown> {
  const amount = (minor: bigint | null) => (minor === null ? undefined : formatAmount(minor, row.currency));
  return {
    differenceId: row.id,
    tenantId: row.tenant_id ?? undefined,
    processor: row.processor,
    kind: row.kind,
    line: {
      kind: row.line_kind,
      lineId: row.line_id ?? undefined,
      batchId: row.batch_id ?? undefined,
      reference: row.reference,
      paymentReference: row.payment_reference,
    },
    movement: row.movement ?? undefined,
    currency: row.currency,
    reported: amount(row.reported_minor),
    expected: amount(row.expected_minor),
    status: row.status,
    resolution: row.resolution ?? undefined,
    reason: row.reason ?? undefined,
    resolvedBy: row.resolved_by ?? undefined,
    foundAt: row.found_at,
    closedAt: row.closed_at ?? undefined,
  };
}
