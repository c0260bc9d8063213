import type { PaymentLinkRow } from './payment-link';

/** A payment link as the API shows it. */
export function presentPaymentLink(row: PaymentLinkRow): Record<string, unknown> {
  return {
    paymentLinkId: row.id,
    status: row.status,
    ...(row.note !== null && { note: row.note }),
    expiresAt: row.expires_at,
    ...(row.approved_at && { approvedBy: row.approved_by, approvedAt: row.approved_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
