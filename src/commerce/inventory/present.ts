import { formatAmount } from '../../domain/money';
import { availableOf, type WholeItem } from './item';
import type { MovementRow } from './stock';

/** An item as the API shows it. */
export function presentItem({ row, images }: WholeItem): Record<string, unknown> {
  return {
    itemId: row.id,
    organizationId: row.organization_id,
    status: row.status,
    ...(row.reason !== null && { reason: row.reason }),
    sku: row.sku,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    price: formatAmount(row.price_minor, row.currency),
    currency: row.currency,
    quantity: row.quantity,
    reserved: row.reserved,
    available: availableOf(row),
    images,
    version: row.version,
    ...(row.decided_at && { decidedBy: row.decided_by, decidedAt: row.decided_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A movement of stock as the API shows it. */
export function presentMovement(row: MovementRow): Record<string, unknown> {
  return {
    movementId: row.id,
    itemId: row.item_id,
    kind: row.kind,
    quantity: row.quantity,
    ...(row.order_id !== null && { orderId: row.order_id }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.actor !== null && { actor: row.actor }),
    createdAt: row.created_at,
  };
}
