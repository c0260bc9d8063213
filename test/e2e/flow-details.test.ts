import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { WORKFLOW } from '../../src/domain/flows';
import { createDataConverter } from '../../src/foundation/temporal/data-converter';
import { readBundle } from '../../src/foundation/temporal/engine';
import { HISTORY_CODEC_KEYS } from '../histories/keys';
import { projectRoot } from '../setup/project';
import { sharedStack } from '../setup/stack';
import { type Json, until } from './client';

/** What ops read of a flow in the engine's UI. The workflows are ours; what their steps answer is given here. */

Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });

const dataConverter = createDataConverter(HISTORY_CODEC_KEYS);
const taskQueue = `details-${randomUUID()}`;
const answers = new Map<string, (input: Json, ...more: unknown[]) => unknown>();
const calls: string[] = [];

let connection: Connection;
let native: NativeConnection;
let client: Client;
let worker: Worker;
let running: Promise<void>;

const STEPS = [
  'submitPayment',
  'inquirePayment',
  'expirePayment',
  'submitRefund',
  'inquireRefund',
  'proceedDispute',
  'submitCardVerification',
  'expireCardVerification',
];

beforeAll(async () => {
  connection = await Connection.connect({ address: sharedStack().credentials.temporalAddress });
  client = new Client({ connection, namespace: 'default', dataConverter });
  native = await NativeConnection.connect({ address: sharedStack().credentials.temporalAddress });
  const activities = Object.fromEntries(
    STEPS.map((name) => [
      name,
      async (input: Json, ...more: unknown[]) => {
        calls.push(name);
        return answers.get(name)!(input, ...more);
      },
    ]),
  );
  worker = await Worker.create({
    connection: native,
    namespace: 'default',
    taskQueue,
    workflowBundle: readBundle(`${projectRoot}/dist/workflow-bundle.js`),
    dataConverter,
    activities,
  });
  running = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await native?.close();
  await connection?.close();
});
beforeEach(() => {
  calls.length = 0;
  answers.clear();
});

const SINCE_MS = Date.parse('2026-01-31T11:00:00.123Z');
const SINCE = '2026-01-31T11:00:00Z';
const inTwoHours = () => Date.now() + 7_200_000;

async function run<T>(workflow: string, input: object, look: (flow: Flow) => Promise<T>): Promise<T> {
  const workflowId = `details/${randomUUID()}`;
  const handle = await client.workflow.start(workflow, { workflowId, taskQueue, args: [input] });
  const details = async () =>
    (await handle.query<temporal.api.sdk.v1.IWorkflowMetadata>('__temporal_workflow_metadata')).currentDetails ?? '';
  try {
    return await look({ handle, details });
  } finally {
    await handle.terminate().catch(() => undefined);
  }
}

interface Flow {
  handle: Awaited<ReturnType<Client['workflow']['start']>>;
  /** The sentence on the User Metadata tab. */
  details(): Promise<string>;
}

const looked = (name: string, times: number) =>
  until(`${name} was called ${times} times`, async () => calls.filter((call) => call === name).length >= times);

/** The labels in a flow's history: of steps and of timers, in their order. */
async function labelsOf(handle: Flow['handle']): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  const payloads = (events ?? []).flatMap(({ eventType, userMetadata }) =>
    userMetadata?.summary && eventType !== temporal.api.enums.v1.EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED
      ? [userMetadata.summary]
      : [],
  );
  const [codec] = dataConverter.payloadCodecs!;
  const decoded = await codec!.decode(payloads as never);
  return decoded.map(({ data }) => JSON.parse(Buffer.from(data!).toString()));
}

const waitsForPayer = { status: 'requires_action', resultCode: 0, detail: 'The payer is asked.', waitsFor: 'payer' };
const PAYMENT = { paymentId: 'pay_1', tenantId: 'ten_1' };

test('a payment says since when it waits for its payer, however often the processor is asked meanwhile', async () => {
  const view = () => ({
    ...waitsForPayer,
    sinceMs: SINCE_MS,
    waitsUntilMs: inTwoHours(),
    checkAtMs: Date.now() + 1_000,
  });
  answers.set('submitPayment', view);
  // What the processor says may change the row without changing what is waited for.
  answers.set('expirePayment', () => ({ ...view(), sinceMs: Date.now() }));
  await run(WORKFLOW.payment, PAYMENT, async ({ handle, details }) => {
    await looked('expirePayment', 2);
    expect(await details()).toMatch(`Waits for the payer since ${SINCE}, until 2`);
    expect(await details()).not.toMatch(/\.\d{3}Z/);
    expect((await labelsOf(handle)).slice(0, 3)).toEqual([
      'Send the payment to its processor',
      'until the processor is asked about the payer',
      'Ask the processor while the payer takes time',
    ]);
  });
});

test('when the time to wait is over, the step says that it ends the payment', async () => {
  answers.set('submitPayment', () => ({ ...waitsForPayer, waitsUntilMs: Date.now() }));
  answers.set('expirePayment', () => ({ status: 'expired', resultCode: 0, detail: 'No payer.', waitsFor: 'nobody' }));
  await run(WORKFLOW.payment, PAYMENT, async ({ handle }) => {
    await handle.result();
    expect((await labelsOf(handle)).slice(1)).toEqual([
      'until the time of the payer is up',
      'Time is up: ask the processor, cancel there and end the payment',
    ]);
  });
});

