import { CARDS, challenge, type Json, until } from '../../e2e/client';
import { Goods, ORDERS } from '../../e2e/goods';
import { auditOf, databaseOf } from '../inside';
import { killWorkers } from './kill';
import { place } from './place';

test('orders, with the workers killed while they are due: each ends once, and its pieces are free or sold', async () => {
  const { merchant } = place.actors;
  const goods = new Goods(place.actors);
  const { itemId } = await goods.approved({ price: '10.00', quantity: 60 });
  const made = await Promise.all(Array.from({ length: 60 }, () => goods.ordered([{ itemId, quantity: 1 }])));
  expect(await goods.item(itemId)).toMatchObject({ quantity: 60, reserved: 60 });
  const [paid] = made;
  const { paymentId, action } = await merchant.paid(CARDS.challenge, {}, ['requires_action']);
  await payFor(paid.orderId, paymentId);
  await challenge(action.url, 'authenticated');
  await merchant.until(paymentId, 'captured');

  const statuses = async (): Promise<Record<string, string>> => {
    const { data } = (await merchant.get(`${ORDERS}?limit=200`)).body;
    return Object.fromEntries(data.map(({ orderId, status }: Json) => [orderId, status]));
  };
  await until('some have expired', async () => Object.values(await statuses()).includes('expired'));
  await killWorkers();
  await until('all have ended', async () => {
    const now = await statuses();
    return made.every(({ orderId }) => now[orderId] !== 'open');
  });
  const now = await statuses();
  expect(made.map(({ orderId }) => now[orderId])).toEqual(['paid', ...Array(59).fill('expired')]);
  expect((await merchant.get(`${ORDERS}/${paid.orderId}`)).body).toMatchObject({ paymentId });
  expect(await goods.item(itemId)).toMatchObject({ quantity: 59, reserved: 0 });
  expect((await auditOf(place.stack)).findings).toEqual([]);
});

/** Has a payment that waits for its payer be for an order. */
async function payFor(orderId: string, paymentId: string): Promise<void> {
  const database = databaseOf(place.stack);
  await database
    .system('payments')
    .where({ id: paymentId })
    .update({ order_id: orderId })
    .finally(() => database.close());
}
