import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

const TABLES = ['items', 'orders', 'order_lines', 'stock_movements'];

/**
 * What merchants sell, and what buyers order of it. An item holds how many pieces there are and how many of them are
 * reserved; each change of either has a movement, written in the same transaction.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE items (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      sku text NOT NULL,
      name text NOT NULL,
      description text,
      currency char(3) NOT NULL,
      price_minor bigint NOT NULL CHECK (price_minor > 0),
      -- Pieces on hand, and how many of them open orders hold.
      quantity integer NOT NULL DEFAULT 0 CHECK (quantity <= 1000000000),
      reserved integer NOT NULL DEFAULT 0,
      status text NOT NULL CHECK (status IN ('pending_approval', 'approved', 'rejected')),
      -- Counts what buyers have been shown: who approves can say which they have seen.
      version integer NOT NULL DEFAULT 1,
      reason text,
      decided_by text,
      decided_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      UNIQUE (id, tenant_id),
      CONSTRAINT items_sku_once UNIQUE (organization_id, sku),
      CONSTRAINT items_stock CHECK (reserved >= 0 AND quantity >= reserved),
      CONSTRAINT items_decided CHECK (CASE status
        WHEN 'pending_approval' THEN num_nonnulls(decided_by, decided_at, reason) = 0
        WHEN 'approved' THEN num_nonnulls(decided_by, decided_at) = 2 AND reason IS NULL
        ELSE num_nonnulls(decided_by, decided_at, reason) = 3 END)
    );
    CREATE INDEX items_by_organization ON items (organization_id, id DESC);
    CREATE INDEX items_by_tenant ON items (tenant_id, id DESC);

    CREATE TABLE orders (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'paid', 'expired', 'cancelled')),
      currency char(3) NOT NULL,
      total_minor bigint NOT NULL CHECK (total_minor > 0),
      reference text,
      -- The payment link that it was made through.
      link_id text,
      reserved_until timestamptz(3) NOT NULL,
      -- The payment that paid it: one pays one order. No foreign key: it would lock the payment after the order, and
      -- whoever moves the payment locks them the other way round. The audit holds the two against each other.
      payment_id text UNIQUE,
      -- When it was paid, expired or cancelled.
      closed_at timestamptz(3),
      -- When the workers look at it next. Null: not before one of its payments moves.
      look_at timestamptz(3),
      -- It was paid when its pieces were gone.
      review_reason text,
      review_since timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      UNIQUE (id, tenant_id),
      CONSTRAINT orders_paid CHECK ((status = 'paid') = (payment_id IS NOT NULL)),
      CONSTRAINT orders_closed CHECK ((status = 'open') = (closed_at IS NULL)),
      CONSTRAINT orders_review CHECK ((review_since IS NULL) = (review_reason IS NULL))
    );
    CREATE INDEX orders_by_organization ON orders (organization_id, id DESC);
    CREATE INDEX orders_by_tenant ON orders (tenant_id, id DESC);
    CREATE INDEX orders_due ON orders (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX orders_for_review ON orders (review_since) WHERE review_since IS NOT NULL;

    CREATE TABLE order_lines (
      order_id text NOT NULL,
      tenant_id text NOT NULL,
      -- Its place in the order, from 1.
      number integer NOT NULL CHECK (number > 0),
      -- Null: something that is no item.
      item_id text,
      -- Copied from the item, as is the price: what changes there later does not change what was ordered.
      sku text,
      description text NOT NULL,
      unit_minor bigint NOT NULL CHECK (unit_minor > 0),
      quantity integer NOT NULL CHECK (quantity > 0),
      PRIMARY KEY (order_id, number),
      FOREIGN KEY (order_id, tenant_id) REFERENCES orders (id, tenant_id),
      FOREIGN KEY (item_id, tenant_id) REFERENCES items (id, tenant_id),
      CHECK ((item_id IS NULL) = (sku IS NULL))
    );
    CREATE INDEX order_lines_by_item ON order_lines (item_id) WHERE item_id IS NOT NULL;

    CREATE TABLE stock_movements (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      item_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('added', 'adjusted', 'reserved', 'released', 'sold')),
      -- Pieces: only an adjustment can be negative.
      quantity integer NOT NULL CHECK (CASE kind WHEN 'adjusted' THEN quantity <> 0 ELSE quantity > 0 END),
      order_id text,
      reason text,
      -- Nothing is counted twice.
      cause text NOT NULL,
      -- Who did it; null where it follows from the order.
      actor text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT stock_movements_once UNIQUE (item_id, cause),
      FOREIGN KEY (item_id, tenant_id) REFERENCES items (id, tenant_id),
      FOREIGN KEY (order_id, tenant_id) REFERENCES orders (id, tenant_id),
      CONSTRAINT stock_movements_order CHECK ((order_id IS NOT NULL) = (kind IN ('reserved', 'released', 'sold'))),
      CHECK ((actor IS NULL) = (order_id IS NOT NULL)),
      CHECK (kind <> 'adjusted' OR reason IS NOT NULL)
    );
    CREATE INDEX stock_movements_by_item ON stock_movements (item_id, id DESC);
    CREATE INDEX stock_movements_by_order ON stock_movements (order_id) WHERE order_id IS NOT NULL;

    GRANT SELECT, INSERT, UPDATE ON items, orders TO tillway_app, tillway_system;
    GRANT SELECT, INSERT ON order_lines, stock_movements TO tillway_app, tillway_system;
  `);
  for (const table of TABLES) await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'order_lines');
  await makeAppendOnly(knex, 'stock_movements');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE stock_movements, order_lines, orders, items');
}
