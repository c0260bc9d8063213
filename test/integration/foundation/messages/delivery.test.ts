import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { createLog } from '../../../../src/foundation/log/log';
import { MessageDelivery } from '../../../../src/foundation/messages/delivery';
import { type Message, Messenger } from '../../../../src/foundation/messages/messenger';
import { createSenders } from '../../../../src/foundation/messages/senders';
import { createSimulator, type Simulator } from '../../../../src/sandbox/simulator/app';
import { testLogins } from '../../../setup/environment';
import { freePorts } from '../../../setup/ports';

const VAULT_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const tenantId = newId('tenant');
const messenger = new Messenger(VAULT_KEYS);

let database: Database;
let home: string;
let smtpPort: number;
let httpPort: number;
let simulator: Simulator | undefined;
let delivery: MessageDelivery;

async function openMailbox(): Promise<void> {
  simulator = createSimulator({
    home,
    publicUrl: 'http://127.0.0.1:1',
    secrets: { a: 'secret' },
    port: httpPort,
    mailboxSmtpPort: smtpPort,
    settlementEveryMs: 3_600_000,
    chargebackAfterMs: 3_600_000,
  });
  await simulator.start();
}

async function closeMailbox(): Promise<void> {
  await simulator?.stop();
  simulator = undefined;
}

const received = async (to: string) =>
  (
    (await (await fetch(`http://127.0.0.1:${httpPort}/sim/mailbox?to=${encodeURIComponent(to)}`)).json()) as {
      data: Record<string, string>[];
    }
  ).data;

const send = (message: Partial<Message> & Pick<Message, 'channel' | 'to'>) =>
  database.tenant(tenantId, (trx) => messenger.send(trx, { tenantId, text: 'Your code is 123456.', ...message }));

const rowOf = (id: string) => database.system('messages').where({ id }).first();

beforeAll(async () => {
  database = openDatabase(testLogins(), 4);
  await database.system('tenants').insert({ id: tenantId, name: 'Tenant' });
  home = mkdtempSync(join(tmpdir(), 'tillway-mailbox-'));
  [smtpPort, httpPort] = (await freePorts(2)) as [number, number];
  delivery = new MessageDelivery(
    database.system,
    messenger,
    createSenders({
      sandbox: true,
      messages: {
        smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
        mailFrom: 'Tillway <no-reply@tillway.example>',
        twilio: {
          accountSid: 'ACsandbox',
          authToken: 'x',
          from: 'Tillway',
          apiUrl: `http://127.0.0.1:${httpPort}/twilio`,
        },
        schedule: { retryFirstMs: 1, retryMaxMs: 1, ttlMs: 60_000 },
      },
    }),
    { retryFirstMs: 1, retryMaxMs: 1, ttlMs: 60_000 },
    createLog('test', 'silent'),
  );
});
beforeEach(openMailbox);
afterEach(closeMailbox);
afterAll(async () => {
  delivery.close();
  await database.system('messages').where({ tenant_id: tenantId }).delete();
  await database.close();
  rmSync(home, { recursive: true });
});

test('an e-mail arrives as it was written, and nothing of it stays', async () => {
  const text = 'Grüße,\nhttps://example.org/reset?token=abc\n.\nEnd';
  const id = await send({ channel: 'email', to: 'ada@example.org', subject: 'Ihr Code – 1', text });
  expect((await rowOf(id)).sealed.toString('latin1')).not.toContain('ada');
  expect(await delivery.round(10)).toBe(1);
  const [letter] = await received('ADA@example.org');
  expect(letter).toMatchObject({ channel: 'email', to: 'ada@example.org', subject: 'Ihr Code – 1' });
  expect(letter!.text!.trim()).toBe(text);
  expect(await rowOf(id)).toMatchObject({ state: 'delivered', sealed: null });
  expect(await delivery.round(10)).toBe(0);
});

test('an SMS arrives through Twilio’s API', async () => {
  await send({ channel: 'sms', to: '+4915112345678' });
  await delivery.round(10);
  expect(await received('+4915112345678')).toMatchObject([
    { channel: 'sms', from: 'Tillway', text: 'Your code is 123456.' },
  ]);
});

test('what is rolled back is not sent, nor is a decoy', async () => {
  await database
    .tenant(tenantId, async (trx) => {
      await messenger.send(trx, { tenantId, channel: 'email', to: 'eve@example.org', text: 'x' });
      throw new Error('changed my mind');
    })
    .catch(() => undefined);
  await database.tenant(tenantId, (trx) =>
    messenger.decoy(trx, { tenantId, channel: 'email', to: 'eve@example.org', text: 'x' }),
  );
  expect(await delivery.round(10)).toBe(0);
});

test.each([
  ['email', 'bob@example.org'],
  ['sms', '+4915187654321'],
] as const)('a dead carrier delays an %s and never loses it', async (channel, to) => {
  await closeMailbox();
  const id = await send({ channel, to });
  for (let tries = 1; tries <= 3; tries += 1) {
    expect(await delivery.round(10)).toBe(1);
    expect(await rowOf(id)).toMatchObject({ state: 'queued', tries });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await openMailbox();
  await delivery.round(10);
  expect(await received(to)).toHaveLength(1);
});

test('what a carrier refuses for good is not tried again', async () => {
  const id = await send({ channel: 'sms', to: 'not a number' });
  await delivery.round(10);
  expect(await rowOf(id)).toMatchObject({ state: 'refused', sealed: null, tries: 1 });
});

test('an address is one address, whatever it holds', async () => {
  await send({ channel: 'email', to: 'a@example.org, mallory@example.org' });
  await delivery.round(10);
  expect(await received('mallory@example.org')).toEqual([]);
});
