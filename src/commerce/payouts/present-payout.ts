import { formatAmount } from '../../domain/money';
import type { PayoutRow } from './payout';

/** A payout as the API shows it. */
export function presentPayout(row: PayoutRow): Record<string, unknown> {
  return {
    payoutId: row.id,
    organizationId: row.organization_id,
    number: row.number,
    origin: row.origin,
    status: row.status,
    detail: row.status_detail,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    sendAt: row.send_at,
    ...(row.sent_at && { sentAt: row.sent_at }),
    ...(row.processor_reference && { processorReference: row.processor_reference }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
