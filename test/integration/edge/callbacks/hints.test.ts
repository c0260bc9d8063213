import pino from 'pino';
import type { Connectors, ProcessorEvent } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import { CallbackDesk } from '../../../../src/edge/callbacks/desk';
import { Hints } from '../../../../src/edge/callbacks/hints';
import { Inbox, type InboxRow } from '../../../../src/edge/callbacks/inbox';
import { SecurityEvents } from '../../../../src/foundation/audit-log/security-events';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../../money/payments/captured';

const OPS = { id: 'usr_ops', source: '127.0.0.1', requestId: 'req_test' };
const MOST = 20;

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let asked: ProcessorEvent[];
let atOnce: number;
let mostAtOnce: number;
let delivered: InboxRow[];
/** What the processor knows, by reference. */
let known: Map<string, ProcessorEvent['type']>;
let away: boolean;

beforeAll(async () => {
  place = await createTestDatabase('hints');
  database = openDatabase(place.logins, 6, 'test-hints');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
});
afterAll(async () => {
  await database.close();
  await place.drop();
});
beforeEach(async () => {
  [asked, delivered, known, atOnce, mostAtOnce, away] = [[], [], new Map(), 0, 0, false];
  await database.system('callback_hints').delete();
});

async function confirm(hint: ProcessorEvent): Promise<ProcessorEvent | undefined> {
  asked.push(hint);
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  await new Promise(setImmediate);
  atOnce -= 1;
  if (away) throw new Error('away');
  const type = known.get(hint.reference);
  const money = { amountMinor: 1_000n, currency: 'XCD' };
  return type && { eventId: hint.eventId, reference: hint.reference, type, processorStatus: 'x', money };
}

function hintsOf(ttlMs = 60_000): Hints {
  const connectors = { get: () => ({ confirm }) } as unknown as Connectors;
  const delivery = { deliver: async (row: InboxRow) => void delivered.push(row) };
  const limits = { most: MOST, ttlMs, retryFirstMs: 0 };
  const log = pino({ level: 'silent' });
  return new Hints(database.system, new Inbox(database.system), delivery, connectors, limits, log);
}

const send = (reference: string, eventId: string = newId('callback')) => {
  const event = { eventId, reference, type: 'captured' as const, processorStatus: '30' };
  const raw = { method: 'POST' as const, path: '', query: '', headers: {}, body: Buffer.from(eventId) };
  return hintsOf().store('g', 'processor_g', event, raw);
};
const inbox = (reference: string) => database.system('callback_inbox').where({ reference });
const hints = () => database.system('callback_hints').orderBy('id');

test('a hint stays out of the inbox until the processor has confirmed it; what it says takes its place', async () => {
  const reference = await capturedPayment(database, new Ledger(), tenant);
  const id = await send(reference);
  expect(await inbox(reference)).toEqual([]);
  expect(asked).toEqual([]);
  known.set(reference, 'failed');
  await hintsOf().round();
  expect(await inbox(reference)).toMatchObject([{ id, type: 'failed', hint: false, state: 'stored' }]);
  expect(delivered).toMatchObject([{ id, type: 'failed' }]);
  expect(await hints()).toEqual([]);
});

test('what the processor says of no payment of ours waits in the inbox', async () => {
  const reference = newId('payment');
  const id = await send(reference);
  known.set(reference, 'captured');
  await hintsOf().round();
  expect(await inbox(reference)).toMatchObject([{ id, state: 'unmatched' }]);
  expect([delivered, await hints()]).toEqual([[], []]);
});

test('the same hint again is a duplicate, before it is confirmed and after', async () => {
  const [reference, eventId] = [newId('payment'), newId('callback')];
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(reference, eventId)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  known.set(reference, 'captured');
  await hintsOf().round();
  expect(await send(reference, eventId)).toBeUndefined();
});

test('however many hints, the inbox has one row for each thing that the processor says', async () => {
  const reference = newId('payment');
  known.set(reference, 'captured');
  for (let sent = 0; sent < 5; sent += 1) {
    await send(reference);
    await hintsOf().round();
  }
  known.set(reference, 'refunded');
  await send(reference);
  await hintsOf().round();
  expect((await inbox(reference)).map(({ type }) => type).sort()).toEqual(['captured', 'refunded']);
  expect((await hints()).map(({ state }) => state)).toEqual(Array(4).fill('ignored'));
});

