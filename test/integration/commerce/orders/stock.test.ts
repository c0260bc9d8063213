import fc from 'fast-check';
import { lookAtDueOrders } from '../../../../src/commerce/orders/due';
import type { OrderRow } from '../../../../src/commerce/orders/order';
import { createOrder, extendReservation, markOrderPaid, releaseOrder } from '../../../../src/commerce/orders/steps';
import { auditStock } from '../../../../src/commerce/orders/stock-checks';
import { DomainError } from '../../../../src/domain/errors';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { lockPayment } from '../../../../src/money/payments/payment';
import { Shop } from './shop';

/** Orders and the stock that they hold: never sold twice, never lost, whatever happens at once. */

const CONNECTIONS = 20;

let shop: Shop;

beforeAll(async () => {
  shop = await Shop.open('stock', CONNECTIONS);
});
afterAll(() => shop?.close());
afterEach(async () => expect((await auditStock(shop.database.ops)).findings).toEqual([]));

const stockOf = async (id: string) => {
  const { quantity, reserved } = await shop.item(id);
  return { quantity, reserved };
};
const expire = (order: OrderRow) => shop.do((trx) => releaseOrder(trx, order.id, 'expired', 'its time was up'));
const look = () => lookAtDueOrders(shop.database.system);

test('of 200 buyers who come at once for 10 pieces, exactly 10 get one', async () => {
  const itemId = await shop.stocked(10);
  // As many at a time as there are connections, each next one at once: the database is never idle.
  const outcomes: PromiseSettledResult<OrderRow>[] = [];
  const inTurn = async () => {
    for (let n = 0; n < 200 / CONNECTIONS; n += 1)
      outcomes.push(...(await Promise.allSettled([shop.order([{ itemId, quantity: 1 }])])));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, inTurn));
  expect(outcomes).toHaveLength(200);
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(outcomes.length - refused.length).toBe(10);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['out_of_stock']));
  expect(await stockOf(itemId)).toEqual({ quantity: 10, reserved: 10 });
});

test('orders of the same items in opposite sequence all come through', async () => {
  const [one, other] = [await shop.stocked(100), await shop.stocked(100)];
  const lines = [one, other].map((itemId) => ({ itemId, quantity: 1 }));
  const orders = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => shop.order(n % 2 ? lines : [...lines].reverse())),
  );
  await Promise.all(orders.map(expire));
  expect(await stockOf(one)).toEqual({ quantity: 100, reserved: 0 });
  expect(await stockOf(other)).toEqual({ quantity: 100, reserved: 0 });
});

test('a repeat changes nothing: created, released and paid once', async () => {
  const itemId = await shop.stocked(5);
  const first = await shop.order([{ itemId, quantity: 5 }]);
  const again = await shop.order([{ itemId, quantity: 5 }], { id: first.id });
  expect(again).toEqual(first);
  expect(await stockOf(itemId)).toEqual({ quantity: 5, reserved: 5 });
  const released = await Promise.all([expire(first), expire(first), expire(first)]);
  expect(new Set(released.map(({ status }) => status))).toEqual(new Set(['expired']));
  expect(await stockOf(itemId)).toEqual({ quantity: 5, reserved: 0 });

  const second = await shop.order([{ itemId, quantity: 2 }]);
  const paymentId = await shop.begin(second);
  await shop.end(paymentId, 'captured');
  const paid = await Promise.all([1, 2, 3].map(() => shop.do((trx) => markOrderPaid(trx, second.id, paymentId))));
  expect(paid.map(({ status, payment_id }) => [status, payment_id])).toEqual(Array(3).fill(['paid', paymentId]));
  expect(await stockOf(itemId)).toEqual({ quantity: 3, reserved: 0 });
  await look();
});

