import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import { imagesOf, thumbnailOf } from '../inventory/images';
import { linesOf, type OrderLineRow, type OrderRow } from '../orders/order';
import { isOpen, type LinkLine, type PaymentLinkRow } from './payment-link';

/** `imageId`: the first picture of the item. */
export interface BillLine extends Pick<OrderLineRow, 'item_id' | 'description' | 'unit_minor' | 'quantity'> {
  imageId?: string;
}

/** What a buyer is to pay for. Amounts in minor units. */
export interface Bill {
  lines: BillLine[];
  /** Undefined where the buyer chooses it. */
  totalMinor?: bigint;
}

/** The bill of a link, with the pictures of its items. */
export async function readBill(database: Database, link: PaymentLinkRow): Promise<Bill> {
  const own = ownBill(link);
  if (own) return own;
  return database.tenant(link.tenant_id, async (trx) => {
    const { lines, totalMinor } = await storedBill(trx, link);
    const images = await imagesOf(trx, itemsOf(lines));
    return { lines: lines.map((line) => ({ ...line, imageId: images.get(line.item_id ?? '')?.[0] })), totalMinor };
  });
}

/** A picture of something on the bill, small, as WebP. Throws `not_found`. */
export function readPicture(database: Database, link: PaymentLinkRow, imageId: string): Promise<Buffer> {
  return database.tenant(link.tenant_id, async (trx) => {
    const { lines } = ownBill(link) ?? (await storedBill(trx, link));
    return thumbnailOf(trx, itemsOf(lines), imageId);
  });
}

/** What the link says by itself. Undefined where an order or an item has the rest. */
function ownBill(link: PaymentLinkRow): Bill | undefined {
  const { order_id, lines, title, most_minor } = link;
  if (order_id) return undefined;
  if (lines) return lines.some((line) => 'itemId' in line) ? undefined : totalled(lines.map(ownLine));
  if (isOpen(link)) return { lines: [] };
  return totalled([{ item_id: null, description: title, unit_minor: most_minor, quantity: 1 }]);
}

async function storedBill(trx: Knex.Transaction, { order_id, lines }: PaymentLinkRow): Promise<Bill> {
  if (!order_id) return totalled(await Promise.all(lines!.map((line) => shownLine(trx, line))));
  const order: OrderRow = await trx('orders').where({ id: order_id }).first();
  return { lines: await linesOf(trx, [order.id]), totalMinor: order.total_minor };
}

function totalled(lines: BillLine[]): Bill {
  const totalMinor = lines.reduce((sum, { unit_minor, quantity }) => sum + unit_minor * BigInt(quantity), 0n);
  return { lines, totalMinor };
}

const itemsOf = (lines: BillLine[]) => lines.flatMap(({ item_id }) => item_id ?? []);

async function shownLine(trx: Knex.Transaction, line: LinkLine): Promise<BillLine> {
  if (!('itemId' in line)) return ownLine(line);
  const { name, price_minor } = await trx('items').where({ id: line.itemId }).first('name', 'price_minor');
  return { item_id: line.itemId, description: name, unit_minor: price_minor, quantity: line.quantity };
}

function ownLine(line: LinkLine): BillLine {
  if ('itemId' in line) throw new Error('the line of an item has to be looked up');
  const { description, unitMinor, quantity } = line;
  return { item_id: null, description, unit_minor: BigInt(unitMinor), quantity };
}
