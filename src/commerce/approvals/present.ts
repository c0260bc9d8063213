import { formatAmount } from '../../domain/money';
import { approvalIdOf, type WaitingRow } from './approval';

/** Something that waits for a decision, as the API shows it. */
export function presentApproval(row: WaitingRow): Record<string, unknown> {
  return {
    approvalId: approvalIdOf(row),
    kind: row.kind,
    subjectId: row.subject_id,
    title: row.title,
    ...(row.amount_minor !== null && { amount: formatAmount(row.amount_minor, row.currency!), currency: row.currency }),
    ...(row.organization_id && { organizationId: row.organization_id }),
    ...(row.customer_id && { customerId: row.customer_id }),
    ...(row.requested_by && { requestedBy: row.requested_by }),
    waitingSince: row.waiting_since,
    ...(row.due_at && { dueAt: row.due_at }),
    needs: row.needs,
    approvedBy: row.approved_by,
  };
}
