import type { Knex } from 'knex';
import type { ProcessorEvent } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import { Delivery, type HearPayment } from '../../../../src/edge/callbacks/delivery';
import { Inbox, type InboxRow } from '../../../../src/edge/callbacks/inbox';
import { LateMatches } from '../../../../src/edge/callbacks/late-matches';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { createLog } from '../../../../src/foundation/log/log';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { until } from '../../../e2e/client';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../../money/payments/captured';

const NOTHING = { method: 'GET' as const, path: '', query: '', headers: {}, body: Buffer.alloc(0) };

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let tenant: SeededTenant;

beforeAll(async () => {
  place = await createTestDatabase('inbox');
  database = openDatabase(place.logins, 4, 'test-inbox');
  admin = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
});
afterAll(async () => {
  await admin.destroy();
  await database.close();
  await place.drop();
});

test('a callback that the version before stored is read in the words of this one', async () => {
  const inbox = new Inbox(database.system);
  const id = newId('callback');
  const reference = newId('payment');
  await database.system('callback_inbox').insert({
    id,
    processor: 'a',
    receiver: 'processor_a',
    event_id: id,
    reference,
    type: 'captured',
    event: JSON.stringify({
      eventId: id,
      type: 'captured',
      reference,
      providerStatus: 'PAID',
      providerReference: 'a_1',
    }),
    raw: Buffer.alloc(0),
    next_attempt_at: new Date(0),
  });
  const event = { eventId: id, type: 'captured', reference, processorStatus: 'PAID', processorReference: 'a_1' };
  await expect(inbox.read(id)).resolves.toMatchObject({ event });
  const { rows } = await inbox.takeDue(10, 1_000, 1_000);
  expect(rows.map((row) => row.event)).toEqual([event]);
});

