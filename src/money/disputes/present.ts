import { formatAmount } from '../../domain/money';
import type { DisputeNotificationType } from '../../domain/notification-type';
import type { DisputeRow, DisputeStep } from './dispute';

/** The dispute as the merchant sees it. */
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

/** What a step is called towards the merchant; null for those that are between us and the processor. */
export const DISPUTE_EVENT_TYPES: Record<DisputeStep, DisputeNotificationType | null> = {
  charged_back: 'dispute.opened',
  returned: 'dispute.opened',
  evidence_submitted: 'dispute.evidence_submitted',
  second_presentment: 'dispute.second_presentment',
  won: 'dispute.won',
  lost: 'dispute.lost',
  flagged: null,
  presented: null,
  refused: null,
  not_applied: null,
};
