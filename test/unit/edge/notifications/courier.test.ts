import { Couriers } from '../../../../src/edge/notifications/courier';
import type { ClaimedNotification, NotificationQueue } from '../../../../src/edge/notifications/queue';
import { NotificationSender } from '../../../../src/edge/notifications/sender';
import { createLog } from '../../../../src/foundation/log/log';
import { OutboundGuard } from '../../../../src/foundation/outbound/guard';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { Receiver } from './receiver';

const secrets = new CallbackSecrets(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
const sender = new NotificationSender({
  guard: new OutboundGuard({ sandbox: true }),
  timeoutMs: 2_000,
  connections: 1,
});
let receiver: Receiver;

beforeAll(async () => {
  receiver = await new Receiver().listen();
});
afterAll(() => Promise.all([receiver.close(), sender.close()]));

/** The log line about one attempt that the merchant's server answers with `status`, the `attempts`-th before it over. */
async function lineAbout(status: number, attempts: number): Promise<Record<string, unknown>> {
  receiver.behave = (_, response) => response.writeHead(status).end();
  const notification: ClaimedNotification = {
    id: 'ntf_1',
    tenant_id: 'ten_1',
    payment_id: 'pay_1',
    url: receiver.url('/hook'),
    body: '{}',
    attempts,
    subject_id: null,
    owner_id: 'acc_1',
    sealed: [secrets.seal('secret', 'acc_1')],
  };
  const waiting = [notification];
  const lines: Record<string, unknown>[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const queue = {
    claim: async () => waiting.splice(0),
    // One attempt is enough: the round takes nothing after it.
    record: async () => couriers.stop(),
    backlog: async () => ({ waiting: 0 }),
  } as unknown as NotificationQueue;
  const schedule = { attempts: 3, firstMs: 1_000, maxMs: 1_000 };
  const couriers = new Couriers(queue, sender, secrets, { atOnce: 1, schedule }, log);
  await couriers.deliver({ organizationId: 'org_1', endpoint: receiver.url('') });
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

test('a notification that came to the merchant is logged as delivered', async () => {
  const line = await lineAbout(204, 0);
  expect(line).toMatchObject({ level: 'info', msg: 'notification delivered', paymentId: 'pay_1', status: 204 });
});

test('one that the merchant refused is not: it is tried again', async () => {
  const line = await lineAbout(500, 0);
  expect(line).toMatchObject({ level: 'warn', paymentId: 'pay_1', notification: 'ntf_1', status: 500, attempts: 1 });
  expect(line.msg).toBe('notification not delivered, will be tried again');
  expect(line.pauseMs).toBeGreaterThan(0);
});

test('after the last attempt it is given up', async () => {
  const line = await lineAbout(500, 2);
  expect(line).toMatchObject({ level: 'warn', paymentId: 'pay_1', msg: 'notification given up', attempts: 3 });
});
