import type { Knex } from 'knex';
import { DomainError, type FieldError } from '../../domain/errors';
import { MAX_MINOR } from '../../domain/money';
import type { OrderNotificationType } from '../../domain/notification-type';
import { canOrderBecome, type OrderStatus } from '../../domain/states/order';
import { endedWithoutMoney, type PaymentStatus } from '../../domain/states/payment';
import { tell } from '../../foundation/outbox/outbox';
import { availableOf, type ItemRow, lockItems } from '../inventory/item';
import { type Movement, type MovementKind, moveStock } from '../inventory/stock';
import { linesOf, lockOrder, type OrderedLine, type OrderLineRow, type OrderRow } from './order';
import { presentOrder } from './present';

/**
 * What becomes of an order and of the stock that it holds, each in the caller's transaction and safe to repeat. They lock
 * the order, then its items in the order of their ids; no payment.
 */

export interface NewOrder {
  id: string;
  tenantId: string;
  organizationId: string;
  currency: string;
  lines: readonly OrderedLine[];
  reference?: string;
  /** Until then the pieces are held, and longer while somebody is paying. */
  reservedUntil: Date;
  linkId?: string | null;
  createdBy: string;
}

/**
 * Writes an order down and reserves its pieces, all or none. A repeat of its id answers the order that is there. Throws
 * `invalid_request` (an item of somebody else, another currency, too large a total), `item_not_approved` and
 * `out_of_stock`; `details` names every such line.
 */
export async function createOrder(trx: Knex.Transaction, order: NewOrder): Promise<OrderRow> {
  const known: OrderRow | undefined = await trx('orders').where({ id: order.id }).first();
  if (known) return known;
  const items = await lockItems(trx, itemIdsOf(order.lines));
  checkLines(order, items);
  const lines = order.lines.map((line, index) => lineRow(order, line, index + 1, items));
  const total = lines.reduce((sum, line) => sum + line.unit_minor * BigInt(line.quantity), 0n);
  if (total > MAX_MINOR) throw refusal('invalid_request', [{ field: 'lines', message: 'come to too large a total' }]);
  const [row]: OrderRow[] = await trx('orders')
    .insert({
      id: order.id,
      tenant_id: order.tenantId,
      organization_id: order.organizationId,
      status: 'open' satisfies OrderStatus,
      currency: order.currency,
      total_minor: total,
      reference: order.reference ?? null,
      link_id: order.linkId ?? null,
      reserved_until: order.reservedUntil,
      look_at: order.reservedUntil,
      created_by: order.createdBy,
    })
    .returning('*');
  await trx('order_lines').insert(lines);
  await moveStock(trx, movementsOf(row!, piecesIn(lines), 'reserved'));
  return row!;
}

/** Holds the pieces longer: never shorter, and only while the order is open. */
export async function extendReservation(trx: Knex.Transaction, orderId: string, until: Date): Promise<void> {
  // It may still be looked at when its time would have been up: nothing is due then, and it is looked at again.
  await trx('orders')
    .where({ id: orderId, status: 'open' })
    .where('reserved_until', '<', until)
    .update({ reserved_until: until, updated_at: trx.raw('clock_timestamp()') });
}

/**
 * Ends an open order that nobody pays, and gives its pieces back; `cause` says why, in words. Throws `not_found` and
 * `invalid_state` (paid, ended in another way, or somebody is paying).
 */
export async function releaseOrder(
  trx: Knex.Transaction,
  orderId: string,
  to: 'expired' | 'cancelled',
  cause: string,
): Promise<OrderRow> {
  const order = await lockOrder(trx, orderId);
  if (order.status === to) return order;
  requireMove(order, to);
  if ((await paymentsOf(trx, orderId)).some(({ status }) => !endedWithoutMoney(status)))
    throw new DomainError('invalid_state', 'A payment of this order is under way, or has the money');
  const pieces = await piecesOf(trx, orderId);
  await lockItems(trx, [...pieces.keys()]);
  await moveStock(trx, movementsOf(order, pieces, 'released', { reason: cause }));
  return close(trx, order, to);
}

/**
 * A payment has taken the money: the pieces are sold. An order that expired in between takes its pieces again. Throws
 * `not_found`, `out_of_stock` where they are gone, and `invalid_state` (cancelled, or paid by another payment).
 */
export async function markOrderPaid(trx: Knex.Transaction, orderId: string, paymentId: string): Promise<OrderRow> {
  const order = await lockOrder(trx, orderId);
  if (order.status === 'paid' && order.payment_id === paymentId) return order;
  requireMove(order, 'paid');
  const pieces = await piecesOf(trx, orderId);
  const items = await lockItems(trx, [...pieces.keys()]);
  const movements = movementsOf(order, pieces, 'sold');
  if (order.status === 'expired') {
    for (const [itemId, quantity] of pieces)
      if (availableOf(items.get(itemId)!) < quantity)
        throw new DomainError('out_of_stock', `The order has expired, and too little is left of ${itemId}`);
    movements.push(...movementsOf(order, pieces, 'reserved', { again: true }));
  }
  await moveStock(trx, movements);
  return close(trx, order, 'paid', { payment_id: paymentId, review_since: null, review_reason: null });
}

