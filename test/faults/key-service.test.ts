import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdmin } from '../../src/foundation/db/migrate';
import { adminUrl } from '../../src/sandbox/runtime/postgres';
import { type Actors, actorsOf, CAPTURED, CARDS, challenge, send, until } from '../e2e/client';
import { APP_ROLE, LocalTransit } from '../setup/key-services/transit';
import { type Stack, startStack } from '../setup/stack';

/** A platform whose keys a key service keeps, and the service away for longer than keys are held. */

const transit = new LocalTransit();
let stack: Stack;
let actors: Actors;

beforeAll(async () => {
  await transit.start();
  transit.addVersion('k');
  stack = await startStack({
    env: {
      KEY_SERVICE: 'vault',
      KEY_SERVICE_CACHE_MS: '20000',
      TRANSIT_URL: transit.url,
      TRANSIT_KEY: 'k',
      TRANSIT_ROLE_ID: APP_ROLE.roleId,
      TRANSIT_SECRET_ID: APP_ROLE.secretId,
    },
  });
  actors = await actorsOf(stack.credentials);
});
afterAll(async () => {
  await stack?.remove();
  await transit.stop();
});

/** Waits until the platform says that status of itself, and answers what it says. */
const saysReady = (status: number) =>
  until(`ready ${status}`, async () => {
    const reply = await send(`${stack.apiUrl}/health/ready`);
    return reply.status === status && reply;
  });
const secrets = () => JSON.parse(readFileSync(join(stack.home, 'secrets.json'), 'utf8'));

test('what is stored lies under keys of the service', async () => {
  const { paymentId } = await actors.merchant.paid(CARDS.visa, { storeCard: true });
  await actors.merchant.until(paymentId, ...CAPTURED);
  expect(Object.keys(secrets())).not.toEqual(expect.arrayContaining(['VAULT_KEYS']));
  const admin = openAdmin(adminUrl(secrets().postgresAdminPassword, Number(stack.env.POSTGRES_PORT), 'tillway'));
  try {
    const rings = await admin('data_keys').orderBy('ring').pluck('ring');
    expect(rings).toEqual(['codec', 'vault']);
    const [vaultKey] = await admin('data_keys').where({ ring: 'vault' }).pluck('id');
    expect(await admin('vault_cards').distinct('key_id')).toEqual([{ key_id: vaultKey }]);
  } finally {
    await admin.destroy();
  }
});

test('without the service the platform says so and refuses for a while; afterwards everything goes on', async () => {
  const { merchant } = actors;
  const pids = () => (['tillway-api', 'tillway-worker'] as const).map((name) => stack.pidOf(name));
  const before = pids();
  const waiting = (await merchant.pay(CARDS.visa, { threeDS: 'required' })).body.data;
  await transit.stop();
  const held = await merchant.paid(CARDS.visa);
  await merchant.until(held.paymentId, ...CAPTURED);
  const away = await saysReady(503);
  expect(away.body).toMatchObject({ status: 'down', keys: 'down', database: 'up' });
  const [order, key] = [merchant.order(CARDS.visa), randomUUID()];
  const refused = await merchant.post('/payments/h2h/1', order, { 'idempotency-key': key });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  await challenge(waiting.action.url, 'authenticated');
  await transit.start();
  await saysReady(200);
  const again = await merchant.post('/payments/h2h/1', order, { 'idempotency-key': key });
  await merchant.until(again.body.data.paymentId, ...CAPTURED);
  await merchant.until(waiting.paymentId, ...CAPTURED);
  expect(pids()).toEqual(before);
});
