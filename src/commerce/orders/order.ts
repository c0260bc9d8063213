import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { OrderStatus } from '../../domain/states/order';

/** One row of `orders`. The total is in minor units of `currency`. */
export interface OrderRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  status: OrderStatus;
  currency: string;
  total_minor: bigint;
  reference: string | null;
  /** The payment link that it was made through. */
  link_id: string | null;
  reserved_until: Date;
  /** The payment that paid it. */
  payment_id: string | null;
  /** When it was paid, expired or cancelled. */
  closed_at: Date | null;
  /** When the workers look at it next. Null: not before one of its payments moves. */
  look_at: Date | null;
  /** It was paid when its pieces were gone. */
  review_reason: string | null;
  review_since: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** One row of `order_lines`. The price is of one piece, in minor units of the order's currency. */
export interface OrderLineRow {
  order_id: string;
  tenant_id: string;
  number: number;
  /** Null: something that is no item. */
  item_id: string | null;
  sku: string | null;
  description: string;
  unit_minor: bigint;
  quantity: number;
}

/** An order with its lines. */
export interface WholeOrder {
  row: OrderRow;
  lines: OrderLineRow[];
}

/** What is ordered: pieces of an item at its price of now, or something else at a price of one piece in minor units. */
export type OrderedLine =
  | { itemId: string; quantity: number }
  | { description: string; unitMinor: bigint; quantity: number };

/** The order, locked until the transaction ends. Throws `not_found`. Lock no payment after it. */
export async function lockOrder(trx: Knex.Transaction, orderId: string): Promise<OrderRow> {
  return found(await trx('orders').where({ id: orderId }).forUpdate().first(), 'order');
}

/** The lines of these orders, each order's in their sequence. */
export function linesOf(connection: Knex, orderIds: readonly string[]): Promise<OrderLineRow[]> {
  return connection('order_lines').whereIn('order_id', orderIds).orderBy(['order_id', 'number']) as Promise<
    OrderLineRow[]
  >;
}
