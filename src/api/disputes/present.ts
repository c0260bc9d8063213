import type { DisputeEventRow, DisputeOperationRow, DisputeRow } from '../../disputes/dispute';
import type { EvidenceRow } from '../../disputes/service';
import { formatAmount } from '../../domain/money';

export function presentDispute(dispute: DisputeRow): Record<string, unknown> {
  return {
    disputeId: dispute.id,
    paymentId: dispute.payment_id,
    processor: dispute.processor,
    caseId: dispute.case_id,
    kind: dispute.kind,
    amount: formatAmount(dispute.amount_minor, dispute.currency),
    currency: dispute.currency,
    reason: dispute.reason ?? undefined,
    status: dispute.status,
    detail: dispute.status_detail,
    secondPresentment: dispute.second_presentment_at ? 'accepted' : dispute.presented_at ? 'submitted' : 'none',
    evidenceDueAt: dispute.evidence_due_at ?? undefined,
    createdAt: dispute.created_at,
    updatedAt: dispute.updated_at,
    closedAt: dispute.closed_at ?? undefined,
  };
}

/** One dispute with what was submitted about it. */
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