describe('what a callback is about is looked for as it is stored', () => {
  const paid = () => capturedPayment(database, new Ledger(), tenant);
  /** The processor's own name for a payment, as its answer brings it. */
  const called = (id: string, name: string) =>
    admin('payment_attempts').where({ payment_id: id }).update({ processor_reference: name });
  const said = (reference: string, type: ProcessorEvent['type'] = 'captured', on = openInbox()) => {
    const event = { eventId: newId('callback'), reference, type, processorStatus: 'x' };
    return on.store('a', 'processor_a', event, {
      method: 'GET',
      path: '',
      query: '',
      headers: {},
      body: Buffer.alloc(0),
    });
  };
  const openInbox = () => new Inbox(database.system, database.named.system);
  const due = async (id: string) => {
    await database.system('callback_inbox').update({ next_attempt_at: new Date(Date.now() + 3_600_000) });
    await database
      .system('callback_inbox')
      .where({ id })
      .update({ next_attempt_at: new Date(0) });
    return openInbox().takeDue(10, 1_000, 1_000);
  };

  test('by our id', async () => {
    const id = await paid();
    const row = (await said(id))!;
    expect(row).toMatchObject({ state: 'stored', reference: id });
    expect(await openInbox().read(row.id)).toMatchObject({
      state: 'stored',
      reference: id,
      note: null,
      handled_at: null,
    });
  });

  test('by what the processor calls the payment, also in a transaction', async () => {
    const id = await paid();
    await called(id, 'own-name');
    expect(await said('own-name')).toMatchObject({ state: 'stored', reference: id });
    await database.system.transaction(async (trx) => {
      const row = await said('own-name', 'settled', openInbox().within(trx));
      expect(row).toMatchObject({ state: 'stored', reference: id });
    });
  });

  test('another processor may use the same name', async () => {
    const id = await paid();
    await called(id, 'name-of-a');
    await admin('payment_attempts').where({ payment_id: id }).update({ processor: 'b' });
    const row = (await said('name-of-a'))!;
    expect(row).toMatchObject({ state: 'unmatched', reference: 'name-of-a' });
    // Nor later.
    await new LateMatches(openInbox()).round();
    expect(await due(row.id)).toEqual({ taken: 1, rows: [] });
    expect(await openInbox().read(row.id)).toMatchObject({ state: 'unmatched', reference: 'name-of-a' });
  });

  test('one that overtakes the answer waits for it, and is delivered then', async () => {
    const id = await paid();
    const row = (await said('early'))!;
    expect(row).toMatchObject({ state: 'unmatched', reference: 'early' });
    expect(await due(row.id)).toEqual({ taken: 1, rows: [] });
    await called(id, 'early');
    const { rows } = await due(row.id);
    expect(rows).toMatchObject([{ id: row.id, reference: id }]);
  });

  test.each(['pay', 'ref', 'cvf', 'pot', 'btr'])('%s_… that is not ours is unmatched, and stays so', async (prefix) => {
    const row = (await said(`${prefix}_unknown`))!;
    expect(await openInbox().read(row.id)).toMatchObject({
      state: 'unmatched',
      note: 'nothing of ours matches it yet',
      handled_at: expect.any(Date),
    });
    expect(await due(row.id)).toEqual({ taken: 1, rows: [] });
  });

  test.each([
    ['settlement_batch', 'batch-7'],
    ['transfer_received', 'PT50000201231234567890154'],
  ] as const)('%s has its place found when it is delivered', async (type, reference) => {
    const id = await paid();
    await called(id, reference);
    const row = (await said(reference, type))!;
    expect(row).toMatchObject({ state: 'stored', reference });
    expect((await due(row.id)).rows).toMatchObject([{ id: row.id, reference }]);
  });

  test('the same event is stored once', async () => {
    const event = {
      eventId: newId('callback'),
      reference: await paid(),
      type: 'captured',
      processorStatus: 'x',
    } as const;
    const raw = { method: 'GET' as const, path: '', query: '', headers: {}, body: Buffer.alloc(0) };
    const rows = [await openInbox().store('a', 'a', event, raw), await openInbox().store('a', 'a', event, raw)];
    expect(rows.map((row) => row?.state)).toEqual(['stored', undefined]);
  });

  test('those that come together are each stored and placed as if alone', async () => {
    const inbox = openInbox();
    const id = await paid();
    const twice = newId('callback');
    const say = (eventId: string, reference: string) =>
      inbox.store('a', 'processor_a', { eventId, reference, type: 'captured', processorStatus: 'x' }, NOTHING);
    // More than one statement takes, and the same event among them more than once.
    const others = Array.from({ length: 250 }, (_, n) => say(newId('callback'), n % 2 ? id : 'not-ours'));
    const same = [1, 2, 3].map(() => say(twice, id));
    const rows = await Promise.all(others);
    expect(rows.map((row) => row!.state)).toEqual(others.map((_, n) => (n % 2 ? 'stored' : 'unmatched')));
    for (const row of rows) expect(await inbox.read(row!.id)).toMatchObject({ event_id: row!.event_id });
    expect((await Promise.all(same)).filter(Boolean)).toHaveLength(1);
  });

  test('one that cannot be stored fails alone', async () => {
    const inbox = openInbox();
    const id = await paid();
    const events = [newId('callback'), 'text with \0', newId('callback')];
    const stored = await Promise.allSettled(
      events.map((eventId) =>
        inbox.store('a', 'processor_a', { eventId, reference: id, type: 'captured', processorStatus: 'x' }, NOTHING),
      ),
    );
    expect(stored.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('strays are due never, and are delivered once there is something that they are about', async () => {
    const id = await paid();
    const rows: InboxRow[] = [];
    for (const name of ['stray-1', 'stray-2', 'stray-3']) rows.push((await said(name))!);
    const states = () => Promise.all(rows.map((row) => openInbox().read(row.id)));
    await database
      .system('callback_inbox')
      .whereNotNull('next_attempt_at')
      .update({ next_attempt_at: new Date(0) });
    const { rows: tried } = await openInbox().takeDue(1_000, 1_000, 1_000);
    expect(tried.filter(({ id: one }) => rows.some((row) => row.id === one))).toEqual([]);
    const looks = new LateMatches(openInbox());
    await looks.round();
    expect((await states()).map((row) => row!.state)).toEqual(rows.map(() => 'unmatched'));
    await called(id, 'stray-2');
    await looks.round();
    expect(await states()).toMatchObject([
      { state: 'unmatched', attempts: 0 },
      { state: 'stored', reference: id, note: null, handled_at: null },
      { state: 'unmatched', attempts: 0 },
    ]);
    const { rows: due } = await openInbox().takeDue(1_000, 1_000, 1_000);
    expect(due.map((row) => row.id)).toContain(rows[1]!.id);
  });

  test('storing is planned once, however few come together', async () => {
    for (let n = 0; n < 10; n += 1) await said(`planned-${n}`);
    const { rows } = await database.system.raw(
      "SELECT sum(generic_plans)::integer AS kept FROM pg_prepared_statements WHERE name LIKE 'callback_store%'",
    );
    expect(rows[0].kept).toBeGreaterThan(0);
  });

  test('a round that looks at few comes to all in turn, the newest each time', async () => {
    await database.system('callback_inbox').where({ state: 'unmatched' }).update({ state: 'ignored' });
    const names = ['old-1', 'old-2', 'old-3', 'old-4', 'newest'];
    const rows: InboxRow[] = [];
    for (const name of names) rows.push((await said(name))!);
    for (const [n, row] of rows.entries())
      await database
        .system('callback_inbox')
        .where({ id: row.id })
        .update({ received_at: new Date(Date.now() + n) });
    const inbox = openInbox();
    let last: Awaited<ReturnType<Inbox['findMatches']>>;
    const turns = [];
    for (let turn = 0; turn < 3; turn += 1) {
      last = await inbox.findMatches(1, 2, last);
      turns.push(last?.id);
    }
    expect(turns).toEqual([rows[1]!.id, rows[3]!.id, undefined]);
    await called(await paid(), 'newest');
    await inbox.findMatches(1, 2);
    expect(await inbox.read(rows[4]!.id)).toMatchObject({ state: 'stored' });
  });

  test('a round reads few of many strays, also in a table that Postgres has not counted yet', async () => {
    const trx = await database.system.transaction();
    try {
      await trx.raw(`INSERT INTO callback_inbox (id, processor, receiver, event_id, reference, type, event, raw, headers,
          state, received_at, next_attempt_at)
        SELECT 'evt_many-' || n, 'processor_a', 'processor_a', 'many-' || n, 'many-' || n, 'payment_captured', '{}',
          convert_to(repeat(md5(n::text), 32), 'UTF8'), '{}', 'unmatched', now() + n * interval '1 ms', NULL
        FROM generate_series(1, 20000) n`);
      const read = async () => {
        const {
          rows: [{ entries }],
        } = await trx.raw("SELECT pg_stat_get_xact_tuples_returned('callback_inbox_due'::regclass) AS entries");
        return Number(entries);
      };
      const before = await read();
      await new Inbox(trx).findMatches(100, 100);
      expect((await read()) - before).toBeLessThan(1_000);
    } finally {
      await trx.rollback();
    }
  });

  test('one that delivery has left unmatched becomes a stray, unless it is about something of ours', async () => {
    const [ours, strange] = [(await said(await paid()))!, (await said('strange'))!];
    const soon = { state: 'unmatched', next_attempt_at: new Date(0) };
    await database.system('callback_inbox').whereIn('id', [ours.id, strange.id]).update(soon);
    await openInbox().takeDue(1_000, 1_000, 1_000);
    const next = (id: string) => database.system('callback_inbox').where({ id }).first('next_attempt_at');
    expect(await next(ours.id)).toEqual({ next_attempt_at: expect.any(Date) });
    expect(await next(strange.id)).toEqual({ next_attempt_at: null });
  });

  test('its receiver has more time to deliver it than the rounds wait for one that it leaves to them', async () => {
    const inbox = openInbox();
    const { id } = (await said(await paid()))!;
    const dueIn = async () => {
      const next = database.system.raw('extract(epoch from next_attempt_at - now())::float AS seconds');
      return (await database.system('callback_inbox').where({ id }).first(next)).seconds;
    };
    expect(await dueIn()).toBeGreaterThan(2);
    await inbox.leave(id);
    expect(await dueIn()).toBeLessThanOrEqual(1);
    await inbox.mark(id, 'applied');
    await database.system('callback_inbox').where({ id }).update({ next_attempt_at: null });
    await inbox.leave(id);
    expect(await dueIn()).toBeNull();
  });

  test('one that somebody works on is due for nobody else', async () => {
    const inbox = openInbox();
    const { id } = (await said(await paid()))!;
    const row = () => database.system('callback_inbox').where({ id });
    const isTaken = async () => (await inbox.takeDue(1_000, 1_000, 1_000)).rows.some((taken) => taken.id === id);
    let finish = () => {};
    const work = inbox.during(id, 10, () => new Promise<void>((resolve) => (finish = resolve)));
    await row().update({ next_attempt_at: new Date(0) });
    await until('it is put off', async () => (await row().first()).next_attempt_at > new Date());
    expect(await isTaken()).toBe(false);
    finish();
    await work;
    await row().update({ next_attempt_at: new Date(0) });
    expect(await isTaken()).toBe(true);
  });

  test('the engine is not asked about one that is about nothing of ours', async () => {
    const asked: string[] = [];
    const engine = new Proxy({}, { get: (_, name) => asked.push(String(name)) });
    const options = { retryFirstMs: 1, retryMaxMs: 1 };
    const nobody = [undefined, database, engine, undefined, undefined, options, createLog('test', 'silent')] as unknown;
    const delivery = new Delivery(openInbox(), ...(nobody as Tail<ConstructorParameters<typeof Delivery>>));
    const unknown = (await said(newId('payment')))!;
    const known = (await said(await paid()))!;
    delivery.soon(unknown);
    await expect(delivery.deliver(known)).rejects.toThrow();
    expect(asked).toEqual(['connection']);
  });
});

describe('a payment whose flow waits for its payer', () => {
  /** Delivers so many callbacks about it as they come in. `hear`: what it does with each. */
  async function delivered(count: number, hear: HearPayment): Promise<{ signals: unknown[][]; ids: string[] }> {
    const id = await capturedPayment(database, new Ledger(), tenant);
    const open = { status: 'requires_action', authorized_minor: 0, captured_minor: 0 };
    await admin('payments').where({ id }).update(open);
    const signals: unknown[][] = [];
    const running = { signal: async (...signal: unknown[]) => signals.push(signal) };
    const engine = {
      connection: { withDeadline: (_: unknown, work: () => unknown) => work() },
      client: { workflow: { getHandle: () => running } },
    };
    const inbox = new Inbox(database.system);
    const options = { retryFirstMs: 1_000, retryMaxMs: 1_000 };
    const rest = [undefined, database, engine, undefined, hear, options, createLog('test', 'silent')] as unknown;
    const delivery = new Delivery(inbox, ...(rest as Tail<ConstructorParameters<typeof Delivery>>));
    const ids: string[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      const event = { eventId: newId('callback'), reference: id, type: 'captured' as const, processorStatus: 'x' };
      const row = (await inbox.store('a', 'processor_a', event, NOTHING))!;
      ids.push(row.id);
      delivery.soon(row);
    }
    return { signals, ids };
  }

  const rowOf = (id: string): Promise<InboxRow> => admin('callback_inbox').where({ id }).first();
  const view = { status: 'captured', resultCode: 0, detail: 'Paid.', waitsFor: 'nobody' } as const;

  test('hears a callback where it arrives; its flow is told how it has ended, and then the callback is done', async () => {
    let hears = () => {};
    const { signals, ids } = await delivered(1, (_input, _inboxId, notes) => {
      expect(notes).toBe(false);
      return new Promise((resolve) => (hears = () => resolve({ view, end: 'applied' })));
    });
    await until('it is being heard', async () => String(hears).includes('resolve'));
    expect([signals, (await rowOf(ids[0]!)).state]).toEqual([[], 'stored']);
    hears();
    await until('it is done', async () => (await rowOf(ids[0]!)).state === 'applied');
    expect(signals).toEqual([['proceed', view]]);
  });

  test('tells its flow that somebody should look at it, and nothing where nothing is new', async () => {
    const waiting = { ...view, status: 'requires_action', waitsFor: 'payer' } as const;
    const same = await delivered(1, async () => ({ view: waiting, end: 'ignored' }));
    await until('it is done', async () => (await rowOf(same.ids[0]!)).state === 'ignored');
    expect(same.signals).toEqual([]);
    const odd = await delivered(1, async () => ({ view: { ...waiting, review: 'amount differs' }, end: 'applied' }));
    await until('it is done', async () => (await rowOf(odd.ids[0]!)).state === 'applied');
    expect(odd.signals).toEqual([['proceed']]);
  });

  test('leaves callbacks to its flow while many are being heard for long', async () => {
    const heard: (() => void)[] = [];
    const { signals, ids } = await delivered(
      70,
      () => new Promise((resolve) => heard.push(() => resolve({ view, end: 'applied' }))),
    );
    await until('the others are with the flow', async () => signals.length === 6);
    expect(heard).toHaveLength(64);
    expect(ids).toEqual(expect.arrayContaining(signals.map(([, id]) => id)));
    expect(signals.map(([name]) => name)).toEqual(Array(6).fill('callbackArrived'));
    for (const end of heard) end();
    await until('all are done', async () => signals.length === 70);
  });
});

type Tail<All extends unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never;

test('what matches nothing is given up after a while, but never money that has come in', async () => {
  const inbox = new Inbox(database.system);
  const stored = async (type: 'captured' | 'transfer_received', reference: string) => {
    const eventId = newId('callback');
    const event = { eventId, reference, type, processorStatus: 'x' };
    const raw = { method: 'GET' as const, path: '', query: '', headers: {}, body: Buffer.alloc(0) };
    const { id } = (await inbox.store('b', 'processor_b', event, raw))!;
    await inbox.mark(id, 'unmatched');
    await database
      .system('callback_inbox')
      .where({ id })
      .update({ received_at: new Date(0) });
    return id;
  };
  const ids = [
    await stored('captured', newId('payment')),
    await stored('transfer_received', newId('payment')),
    await stored('transfer_received', 'PT50'),
  ];
  await inbox.ignoreUnmatched(1_000);
  const rows = await Promise.all(ids.map((id) => inbox.read(id)));
  expect(rows.map((row) => row!.state)).toEqual(['ignored', 'ignored', 'unmatched']);
});
