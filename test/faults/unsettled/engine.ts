import { CAPTURED, CARDS, type Json, type Reply, until } from '../../e2e/client';
import { auditOf, byTransaction, ready } from '../inside';
import { place } from './place';

/** Payments that each have a flow, while the engine does not answer. */
async function whileEngineHangs<T>(work: () => Promise<T>): Promise<T> {
  place.stack.kill('temporal', 'SIGSTOP');
  try {
    return await work();
  } finally {
    place.stack.kill('temporal', 'SIGCONT');
  }
}

const known = (transactionId: unknown): Promise<Json | undefined> => byTransaction(place.actors, transactionId);

test('what the engine does not take is refused and taken back, its attempt too; repeated, it is paid once', async () => {
  const { merchant, simulator } = place.actors;
  const orders = [CARDS.visa, CARDS.visa, CARDS.challenge, CARDS.visa].map((card) =>
    merchant.order(card, { returnUrl: 'https://shop.example/back' }),
  );
  const headersOf = ({ merchantTransactionId }: Json) => ({ 'idempotency-key': `key-${merchantTransactionId}` });
  const pay = (order: Json): Promise<Reply> => merchant.post('/payments/h2h/1', order, headersOf(order));
  const before = (await simulator.allCharges()).length;
  await whileEngineHangs(async () => {
    for (const reply of await Promise.all(orders.map(pay))) {
      expect([reply.status, Number(reply.headers.get('retry-after'))]).toEqual([503, 2]);
      expect(reply.body.message).toMatch(/nothing was charged/);
    }
    for (const order of orders) expect(await known(order.merchantTransactionId)).toBeUndefined();
    expect(await simulator.allCharges()).toHaveLength(before);
  });
  for (const order of orders.filter((_, index) => index !== 2)) {
    const { paymentId } = await until('the repeat is taken', async () => {
      const { status, body } = await pay(order);
      return status < 300 && body.data;
    });
    await merchant.until(paymentId, ...CAPTURED);
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  }
  // Not repeated: a flow that the engine has started late finds nothing to do.
  expect(await known(orders[2]!.merchantTransactionId)).toBeUndefined();
});

test('the API dies while the engine is to take the flow: what was written down is sent once all the same', async () => {
  const { merchant, simulator } = place.actors;
  const orders = Array.from({ length: 4 }, () => merchant.order(CARDS.visa));
  await whileEngineHangs(async () => {
    const cutOff = orders.map((order) => merchant.post('/payments/h2h/1', order).catch(() => undefined));
    for (const { merchantTransactionId } of orders) await until('it is accepted', () => known(merchantTransactionId));
    place.stack.kill('tillway-api');
    expect((await Promise.all(cutOff)).filter(Boolean)).toEqual([]);
  });
  await ready(place.stack);
  for (const { merchantTransactionId } of orders) {
    const { paymentId } = await until('finished', async () => {
      const found = await known(merchantTransactionId);
      return CAPTURED.includes(found?.transactionStatus) && found;
    });
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  }
  expect(await auditOf(place.stack)).toMatchObject({ findings: [] });
});