/** The payments that were ever begun for an order. */
export function paymentsOf(trx: Knex.Transaction, orderId: string): Promise<{ id: string; status: PaymentStatus }[]> {
  return trx('payments').where({ order_id: orderId }).orderBy('id').select('id', 'status') as Promise<
    { id: string; status: PaymentStatus }[]
  >;
}

function itemIdsOf(lines: readonly OrderedLine[]): string[] {
  return [...new Set(lines.flatMap((line) => ('itemId' in line ? [line.itemId] : [])))];
}

/** Throws where a line cannot be ordered: what makes no sense first, then what is not approved, then what is not there. */
function checkLines({ lines, organizationId, currency }: NewOrder, items: Map<string, ItemRow>): void {
  const ordered = lines.flatMap((line, index) => ('itemId' in line ? [{ ...line, at: `lines[${index}]` }] : []));
  const wrong = (code: 'invalid_request' | 'item_not_approved', why: (item?: ItemRow) => string | undefined) => {
    const details = ordered.flatMap(({ itemId, at }) => {
      const message = why(items.get(itemId));
      return message ? [{ field: `${at}.itemId`, message }] : [];
    });
    if (details.length > 0) throw refusal(code, details);
  };
  wrong('invalid_request', (item) => {
    if (item?.organization_id !== organizationId) return 'is no item of this organization';
    return item.currency === currency ? undefined : `is priced in ${item.currency}`;
  });
  wrong('item_not_approved', (item) => (item?.status === 'approved' ? undefined : 'is not approved'));
  const left = new Map([...items].map(([id, item]) => [id, availableOf(item)]));
  const lacking = ordered.flatMap(({ itemId, quantity, at }) => {
    const rest = left.get(itemId)! - quantity;
    left.set(itemId, rest);
    return rest < 0 ? [{ field: `${at}.quantity`, message: 'is more than is left' }] : [];
  });
  if (lacking.length > 0) throw refusal('out_of_stock', lacking);
}

function refusal(code: 'invalid_request' | 'item_not_approved' | 'out_of_stock', details: FieldError[]): DomainError {
  const [{ field, message }] = details as [FieldError];
  return new DomainError(code, `${field} ${message}`, { details });
}

function lineRow(order: NewOrder, line: OrderedLine, number: number, items: Map<string, ItemRow>): OrderLineRow {
  const place = { order_id: order.id, tenant_id: order.tenantId, number, quantity: line.quantity };
  if (!('itemId' in line))
    return { ...place, item_id: null, sku: null, description: line.description, unit_minor: line.unitMinor };
  const { id, sku, name, price_minor } = items.get(line.itemId)!;
  return { ...place, item_id: id, sku, description: name, unit_minor: price_minor };
}

/** Pieces by item. */
function piecesIn(lines: readonly OrderLineRow[]): Map<string, number> {
  const pieces = new Map<string, number>();
  for (const { item_id, quantity } of lines) if (item_id) pieces.set(item_id, (pieces.get(item_id) ?? 0) + quantity);
  return pieces;
}

async function piecesOf(trx: Knex.Transaction, orderId: string): Promise<Map<string, number>> {
  return piecesIn(await trx('order_lines').where({ order_id: orderId }));
}

function movementsOf(
  order: OrderRow,
  pieces: Map<string, number>,
  kind: Exclude<MovementKind, 'added' | 'adjusted'>,
  { reason, again = false }: { reason?: string; again?: boolean } = {},
): Movement[] {
  return [...pieces].map(([item_id, quantity]) => ({
    tenant_id: order.tenant_id,
    item_id,
    kind,
    quantity,
    order_id: order.id,
    reason,
    cause: `${order.id}/${kind}${again ? '-again' : ''}`,
  }));
}

/** Throws `invalid_state` where the order may not become that. */
function requireMove({ status }: OrderRow, to: OrderStatus): void {
  if (!canOrderBecome(status, to)) throw new DomainError('invalid_state', `The order is ${status}`);
}

/** What its seller is told of an order that has ended; null: nothing, the seller cancelled it. */
const TOLD: Record<Exclude<OrderStatus, 'open'>, OrderNotificationType | null> = {
  paid: 'order.paid',
  expired: 'order.expired',
  cancelled: null,
};

async function close(
  trx: Knex.Transaction,
  { id, tenant_id: tenantId, organization_id: organizationId }: OrderRow,
  status: Exclude<OrderStatus, 'open'>,
  change: Partial<Pick<OrderRow, 'payment_id' | 'review_since' | 'review_reason'>> = {},
): Promise<OrderRow> {
  const [row]: OrderRow[] = await trx('orders')
    .where({ id })
    .update({
      ...change,
      status,
      closed_at: trx.raw('clock_timestamp()'),
      look_at: null,
      updated_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  const type = TOLD[status];
  if (type) {
    const data = presentOrder({ row: row!, lines: await linesOf(trx, [id]) });
    await tell(trx, { tenantId, organizationId, subjectId: id, type, data });
  }
  return row!;
}
