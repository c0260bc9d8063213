import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import { jsonOf } from '../../foundation/db/json';

/** What changes the stock of an item. */
export const MOVEMENT_KINDS = ['added', 'adjusted', 'reserved', 'released', 'sold'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** One row of `stock_movements`, which nobody changes. */
export interface MovementRow {
  id: string;
  tenant_id: string;
  item_id: string;
  kind: MovementKind;
  /** Pieces; of an adjustment with its sign. */
  quantity: number;
  order_id: string | null;
  reason: string | null;
  cause: string;
  actor: string | null;
  created_at: Date;
}

export type Movement = Pick<MovementRow, 'tenant_id' | 'item_id' | 'kind' | 'quantity' | 'cause'> &
  Partial<Pick<MovementRow, 'order_id' | 'reason' | 'actor'>>;

/** What one piece of a movement does to the two figures of an item. */
const EFFECT: Record<MovementKind, { quantity: -1 | 0 | 1; reserved: -1 | 0 | 1 }> = {
  added: { quantity: 1, reserved: 0 },
  adjusted: { quantity: 1, reserved: 0 },
  reserved: { quantity: 0, reserved: 1 },
  released: { quantity: 0, reserved: -1 },
  sold: { quantity: -1, reserved: -1 },
};

/** What a piece does to a figure, where `kind` names the column of its movement. */
export function effectInSql(kind: string, figure: 'quantity' | 'reserved'): string {
  const cases = MOVEMENT_KINDS.map((each) => `WHEN '${each}' THEN ${EFFECT[each][figure]}`);
  return `CASE ${kind} ${cases.join(' ')} END`;
}

/**
 * The only way in which stock changes: writes movements down and counts them, each once for its item and cause. The caller
 * has locked the items (`lockItems`) and seen that there is enough; the database refuses what is too much.
 */
export async function moveStock(trx: Knex.Transaction, movements: readonly Movement[]): Promise<void> {
  if (movements.length === 0) return;
  const rows = movements.map((movement) => ({ id: newId('stockMovement'), ...movement }));
  await trx.raw(
    `WITH moved AS (
       INSERT INTO stock_movements (id, tenant_id, item_id, kind, quantity, order_id, reason, cause, actor)
       SELECT id, tenant_id, item_id, kind, quantity, order_id, reason, cause, actor
       FROM jsonb_populate_recordset(NULL::stock_movements, ?::jsonb)
       ON CONFLICT (item_id, cause) DO NOTHING
       RETURNING item_id, quantity * ${effectInSql('kind', 'quantity')} AS on_hand,
         quantity * ${effectInSql('kind', 'reserved')} AS held)
     UPDATE items i SET quantity = i.quantity + m.on_hand, reserved = i.reserved + m.held, updated_at = clock_timestamp()
     FROM (SELECT item_id, sum(on_hand)::integer AS on_hand, sum(held)::integer AS held FROM moved GROUP BY item_id) m
     WHERE i.id = m.item_id`,
    [jsonOf(rows)],
  );
}
