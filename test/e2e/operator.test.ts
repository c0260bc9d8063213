import { Client, Connection } from '@temporalio/client';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, transfersOf, until } from './client';

const { credentials } = sharedStack();
let actors: Actors;
let connection: Connection;
let engine: Client;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  connection = await Connection.connect({ address: credentials.temporalAddress });
  // Without our codec, as an operator's signal comes from the engine's UI.
  engine = new Client({ connection });
});
afterAll(() => connection.close());

const signal = (paymentId: string, name: string, note: object) =>
  engine.workflow.getHandle(`payment/${paymentId}`).signal(name, note);

/** A payment whose processor took the money and does not tell. */
async function unknownPayment(): Promise<string> {
  const { body } = await actors.merchant.pay(CARDS.neverAnswers);
  const { paymentId } = body.data;
  await actors.simulator.fault('inquiry', 'status_500', { times: 1_000, reference: paymentId });
  await actors.simulator.fault('callback', 'drop', { times: 1_000, reference: paymentId });
  return paymentId;
}

test('ops state the outcome of a payment whose processor does not tell; who and why are recorded', async () => {
  const paymentId = await unknownPayment();
  await signal(paymentId, 'resolveUnknown', {
    operator: 'olga',
    reason: 'seen in the portal of A',
    outcome: 'captured',
  });
  await actors.merchant.until(paymentId, 'captured', 'settled');
  const events = await actors.merchant.events(paymentId);
  expect(events).toContainEqual(
    expect.objectContaining({ cause: 'operator olga: resolve_unknown', detail: 'seen in the portal of A' }),
  );
  expect(await transfersOf(actors, paymentId)).toHaveLength(1);
});

test('asking again and hearing nothing new leaves no trace in the timeline', async () => {
  const paymentId = await unknownPayment();
  await until('three inquiries', async () => {
    const faults = await actors.simulator.faultsLeft();
    return faults.some((fault) => fault.on === 'inquiry' && fault.reference === paymentId && fault.remaining <= 997);
  });
  const inquiries = (await actors.merchant.events(paymentId)).filter((event) => event.cause === 'inquiry');
  expect(inquiries).toHaveLength(1);
  await signal(paymentId, 'resolveUnknown', {
    operator: 'olga',
    reason: 'seen in the portal of A',
    outcome: 'captured',
  });
  await actors.merchant.until(paymentId, 'captured', 'settled');
});

test('an intervention without a reason, or about a payment that is not unknown, changes nothing', async () => {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  await signal(paymentId, 'cancelNow', { operator: 'olga' });
  await signal(paymentId, 'resolveUnknown', { operator: 'olga', reason: 'why not', outcome: 'captured' });
  await signal(paymentId, 'cancelNow', { operator: 'olga', reason: 'the merchant asked on the phone' });
  const record = await actors.merchant.until(paymentId, 'cancelled');
  expect(record.result.code).toBe(110);
  const causes = (await actors.merchant.events(paymentId)).map((event) => event.cause);
  expect(causes.filter((cause) => cause.startsWith('operator'))).toEqual(['operator olga: cancel']);
});

test('ops have the processor asked at once', async () => {
  const { body } = await actors.merchant.pay(CARDS.challenge);
  const { paymentId } = body.data;
  await signal(paymentId, 'retryNow', { operator: 'olga', reason: 'the payer says it is done' });
  await until('the intervention in the timeline', async () =>
    (await actors.merchant.events(paymentId)).some((event) => event.cause === 'operator olga: retry_now'),
  );
  expect(await actors.merchant.status(paymentId)).toMatchObject({ transactionStatus: 'requires_action' });
});
