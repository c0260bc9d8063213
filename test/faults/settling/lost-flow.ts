import { Client, Connection } from '@temporalio/client';
import { CAPTURED, CARDS, challenge, type Json, Simulator, send, until } from '../../e2e/client';
import { place } from './place';

let connection: Connection;
let engine: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: place.stack.credentials.temporalAddress });
  engine = new Client({ connection });
});
afterAll(() => connection?.close());

/** What the engine says of a flow, its payloads left as they are. */
async function look(
  paymentId: string,
  workflowId = `payment/${paymentId}`,
): Promise<{ runId: string; status: number }> {
  const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId },
  });
  return { runId: workflowExecutionInfo!.execution!.runId!, status: workflowExecutionInfo!.status! };
}

const RUNNING = 1;
const COMPLETED = 2;

const flowOf = (paymentId: string) => engine.workflow.getHandle(`payment/${paymentId}`);

test('a flow that is terminated is started anew and goes on from where the payment stands', async () => {
  const { body } = await place.actors.merchant.pay(CARDS.challenge);
  const { paymentId, action } = body.data;
  const { runId } = await look(paymentId);
  await flowOf(paymentId).terminate('by mistake');
  await until('another run', async () => {
    const flow = await look(paymentId);
    return flow.status === RUNNING && flow.runId !== runId;
  });
  await challenge(action.url, 'authenticated');
  await place.actors.merchant.until(paymentId, ...CAPTURED);
  expect((await place.actors.simulator.charges(paymentId)).map((charge) => charge.requests)).toEqual([1]);
});

test('the engine cancelling a flow ends neither flow nor payment', async () => {
  const { body } = await place.actors.merchant.pay(CARDS.challenge);
  const { paymentId, action } = body.data;
  await flowOf(paymentId).cancel();
  await challenge(action.url, 'authenticated');
  await place.actors.merchant.until(paymentId, ...CAPTURED);
  await until('the flow to end as it always does', async () => (await look(paymentId)).status === COMPLETED);
});

test('a cancelled flow still captures by hand', async () => {
  const { body } = await place.actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  await flowOf(paymentId).cancel();
  expect((await place.actors.merchant.capture(paymentId)).body.data.transactionStatus).toBe('captured');
});

test('the return of a transfer that matched nothing is started anew, and made once', async () => {
  const { ops } = place.actors;
  const { simulatorUrl } = place.stack.credentials;
  const list = '/ops/1.0.0/unmatched-transfers';
  const bank = new Simulator(simulatorUrl, 'b');
  const order = { iban: 'PT50999900010000000000099', amount: '10.00', currency: 'EUR' };
  const { transferId } = (await send(`${simulatorUrl}/sim/processors/b/transfers`, { method: 'POST', body: order }))
    .body;
  const row = () =>
    ops.get(`${list}?limit=200`).then(({ body }) => body.data.find((one: Json) => one.transferId === transferId));
  const { unmatchedTransferId } = await until('it is in suspense', row);
  await bank.fault('refund', 'close_before', { reference: transferId, times: 1_000 });
  await ops.post(`${list}/${unmatchedTransferId}/return`, { reason: 'not ours' });
  const workflowId = `unmatched-transfer/${unmatchedTransferId}`;
  const { runId } = await until('its flow runs', () => look('', workflowId).catch(() => undefined));
  await engine.workflow.getHandle(workflowId).terminate('by mistake');
  await until('another run', async () => {
    const flow = await look('', workflowId);
    return flow.status === RUNNING && flow.runId !== runId;
  });
  await bank.clearFaults();
  await until('it is back', async () => (await row()).status === 'returned');
  const { body } = await send(`${simulatorUrl}/sim/processors/b/transfers`);
  expect(body.data.find((one: Json) => one.transferId === transferId)).toMatchObject({ status: 'returned' });
});
