import type { Knex } from 'knex';
import { DomainError, notFound, refuse } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import type { ItemDecision, ItemStatus } from '../../domain/states/item';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { tell } from '../../foundation/outbox/outbox';
import { imagesOf, setImages } from './images';
import { availableOf, type ItemRow, lockItem, MAX_PIECES, type WholeItem } from './item';
import { presentItem } from './present';
import { type MovementRow, moveStock } from './stock';

/** Whose items a request may see: all, those of a tenant, or those of one organization. */
export interface GoodsScope {
  tenantId?: string;
  organizationId?: string;
}

/** The seller who writes. */
export interface Seller {
  tenantId: string;
  organizationId: string;
}

export interface NewItem {
  id: string;
  sku: string;
  name: string;
  description?: string;
  price: Money;
  quantity: number;
  images: string[];
}

/** What is to be different; absent: as it is. `priceOf` answers the price in the currency that the item has. */
export interface ItemChange {
  sku?: string;
  name?: string;
  description?: string;
  priceOf?: (currency: string) => Money;
  quantity?: number;
  images?: string[];
}

export interface ItemDecided {
  decision: ItemDecision;
  /** Of a rejection; the seller reads it. */
  reason?: string;
  /** What was looked at: the decision is about nothing else. */
  version?: number;
}

export interface ItemPage extends Page {
  status?: ItemStatus;
  currency?: string;
  search?: string;
  organizationId?: string;
}

/** One of several decisions, as it went. */
export type Decided = { itemId: string; status: ItemStatus } | { itemId: string; error: DomainError };

/** What sellers and tenant admins do about items. */
export class Inventory {
  constructor(private readonly database: Database) {}

  /**
   * Adds an item, which waits for approval. The same id again answers the item that is there. Throws `duplicate_sku`, and
   * `invalid_request` for pictures that are not the seller's.
   */
  add(seller: Seller, item: NewItem, by: Actor): Promise<WholeItem> {
    const { tenantId, organizationId } = seller;
    return this.write(tenantId, async (trx) => {
      const [row]: ItemRow[] = await trx('items')
        .insert({
          id: item.id,
          tenant_id: tenantId,
          organization_id: organizationId,
          sku: item.sku,
          name: item.name,
          description: item.description || null,
          currency: item.price.currency,
          price_minor: item.price.amountMinor,
          status: 'pending_approval' satisfies ItemStatus,
          created_by: by.id,
        })
        .onConflict('id')
        .ignore()
        .returning('*');
      if (!row) return findOwn(trx, seller, item.id);
      await setImages(trx, row, item.images);
      const { id: item_id, tenant_id } = row;
      if (item.quantity > 0)
        await moveStock(trx, [
          { tenant_id, item_id, kind: 'added', quantity: item.quantity, cause: 'added', actor: by.id },
        ]);
      await noteDone(trx, tenantId, by, 'item.add', row.id, { sku: row.sku, quantity: item.quantity });
      return findOwn(trx, seller, row.id);
    });
  }

  /**
   * Changes an item. What buyers see of it (all but sku and quantity) has to be approved anew. Throws `not_found`,
   * `duplicate_sku`, `invalid_request`, and `out_of_stock` for a quantity below what orders hold.
   */
  change(seller: Seller, id: string, change: ItemChange, by: Actor): Promise<WholeItem> {
    return this.write(seller.tenantId, async (trx) => {
      const row = await lockOwn(trx, seller, id);
      const shown = { row, images: (await imagesOf(trx, [id])).get(id) ?? [] };
      const price = change.priceOf?.(row.currency);
      const wanted = {
        name: change.name ?? row.name,
        description: change.description === undefined ? row.description : change.description || null,
        currency: price?.currency ?? row.currency,
        price_minor: price?.amountMinor ?? row.price_minor,
      };
      const images = change.images ?? shown.images;
      if (images.join() !== shown.images.join()) await setImages(trx, row, images);
      const changed = Object.entries(wanted).flatMap(([column, value]) =>
        row[column as keyof typeof wanted] === value ? [] : [column],
      );
      if (images.join() !== shown.images.join()) changed.push('images');
      // One that waits already has waited from the first change on.
      const waitingSince = row.status === 'pending_approval' ? row.waiting_since : trx.raw('clock_timestamp()');
      if (changed.length > 0 || (change.sku !== undefined && change.sku !== row.sku)) {
        await trx('items')
          .where({ id })
          .update({
            ...wanted,
            sku: change.sku ?? row.sku,
            updated_at: trx.raw('clock_timestamp()'),
            ...(changed.length > 0 && { ...UNDECIDED, version: row.version + 1, waiting_since: waitingSince }),
          });
        await noteDone(trx, row.tenant_id, by, 'item.change', id, { changed });
      }
      const delta = (change.quantity ?? row.quantity) - row.quantity;
      // A repeat finds no difference any more.
      const adjustment = { delta, reason: 'Set by the seller', actId: newId('stockMovement') };
      if (delta !== 0) await adjustLocked(trx, row, adjustment, by);
      return findOwn(trx, seller, id);
    });
  }

  /**
   * Counts pieces in or out. A repeat with the same `actId` counts once. Throws `not_found`, `out_of_stock` (less than
   * nothing, or than orders hold) and `invalid_request` (too many).
   */
  adjust(
    seller: Seller,
    id: string,
    adjustment: { delta: number; reason: string; actId: string },
    by: Actor,
  ): Promise<WholeItem> {
    return this.write(seller.tenantId, async (trx) => {
      const row = await lockOwn(trx, seller, id);
      await adjustLocked(trx, row, adjustment, by);
      return findOwn(trx, seller, id);
    });
  }

