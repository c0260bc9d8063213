import { formatAmount } from '../../domain/money';
import type { DisputeEventRow, DisputeOperationRow, DisputeRow } from '../../money/disputes/dispute';
import { presentDispute } from '../../money/disputes/present';
import type { EvidenceRow } from '../../money/disputes/service';

/** One dispute with its evidence. */
export function presentWhole(
  dispute: DisputeRow,
  { evidence, pending }: { evidence: EvidenceRow[]; pending?: DisputeOperationRow },
): Record<string, unknown> {
  return {
    ...presentDispute(dispute),
    pendingOperation: pending?.kind,
    evidence: evidence.map((row) => ({
      evidenceId: row.id,
      status: row.status,
      detail: row.detail,
      documents: row.documents,
      createdAt: row.created_at,
    })),
  };
}

export function presentDisputeEvent(event: DisputeEventRow, currency: string): Record<string, unknown> {
  return {
    step: event.step,
    from: event.from_status ?? undefined,
    to: event.to_status,
    amount: formatAmount(event.moved_minor, currency),
    currency,
    cause: event.cause,
    detail: event.detail,
    at: event.at,
  };
}
