import { formatAmount } from '../../domain/money';
import type { OrderLineRow, WholeOrder } from './order';

/** An order as the API shows it. */
export function presentOrder({ row, lines }: WholeOrder): Record<string, unknown> {
  return {
    orderId: row.id,
    organizationId: row.organization_id,
    status: row.status,
    currency: row.currency,
    total: formatAmount(row.total_minor, row.currency),
    lines: lines.map((line) => presentLine(line, row.currency)),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.status === 'open' && { reservedUntil: row.reserved_until }),
    ...(row.link_id !== null && { linkId: row.link_id }),
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
    ...(row.review_since && { review: { reason: row.review_reason, since: row.review_since } }),
    ...(row.closed_at && { closedAt: row.closed_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function presentLine(line: OrderLineRow, currency: string): Record<string, unknown> {
  return {
    ...(line.item_id !== null && { itemId: line.item_id, sku: line.sku }),
    description: line.description,
    amount: formatAmount(line.unit_minor, currency),
    quantity: line.quantity,
    total: formatAmount(line.unit_minor * BigInt(line.quantity), currency),
  };
}