  /** Throws `not_found`, and `invalid_state` where it is decided already, or has changed since `version`. */
  decide(scope: GoodsScope & { tenantId: string }, id: string, decided: ItemDecided, by: Actor): Promise<WholeItem> {
    const { decision, reason = null, version } = decided;
    return this.database.tenant(scope.tenantId, async (trx) => {
      const row = await lockOwn(trx, scope, id);
      if (row.status !== 'pending_approval') throw new DomainError('invalid_state', `The item is ${row.status}`);
      if (version !== undefined && version !== row.version)
        throw new DomainError('invalid_state', `The item has changed: it has version ${row.version} now`);
      await trx('items')
        .where({ id })
        .update({
          status: decision,
          reason,
          decided_by: by.id,
          decided_at: trx.raw('clock_timestamp()'),
          updated_at: trx.raw('clock_timestamp()'),
        });
      const act = decision === 'approved' ? 'item.approve' : 'item.reject';
      await noteDone(trx, row.tenant_id, by, act, id, { version: row.version, ...(reason && { reason }) });
      const decidedItem = await findOwn(trx, scope, id);
      await tell(trx, {
        tenantId: row.tenant_id,
        organizationId: row.organization_id,
        subjectId: id,
        type: `item.${decision}`,
        data: presentItem(decidedItem),
      });
      return decidedItem;
    });
  }

  /**
   * Decides about several items, each for itself: one that cannot be decided does not stop the others. One that has the
   * status already counts as done, so that a repeat after a crash answers the same.
   */
  async decideAll(
    scope: GoodsScope & { tenantId: string },
    itemIds: readonly string[],
    decided: Omit<ItemDecided, 'version'>,
    by: Actor,
  ): Promise<Decided[]> {
    const results: Decided[] = [];
    for (const itemId of itemIds) {
      try {
        const { row } = await this.decide(scope, itemId, decided, by);
        results.push({ itemId, status: row.status });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const known = error.code === 'invalid_state' ? await this.find(scope, itemId) : undefined;
        results.push(known?.row.status === decided.decision ? { itemId, status: decided.decision } : { itemId, error });
      }
    }
    return results;
  }

  /** Throws `not_found`. */
  find(scope: GoodsScope, id: string): Promise<WholeItem> {
    return this.read(scope, (connection) => findOwn(connection, scope, id));
  }

  /** One more than the page holds, newest first. `search` is looked for in sku and name. */
  list(scope: GoodsScope, { status, currency, search, organizationId, ...page }: ItemPage): Promise<WholeItem[]> {
    return this.read(scope, async (connection) => {
      const rows = paged(connection('items'), page);
      if (scope.organizationId) rows.where({ organization_id: scope.organizationId });
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      if (currency) rows.where({ currency });
      if (search) {
        const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
        rows.where((either) => either.whereILike('sku', pattern).orWhereILike('name', pattern));
      }
      const items: ItemRow[] = await rows;
      const images = await imagesOf(
        connection,
        items.map(({ id }) => id),
      );
      return items.map((row) => ({ row, images: images.get(row.id) ?? [] }));
    });
  }

  /** What changed the stock of an item: one more than the page holds, newest first. Throws `not_found`. */
  movements(scope: GoodsScope, id: string, page: Page): Promise<MovementRow[]> {
    return this.read(scope, async (connection) => {
      await findOwn(connection, scope, id);
      return paged(connection('stock_movements').where({ item_id: id }), page);
    });
  }

  /** Operators, who belong to no tenant, read as themselves. */
  private read<T>({ tenantId }: GoodsScope, work: (connection: Knex) => Promise<T>): Promise<T> {
    return tenantId ? this.database.tenant(tenantId, work) : work(this.database.ops);
  }

  private async write<T>(tenantId: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.tenant(tenantId, work);
    } catch (error) {
      if (!violates(error, 'items_sku_once')) throw error;
      throw new DomainError('duplicate_sku', 'Another item of this organization has this sku', {
        details: [{ field: 'sku', message: 'is the sku of another item' }],
      });
    }
  }
}

/** What an item has while nobody has decided about it. */
const UNDECIDED = {
  status: 'pending_approval',
  reason: null,
  decided_by: null,
  decided_at: null,
} satisfies Partial<ItemRow>;

async function adjustLocked(
  trx: Knex.Transaction,
  row: ItemRow,
  { delta, reason, actId }: { delta: number; reason: string; actId: string },
  by: Actor,
): Promise<void> {
  const cause = `adjusted/${actId}`;
  const place = { item_id: row.id, cause };
  if (await trx('stock_movements').where(place).first('id')) return;
  if (delta < 0 && -delta > availableOf(row))
    throw new DomainError('out_of_stock', 'The adjustment would take pieces that are not there, or that orders hold');
  if (row.quantity + delta > MAX_PIECES) refuse('delta', `would make more than ${MAX_PIECES} pieces`);
  const movement = { ...place, tenant_id: row.tenant_id, quantity: delta, reason, actor: by.id };
  await moveStock(trx, [{ ...movement, kind: 'adjusted' }]);
  await noteDone(trx, row.tenant_id, by, 'item.adjust', row.id, { delta, reason });
}

const isOwn = ({ organizationId }: GoodsScope, row: ItemRow) =>
  organizationId === undefined || row.organization_id === organizationId;

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(connection: Knex, scope: GoodsScope, id: string): Promise<WholeItem> {
  const row: ItemRow | undefined = await connection('items').where({ id }).first();
  if (!row || !isOwn(scope, row)) throw notFound('item');
  return { row, images: (await imagesOf(connection, [id])).get(id) ?? [] };
}

async function lockOwn(trx: Knex.Transaction, scope: GoodsScope, id: string): Promise<ItemRow> {
  const row = await lockItem(trx, id);
  if (!isOwn(scope, row)) throw notFound('item');
  return row;
}
