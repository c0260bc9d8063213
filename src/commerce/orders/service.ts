import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import type { OrderStatus } from '../../domain/states/order';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { GoodsScope, Seller } from '../inventory/service';
import { linesOf, lockOrder, type OrderedLine, type OrderLineRow, type OrderRow, type WholeOrder } from './order';
import { createOrder, releaseOrder } from './steps';

export interface OrderRequest {
  id: string;
  currency: string;
  lines: OrderedLine[];
  reference?: string;
}

export interface OrderPage extends Page {
  status?: OrderStatus;
  reference?: string;
  organizationId?: string;
  /** Only those that were paid when their pieces were gone. */
  review?: boolean;
}

/** What sellers do about orders. */
export class Orders {
  /** `reservationMs`: how long a new order holds its pieces, in milliseconds. */
  constructor(
    private readonly database: Database,
    private readonly reservationMs: number,
  ) {}

  /** The same id again answers the order that is there. Throws as `createOrder` does. */
  create(seller: Seller, request: OrderRequest, by: Actor): Promise<WholeOrder> {
    return this.database.tenant(seller.tenantId, async (trx) => {
      const reservedUntil = new Date(Date.now() + this.reservationMs);
      await createOrder(trx, { ...request, ...seller, reservedUntil, createdBy: by.id });
      return findOwn(trx, seller, request.id);
    });
  }

  /** Gives its pieces back. Throws `not_found`, and `invalid_state` unless it is open and nobody is paying. */
  cancel(seller: Seller, id: string, by: Actor): Promise<WholeOrder> {
    return this.database.tenant(seller.tenantId, async (trx) => {
      const { status, organization_id } = await lockOrder(trx, id);
      if (organization_id !== seller.organizationId) throw notFound('order');
      await releaseOrder(trx, id, 'cancelled', 'The seller has cancelled the order.');
      if (status === 'open') await noteDone(trx, seller.tenantId, by, 'order.cancel', id);
      return findOwn(trx, seller, id);
    });
  }

  /** Throws `not_found`. */
  find(scope: GoodsScope, id: string): Promise<WholeOrder> {
    return this.read(scope, (connection) => findOwn(connection, scope, id));
  }

  /** One more than the page holds, newest first. */
  list(scope: GoodsScope, { status, reference, organizationId, review, ...page }: OrderPage): Promise<WholeOrder[]> {
    return this.read(scope, async (connection) => {
      const rows = paged(connection('orders'), page);
      if (scope.organizationId) rows.where({ organization_id: scope.organizationId });
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      if (reference) rows.where({ reference });
      if (review !== undefined) rows[review ? 'whereNotNull' : 'whereNull']('review_since');
      const orders: OrderRow[] = await rows;
      const lines = await linesOf(
        connection,
        orders.map(({ id }) => id),
      );
      const byOrder = new Map<string, OrderLineRow[]>(orders.map(({ id }) => [id, []]));
      for (const line of lines) byOrder.get(line.order_id)!.push(line);
      return orders.map((row) => ({ row, lines: byOrder.get(row.id)! }));
    });
  }

  /** Operators, who belong to no tenant, read as themselves. */
  private read<T>({ tenantId }: GoodsScope, work: (connection: Knex) => Promise<T>): Promise<T> {
    return tenantId ? this.database.tenant(tenantId, work) : work(this.database.ops);
  }
}

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(connection: Knex, { organizationId }: GoodsScope, id: string): Promise<WholeOrder> {
  const row: OrderRow | undefined = await connection('orders').where({ id }).first();
  if (!row || (organizationId !== undefined && row.organization_id !== organizationId)) throw notFound('order');
  return { row, lines: await linesOf(connection, [id]) };
}
