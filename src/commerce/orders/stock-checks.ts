import { hasTakenMoney, PAYMENT_STATUSES } from '../../domain/states/payment';
import type { Check } from '../../money/books-check/check';
import { effectInSql } from '../inventory/stock';

const TAKEN = PAYMENT_STATUSES.filter(hasTakenMoney)
  .map((status) => `'${status}'`)
  .join(', ');

/** What must hold between items, their movements, orders and payments. */
export const STOCK_CHECKS: Check[] = [
  {
    name: 'the stock of an item is what was added and adjusted, less what was sold',
    sql: `SELECT i.id AS subject, format('%s on hand, its movements say %s', i.quantity, coalesce(m.pieces, 0)) AS detail
      FROM items i LEFT JOIN (SELECT item_id, sum(quantity * ${effectInSql('kind', 'quantity')}) AS pieces
        FROM stock_movements GROUP BY item_id) m ON m.item_id = i.id
      WHERE i.quantity <> coalesce(m.pieces, 0)`,
  },
  {
    name: 'what is reserved of an item is what open orders hold of it, and what its movements say',
    sql: `SELECT i.id AS subject, format('%s reserved, open orders hold %s, its movements say %s', i.reserved,
        coalesce(o.pieces, 0), coalesce(m.pieces, 0)) AS detail
      FROM items i LEFT JOIN (SELECT item_id, sum(quantity * ${effectInSql('kind', 'reserved')}) AS pieces
        FROM stock_movements GROUP BY item_id) m ON m.item_id = i.id
      LEFT JOIN (SELECT l.item_id, sum(l.quantity) AS pieces FROM order_lines l JOIN orders o ON o.id = l.order_id
        WHERE o.status = 'open' GROUP BY l.item_id) o ON o.item_id = i.id
      WHERE i.reserved <> coalesce(o.pieces, 0) OR i.reserved <> coalesce(m.pieces, 0)`,
  },
  {
    name: 'the pieces of an order are held while it is open, sold once it is paid, and given back otherwise',
    sql: `SELECT order_id || ' ' || item_id AS subject,
        format('%s: %s ordered, %s held, %s sold', o.status, coalesce(l.pieces, 0), coalesce(m.held, 0), coalesce(m.sold, 0)) AS detail
      FROM (SELECT order_id, item_id, sum(quantity) AS pieces FROM order_lines WHERE item_id IS NOT NULL GROUP BY 1, 2) l
      FULL JOIN (SELECT order_id, item_id, sum(quantity * ${effectInSql('kind', 'reserved')}) AS held,
          coalesce(sum(quantity) FILTER (WHERE kind = 'sold'), 0) AS sold
        FROM stock_movements WHERE order_id IS NOT NULL GROUP BY 1, 2) m USING (order_id, item_id)
      JOIN orders o ON o.id = order_id
      WHERE coalesce(m.held, 0) <> CASE o.status WHEN 'open' THEN coalesce(l.pieces, 0) ELSE 0 END
        OR coalesce(m.sold, 0) <> CASE o.status WHEN 'paid' THEN coalesce(l.pieces, 0) ELSE 0 END`,
  },
  {
    name: 'an order comes to what its lines come to',
    sql: `SELECT o.id AS subject, format('%s, its lines say %s', o.total_minor, coalesce(l.total, 0)) AS detail
      FROM orders o LEFT JOIN (SELECT order_id, sum(unit_minor * quantity) AS total FROM order_lines GROUP BY order_id) l
        ON l.order_id = o.id WHERE o.total_minor <> coalesce(l.total, 0)`,
  },
  {
    name: 'an order is paid by its payment, and a payment with the money pays its order',
    sql: `SELECT coalesce(o.id, p.order_id) AS subject, format('%s by %s, and %s is %s', o.status, coalesce(o.payment_id, 'none'),
        coalesce(p.id, 'no payment'), coalesce(p.status, 'there')) AS detail
      FROM orders o FULL JOIN (SELECT id, order_id, status FROM payments WHERE order_id IS NOT NULL AND status IN (${TAKEN})) p
        ON p.order_id = o.id
      -- What the workers have yet to look at, or operators, is not judged.
      WHERE o.payment_id IS DISTINCT FROM p.id AND (o.status = 'paid' OR (o.look_at IS NULL AND p.status <> 'refunded'))`,
  },
];