test('all or none: a line with too little, an unapproved item, another currency, somebody else’s', async () => {
  const [plenty, few] = [await shop.stocked(10), await shop.stocked(1)];
  const lines = [
    { itemId: plenty, quantity: 1 },
    { itemId: few, quantity: 1 },
    { itemId: few, quantity: 1 },
  ];
  await expect(shop.order(lines)).rejects.toMatchObject({
    code: 'out_of_stock',
    details: [{ field: 'lines[2].quantity' }],
  });
  expect(await stockOf(plenty)).toEqual({ quantity: 10, reserved: 0 });
  const waiting = await shop.stocked(1, { status: 'pending_approval', decided_by: null, decided_at: null });
  await expect(shop.order([{ itemId: waiting, quantity: 1 }])).rejects.toMatchObject({
    code: 'item_not_approved',
    details: [{ field: 'lines[0].itemId' }],
  });
  await expect(shop.order([{ itemId: plenty, quantity: 1 }], { currency: 'USD' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  const { tenantId, organizationId } = shop.seller.other;
  await expect(
    shop.database.tenant(tenantId, (trx) =>
      createOrder(trx, {
        id: 'ord_other',
        tenantId,
        organizationId,
        currency: 'EUR',
        lines: [{ itemId: plenty, quantity: 1 }],
        reservedUntil: new Date(),
        createdBy: 'another seller',
      }),
    ),
  ).rejects.toMatchObject({ code: 'invalid_request', details: [{ field: 'lines[0].itemId' }] });
});

test('the price is that of the moment', async () => {
  const itemId = await shop.stocked(10);
  const { id } = await shop.order([
    { itemId, quantity: 3 },
    { description: 'Delivery', unitMinor: 450n, quantity: 1 },
  ]);
  await shop.do((trx) => trx('items').where({ id: itemId }).update({ price_minor: 1n, name: 'Another name' }));
  expect((await shop.row(id)).total_minor).toBe(3_450n);
  const [line] = await shop.database.ops('order_lines').where({ order_id: id });
  expect(line).toMatchObject({ unit_minor: 1_000n, description: 'A thing' });
});

test('an order whose time is up expires, and gives its pieces back; one that is extended stays', async () => {
  const itemId = await shop.stocked(3);
  const [over, extended] = [await shop.order([{ itemId, quantity: 1 }]), await shop.order([{ itemId, quantity: 2 }])];
  await shop.age(over.id);
  await shop.age(extended.id);
  const until = new Date(Date.now() + 60_000);
  await shop.do((trx) => extendReservation(trx, extended.id, until));
  await shop.do((trx) => extendReservation(trx, extended.id, new Date()));
  // A process may die at any point: others do the same at once.
  await Promise.all([look(), look(), look()]);
  expect((await shop.row(over.id)).status).toBe('expired');
  expect(await shop.row(extended.id)).toMatchObject({ status: 'open', reserved_until: until, look_at: until });
  expect(await stockOf(itemId)).toEqual({ quantity: 3, reserved: 2 });
});

test('while somebody pays, an order neither expires nor can be cancelled; how it ends decides', async () => {
  const itemId = await shop.stocked(2);
  const [paid, unpaid] = [await shop.order([{ itemId, quantity: 1 }]), await shop.order([{ itemId, quantity: 1 }])];
  const [good, bad] = [await shop.begin(paid), await shop.begin(unpaid)];
  await shop.age(paid.id);
  await shop.age(unpaid.id);
  await look();
  expect(await shop.row(paid.id)).toMatchObject({ status: 'open', look_at: null });
  await expect(shop.do((trx) => releaseOrder(trx, paid.id, 'cancelled', 'no'))).rejects.toMatchObject({
    code: 'invalid_state',
  });
  await shop.end(good, 'captured');
  await shop.end(bad, 'failed');
  await look();
  expect(await shop.row(paid.id)).toMatchObject({ status: 'paid', payment_id: good, look_at: null });
  expect(await shop.row(unpaid.id)).toMatchObject({ status: 'expired', payment_id: null });
  expect(await stockOf(itemId)).toEqual({ quantity: 1, reserved: 0 });
});

test('the database refuses a second payment, another amount, and one for an order that has ended', async () => {
  const itemId = await shop.stocked(2);
  const order = await shop.order([{ itemId, quantity: 1 }]);
  await expect(shop.begin(order, { amount_minor: 1n })).rejects.toMatchObject({ constraint: 'payments_order' });
  const first = await shop.begin(order);
  await expect(shop.begin(order)).rejects.toMatchObject({ constraint: 'payments_one_per_order' });
  await shop.end(first, 'failed');
  await shop.end(await shop.begin(order), 'captured');
  await look();
  const over = await shop.order([{ itemId, quantity: 1 }]);
  await expire(over);
  await expect(shop.begin(over)).rejects.toMatchObject({ constraint: 'payments_order_open' });
});

test('a payment and a cancellation at once: one of them wins', async () => {
  const itemId = await shop.stocked(30);
  const orders = await Promise.all(Array.from({ length: 20 }, () => shop.order([{ itemId, quantity: 1 }])));
  const both = await Promise.all(
    orders.map((order) =>
      Promise.allSettled([
        shop.begin(order),
        shop.do((trx) => releaseOrder(trx, order.id, 'cancelled', 'by the seller')),
      ]),
    ),
  );
  for (const [payment, cancelled] of both) expect(payment.status).not.toBe(cancelled.status);
});

test('the workers look at an order without waiting for whoever moves its payment', async () => {
  const itemId = await shop.stocked(1);
  const order = await shop.order([{ itemId, quantity: 1 }]);
  const paymentId = await shop.begin(order);
  await shop.end(paymentId, 'captured');
  // Whoever moves it waits for the order in turn: to wait for each other would be a deadlock.
  await shop.do(async (trx) => {
    await lockPayment(trx, paymentId);
    await look();
  });
  expect(await shop.row(order.id)).toMatchObject({ status: 'paid', payment_id: paymentId });
});

/** An order that expired although a payment has the money: written past the rules, as an operator's repair might. */
async function expiredWithMoney(itemId: string): Promise<OrderRow> {
  const order = await shop.order([{ itemId, quantity: 1 }]);
  const paymentId = await shop.begin(order);
  await shop.database.system('payments').where({ id: paymentId }).update({ order_id: null });
  await expire(order);
  await shop.database.system('payments').where({ id: paymentId }).update({ order_id: order.id });
  await shop.end(paymentId, 'captured');
  return order;
}

test('an order that expired before its money came takes its pieces again, or waits for review', async () => {
  const itemId = await shop.stocked(1);
  const order = await expiredWithMoney(itemId);
  const rival = await shop.order([{ itemId, quantity: 1 }]);
  await look();
  expect(await shop.row(order.id)).toMatchObject({ status: 'expired', review_reason: expect.stringContaining('left') });
  await expire(rival);
  await shop.age(order.id);
  await look();
  expect(await shop.row(order.id)).toMatchObject({ status: 'paid', review_reason: null });
  expect(await stockOf(itemId)).toEqual({ quantity: 0, reserved: 0 });
});

test('nobody changes a movement or a line, and no figure goes below what is held', async () => {
  const itemId = await shop.stocked(2);
  await shop.order([{ itemId, quantity: 2 }]);
  const owner = openAdmin(shop.adminUrl);
  for (const table of ['stock_movements', 'order_lines']) {
    const denied = { code: '42501' };
    await expect(shop.database.system(table).where({ item_id: itemId }).update({ quantity: 1 })).rejects.toMatchObject(
      denied,
    );
    await expect(shop.database.system(table).where({ item_id: itemId }).delete()).rejects.toMatchObject(denied);
    // Not even the owner of the table, once it sees the rows.
    const asOwner = owner.transaction(async (trx) => {
      await trx.raw('ALTER TABLE ?? NO FORCE ROW LEVEL SECURITY', [table]);
      await trx(table).where({ item_id: itemId }).update({ quantity: 1 });
    });
    await expect(asOwner).rejects.toThrow(/append-only/);
  }
  await owner.destroy();
  await expect(shop.adjust(itemId, -1)).rejects.toMatchObject({ constraint: 'items_stock' });
});

test('another tenant sees nothing of it', async () => {
  const itemId = await shop.stocked(1);
  await shop.order([{ itemId, quantity: 1 }]);
  const { tenantId } = shop.seller.other;
  const own = await shop.do((trx) => trx('items').pluck('id'));
  expect(own).toContain(itemId);
  for (const table of ['items', 'orders', 'order_lines', 'stock_movements'])
    expect(await shop.database.tenant(tenantId, (trx) => trx(table).select('*'))).toEqual([]);
});

describe('whatever happens', () => {
  type Act =
    | { do: 'adjust'; item: number; delta: number }
    | { do: 'order'; pieces: [number, number] }
    | { do: 'expire' | 'cancel' | 'begin' | 'capture' | 'fail' | 'look'; order: number };
  const item = fc.nat(1);
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ do: fc.constant('adjust' as const), item, delta: fc.integer({ min: -6, max: 6 }).filter(Boolean) }),
    fc.record({ do: fc.constant('order' as const), pieces: fc.tuple(fc.nat(3), fc.nat(3)) }),
    fc.record({
      do: fc.constantFrom('expire', 'cancel', 'begin', 'capture', 'fail', 'look'),
      order: fc.nat(5),
    }) as fc.Arbitrary<Act>,
  );

  /** A model of two figures for each item, and of what each order holds. */
  test('the sums hold and nothing goes below zero', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        const ids = [await shop.stocked(5), await shop.stocked(5)];
        const model = [
          { quantity: 5, reserved: 0 },
          { quantity: 5, reserved: 0 },
        ];
        const orders: { row: OrderRow; pieces: number[]; status: string; payment?: string }[] = [];
        const settle = (order: (typeof orders)[number], sold: boolean) => {
          for (const [n, pieces] of order.pieces.entries()) {
            model[n]!.reserved -= pieces;
            if (sold) model[n]!.quantity -= pieces;
          }
        };
        /** Runs `work`, which must succeed exactly where the model allows it. */
        const expectDone = async (allowed: boolean, work: () => Promise<unknown>) => {
          const failure = await work().then(
            () => undefined,
            (error: Error & { constraint?: string }) => error,
          );
          if (failure && !(failure instanceof DomainError) && !failure.constraint) throw failure;
          expect(failure === undefined).toBe(allowed);
          return allowed;
        };
        for (const one of acts) {
          if (one.do === 'adjust') {
            const figures = model[one.item]!;
            const allowed = figures.quantity + one.delta >= figures.reserved;
            if (await expectDone(allowed, () => shop.adjust(ids[one.item]!, one.delta))) figures.quantity += one.delta;
          } else if (one.do === 'order') {
            const lines = one.pieces.flatMap((quantity, n) => (quantity ? [{ itemId: ids[n]!, quantity }] : []));
            if (lines.length === 0) continue;
            const allowed = one.pieces.every((pieces, n) => pieces <= model[n]!.quantity - model[n]!.reserved);
            let row: OrderRow | undefined;
            await expectDone(allowed, async () => {
              row = await shop.order(lines);
            });
            if (!row) continue;
            for (const [n, pieces] of one.pieces.entries()) model[n]!.reserved += pieces;
            orders.push({ row, pieces: one.pieces, status: 'open' });
          } else {
            const order = orders[one.order];
            if (!order) continue;
            const isFree = order.status === 'open' && !order.payment;
            if (one.do === 'expire' || one.do === 'cancel') {
              const to = one.do === 'expire' ? ('expired' as const) : ('cancelled' as const);
              const isRepeat = order.status === to;
              await expectDone(isFree || isRepeat, () =>
                shop.do((trx) => releaseOrder(trx, order.row.id, to, 'a test')),
              );
              if (isFree) {
                settle(order, false);
                order.status = to;
              }
            } else if (one.do === 'begin') {
              await expectDone(isFree, async () => {
                order.payment = await shop.begin(order.row);
              });
            } else if (one.do === 'look') await look();
            else if (order.payment && order.status === 'open') {
              await shop.end(order.payment, one.do === 'capture' ? 'captured' : 'failed');
              await look();
              if (one.do === 'capture') {
                settle(order, true);
                order.status = 'paid';
              } else order.payment = undefined;
            }
          }
          expect([await stockOf(ids[0]!), await stockOf(ids[1]!)]).toEqual(model);
        }
        for (const { row, status } of orders) expect((await shop.row(row.id)).status).toBe(status);
        expect((await auditStock(shop.database.ops)).findings).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