test('a flow that is woken when due has no timer of its own', async () => {
  const waits = () => ({ ...waitsForPayer, waitsUntilMs: inTwoHours(), checkAtMs: Date.now() + 1 });
  answers.set('submitPayment', waits);
  answers.set('expirePayment', (_, tries) =>
    tries === 1 ? waits() : { status: 'expired', resultCode: 0, detail: 'No payer.', waitsFor: 'nobody' },
  );
  await run(WORKFLOW.payment, { ...PAYMENT, isWokenWhenDue: true }, async ({ handle }) => {
    await looked('submitPayment', 1);
    for (const times of [1, 2]) {
      await handle.signal('due');
      await looked('expirePayment', times);
    }
    await handle.result();
    expect((await labelsOf(handle)).every((label) => !label.startsWith('until'))).toBe(true);
  });
});

test('one that waits for its processor by now keeps its own time', async () => {
  answers.set('submitPayment', () => ({ ...waitsForPayer, waitsFor: 'provider', askAgainMs: 1_000 }));
  answers.set('inquirePayment', () => ({ status: 'captured', resultCode: 0, detail: 'Paid.', waitsFor: 'nobody' }));
  await run(WORKFLOW.payment, { ...PAYMENT, isWokenWhenDue: true }, async ({ handle }) => {
    await handle.signal('due');
    await handle.result();
    expect(calls).toEqual(['submitPayment', 'inquirePayment']);
  });
});

test('another status is waited for from then on, and another party too', async () => {
  const startedMs = Date.now();
  const pending = { status: 'pending', resultCode: 0, detail: 'No answer.', waitsFor: 'provider', askAgainMs: 1_000 };
  const captured = { status: 'authorized', resultCode: 0, detail: 'Held.', waitsUntilMs: inTwoHours() };
  answers.set('submitPayment', () => ({ ...pending, sinceMs: SINCE_MS }));
  answers.set('inquirePayment', (_, tries) =>
    tries === 1
      ? { ...pending, sinceMs: Date.now(), askAgainMs: 1_500 }
      : { ...captured, waitsFor: 'merchant', sinceMs: SINCE_MS + 60_000 },
  );
  await run(WORKFLOW.payment, PAYMENT, async ({ details }) => {
    await looked('inquirePayment', 1);
    await until('it waits for the processor', async () =>
      (await details()).includes(`Waits for the processor since ${SINCE}; it is asked again at 2`),
    );
    await until('it waits for the merchant', async () =>
      (await details()).includes('Waits for a capture or cancel since 2026-01-31T11:01:00Z, until 2'),
    );
  });
  expect(Date.now() - startedMs).toBeGreaterThan(1_000);
});

test('a refund says since when it waits for the processor', async () => {
  const view = () => ({ status: 'pending', detail: 'No answer.', sinceMs: SINCE_MS, askAgainMs: 300 });
  answers.set('submitRefund', view);
  answers.set('inquireRefund', () => ({ ...view(), askAgainMs: 3_600_000 }));
  await run(WORKFLOW.refund, { refundId: 'ref_1', ...PAYMENT }, async ({ handle, details }) => {
    await looked('inquireRefund', 1);
    await until('it says so', async () =>
      (await details()).startsWith(
        `**pending**: No answer. Waits for the processor since ${SINCE}; it is asked again at 2`,
      ),
    );
    expect(await labelsOf(handle)).toContain('Ask the processor what became of the refund');
  });
});

test('a dispute says since when it waits for evidence, and since when for the processor', async () => {
  const view = { status: 'open', detail: 'Fraud.', sinceMs: SINCE_MS };
  answers.set('proceedDispute', (_, tries) =>
    tries === 0
      ? { ...view, waitsFor: 'merchant', askAgainMs: 1_200 }
      : { ...view, waitsFor: 'provider', askAgainMs: 7_200_000 },
  );
  await run(WORKFLOW.dispute, { processor: 'a', caseId: 'c-1' }, async ({ handle, details }) => {
    await handle.signal('proceed');
    await until('it waits for the merchant', async () =>
      (await details()).includes(`Waits for the evidence of the merchant since ${SINCE}, until 2`),
    );
    await looked('proceedDispute', 2);
    await until('it waits for the processor', async () => (await details()).includes('Waits for the word of the proc'));
    // The row did not change: the deadline for evidence passed.
    const [, since] = /processor since (\S+?);/.exec(await details())!;
    expect(Date.now() - Date.parse(since!)).toBeLessThan(30_000);
  });
});

test('the check of a card says since when it waits for the customer', async () => {
  const view = () => ({
    ...waitsForPayer,
    sinceMs: SINCE_MS,
    waitsUntilMs: inTwoHours(),
    askAgainMs: 300,
  });
  answers.set('submitCardVerification', view);
  answers.set('expireCardVerification', () => ({ ...view(), sinceMs: Date.now(), askAgainMs: 3_600_000 }));
  await run(WORKFLOW.cardVerification, { verificationId: 'cvf_1', tenantId: 'ten_1' }, async ({ handle, details }) => {
    await looked('expireCardVerification', 1);
    await until('it says so', async () => (await details()).includes(`Waits for the customer since ${SINCE}, until 2`));
    expect(await labelsOf(handle)).toContain('Ask the processor while the customer takes time');
  });
});