test('there is room for so many; more are to be sent again, and time makes room', async () => {
  await Promise.all(Array.from({ length: MOST }, () => send(newId('payment'))));
  await expect(send(newId('payment'))).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 60 });
  await hintsOf(-60_000).sweep();
  expect(await send(newId('payment'))).toBeDefined();
});

test('the processor is asked in batches, a few at a time, and less and less often', async () => {
  await Promise.all(Array.from({ length: MOST }, () => send(newId('payment'))));
  expect(await hintsOf().round(12)).toBe(12);
  expect([asked.length, mostAtOnce]).toEqual([12, 8]);
  expect((await hints()).filter(({ state }) => state === 'unmatched')).toHaveLength(12);
  const pause = new Hints(
    database.system,
    new Inbox(database.system),
    { deliver: async () => undefined },
    { get: () => ({ confirm }) } as unknown as Connectors,
    { most: MOST, ttlMs: 60_000, retryFirstMs: 60_000 },
    pino({ level: 'silent' }),
  );
  expect(await pause.round()).toBe(MOST);
  expect(await pause.round()).toBe(0);
  await database.system('callback_hints').update({ attempts: 1_000, next_attempt_at: new Date(0) });
  await pause.round();
  const [{ next_attempt_at: next }] = await hints();
  expect(next.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);
});

test('a processor that is away leaves the hint as it is', async () => {
  const reference = newId('payment');
  await send(reference);
  away = true;
  await hintsOf().round();
  expect(await hints()).toMatchObject([{ state: 'stored', attempts: 1 }]);
  away = false;
  known.set(reference, 'captured');
  await hintsOf().round();
  expect(await inbox(reference)).toHaveLength(1);
});

test('operators see hints and callbacks in one list, read what came, and have it looked at again', async () => {
  const reference = newId('payment');
  const id = (await send(reference, 'the form'))!;
  await hintsOf().round();
  const desk = new CallbackDesk(database);
  const [listed] = await desk.list({ reference, limit: 10 });
  expect(listed).toMatchObject({ id, state: 'unmatched', note: 'the processor knows nothing of it yet' });
  expect(await desk.read(id, OPS)).toMatchObject({ body: { text: 'the form' }, headers: null });
  expect(await desk.replay(id, 'a test', OPS)).toMatchObject({ id, state: 'stored' });
});

describe('what is refused', () => {
  const events = (kind: string) => database.system('security_events').where({ kind }).orderBy('id');

  test('is written down once, and counted for the rest of the minute', async () => {
    const security = new SecurityEvents(database.system);
    for (let tries = 0; tries < 1_000; tries += 1) await security.note('one', '192.0.2.1', { receiver: 'a' });
    await security.note('one', '192.0.2.2', { receiver: 'a' });
    expect(await events('one')).toHaveLength(2);
    await security.write();
    const rows = await events('one');
    expect(rows.map(({ source, detail }) => [source, detail])).toEqual([
      ['192.0.2.1', { receiver: 'a' }],
      ['192.0.2.2', { receiver: 'a' }],
      ['192.0.2.1', { receiver: 'a', count: 999 }],
    ]);
    await security.note('one', '192.0.2.1', { receiver: 'a' });
    expect(await events('one')).toHaveLength(4);
  });

  test('by ever new sources is counted together once there are too many', async () => {
    const security = new SecurityEvents(database.system);
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => security.note('many', `source ${n}`, {})));
    expect(await events('many')).toHaveLength(20);
    await security.write();
    const rows = await events('many');
    expect(rows).toHaveLength(1_001);
    expect(rows.at(-1)).toMatchObject({ source: null, detail: { count: 500 } });
  });

  test('that cannot be written down is refused all the same', async () => {
    const security = new SecurityEvents((() => {
      throw new Error('away');
    }) as never);
    await expect(security.note('away', '192.0.2.1', {})).resolves.toBeUndefined();
  });
});
