import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { ItemStatus } from '../../domain/states/item';

/** One row of `items`. The price is of one piece, in minor units of `currency`. */
export interface ItemRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  sku: string;
  name: string;
  description: string | null;
  currency: string;
  price_minor: bigint;
  /** Pieces on hand. */
  quantity: number;
  /** How many of them open orders hold. */
  reserved: number;
  status: ItemStatus;
  /** Goes up with every change of what buyers see. */
  version: number;
  /** Since when it waits, or had waited, for a decision. */
  waiting_since: Date;
  /** Why it was rejected. */
  reason: string | null;
  decided_by: string | null;
  decided_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** An item with its pictures, by the ids of their files. */
export interface WholeItem {
  row: ItemRow;
  images: string[];
}

/** More pieces than this of one item are a mistake; the database refuses them too. */
export const MAX_PIECES = 1_000_000_000;

/** Pieces that nobody has ordered yet. */
export function availableOf({ quantity, reserved }: Pick<ItemRow, 'quantity' | 'reserved'>): number {
  return quantity - reserved;
}

/** The item, locked until the transaction ends. Throws `not_found`. */
export async function lockItem(trx: Knex.Transaction, id: string): Promise<ItemRow> {
  return found(await trx('items').where({ id }).forUpdate().first(), 'item');
}

/** Those that are there, by id, locked in the order of their ids: two orders of the same items wait, and both go on. */
export async function lockItems(trx: Knex.Transaction, ids: readonly string[]): Promise<Map<string, ItemRow>> {
  const rows: ItemRow[] = await trx('items').whereIn('id', ids).orderBy('id').forUpdate();
  return new Map(rows.map((row) => [row.id, row]));
}
