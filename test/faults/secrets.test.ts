import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Joi from 'joi';
import { openAdmin } from '../../src/foundation/db/migrate';
import { EncryptionCodec } from '../../src/foundation/temporal/data-converter';
import { adminUrl } from '../../src/sandbox/runtime/postgres';
import { type Actors, actorsOf, CAPTURED, challenge, type Json, send } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';
import { configOf, platformOf } from './inside';

/** Fault 18: where a card number and its CVV could have ended up, and did not. */

/** Nobody else's card: 15 digits that begin as American Express numbers do, with a right check digit. */
const NUMBER = (() => {
  const digits = `37${Array.from({ length: 12 }, () => randomInt(10)).join('')}`;
  const sum = [...digits].reduce((total, digit, n) => {
    const doubled = Number(digit) * (n % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
})();
/** The number with a digit too many that makes the check digit wrong: one in ten would make it right. */
const MISTYPED = [`${NUMBER}0`, `${NUMBER}1`].find((number) => Joi.string().creditCard().validate(number).error)!;
/** Four digits with a leading zero, as no port, process id or count is written. */
const CVV = '0739';
const HOLDER = 'Unforgettable Buyer';

/** The number as it stands, with separators, in hexadecimal, and in base64 at each of the three offsets. */
const NUMBER_FORMS = [
  NUMBER,
  NUMBER.replace(/(\d{4})(\d{6})(\d{5})/, '$1 $2 $3'),
  NUMBER.replace(/(\d{4})(\d{6})(\d{5})/, '$1-$2-$3'),
  Buffer.from(NUMBER).toString('hex'),
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${NUMBER}`)
      .toString('base64')
      .slice(offset + 1, -4),
  ),
];
/** As a value of its own; hyphens and letters around it make it a part of an id. */
const CVV_FORM = new RegExp(`(?<![0-9A-Za-z+/_-])${CVV}(?![0-9A-Za-z+/=_-])`);

let stack: Stack;
let actors: Actors;

beforeAll(async () => {
  stack = await startStack({
    env: { LOG_LEVEL: 'trace', PROCESSOR_TIMEOUT_MS: '800', PROCESSOR_IN_FLIGHT_MS: '1500' },
  });
  actors = await actorsOf(stack.credentials);
});
afterAll(() => stack?.remove(), 30_000);

/** Names of the texts in which number or CVV stands. */
function leaksIn(texts: Iterable<[name: string, text: string]>): string[] {
  const leaks: string[] = [];
  for (const [name, text] of texts) {
    const form = NUMBER_FORMS.findIndex((one) => text.includes(one));
    if (form >= 0) leaks.push(`${name}: the number, form ${form}`);
    const at = CVV_FORM.exec(text)?.index;
    if (at !== undefined) leaks.push(`${name}: the CVV, ${text.slice(Math.max(0, at - 60), at + 20)}`);
  }
  return leaks;
}

/** Every row of every table as JSON, what is stored as bytes decoded. */
async function databaseDump(): Promise<[string, string][]> {
  const { postgresAdminPassword } = JSON.parse(readFileSync(join(stack.home, 'secrets.json'), 'utf8'));
  const admin = openAdmin(adminUrl(postgresAdminPassword, Number(stack.env.POSTGRES_PORT), 'tillway'));
  try {
    const { rows: tables } = await admin.raw(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const dump: [string, string][] = [];
    for (const { name } of tables) {
      const { rows } = await admin.raw(`SELECT row_to_json(t)::text AS row FROM ${name} t`);
      for (const { row } of rows)
        dump.push([
          name,
          row.replace(/\\\\x((?:[0-9a-f]{2})+)/g, (_: string, hex: string) =>
            Buffer.from(hex, 'hex').toString('latin1'),
          ),
        ]);
    }
    return dump;
  } finally {
    await admin.destroy();
  }
}

/** Every history, as the engine keeps it and with its payloads decoded. */
async function histories(): Promise<[string, string][]> {
  const platform = await platformOf(stack);
  const codec = new EncryptionCodec(configOf(stack).keys.codec!);
  const texts: [string, string][] = [];
  const decode = (node: Json): void => {
    if (node === null || typeof node !== 'object' || node instanceof Uint8Array) return;
    if (node.metadata?.encoding instanceof Uint8Array) {
      texts.push(['a raw payload', Buffer.from(node.data ?? []).toString('latin1')]);
      const [payload] = codec.reveal([node]);
      texts.push(['a payload', Buffer.from(payload?.data ?? []).toString('latin1')]);
      return;
    }
    for (const value of Object.values(node)) decode(value);
  };
  try {
    const { workflow } = platform.engine.client;
    for await (const { workflowId, memo, searchAttributes } of workflow.list()) {
      const history: Json = await workflow.getHandle(workflowId).fetchHistory();
      texts.push(['a history', JSON.stringify({ workflowId, memo, searchAttributes, history })]);
      decode(history);
      texts.push(['a description', JSON.stringify((await workflow.getHandle(workflowId).describe()).raw)]);
    }
    return texts;
  } finally {
    await platform.close();
  }
}

/** Every file under TILLWAY_HOME: logs, journals, credentials, the engine's and Postgres's own files, WAL included. */
function files(): [string, string][] {
  return readdirSync(stack.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path): [string, string][] => {
      try {
        return [[path.slice(stack.home.length), readFileSync(path, 'latin1')]];
      } catch {
        // A file of a running database may go at any time.
        return [];
      }
    });
}

/** Payments with this one card down every road on which it could be written somewhere. */
async function payments() {
  const { merchant, simulator } = actors;
  const card = { holder: HOLDER, cvv: CVV };
  const pay = (overrides = {}) => merchant.pay(NUMBER, { card, ...overrides });

  const stored = await merchant.paid(NUMBER, { card, storeCard: true });
  await merchant.pay(undefined, { cardToken: stored.cardToken });
  await merchant.pay(NUMBER, { card }, { key: 'a-key' });
  const passed = (await pay({ threeDS: 'required' })).body.data;
  await challenge(passed.action.url, 'authenticated');
  await merchant.until(passed.paymentId, ...CAPTURED);
  for (const fault of ['status_500', 'close_after', 'drop', 'close_before']) {
    await simulator.fault('authorize', fault);
    const { paymentId } = (await pay()).body.data;
    await merchant.until(paymentId, ...CAPTURED, 'failed');
  }
  expect((await simulator.faultsLeft()).length).toBe(0);
  await merchant.refund(stored.paymentId);

  // Refused before anything is stored.
  const order = { ...merchant.order(NUMBER, { card }) };
  const refused = [
    await pay({ amount: 'nonsense' }),
    await pay({ card: { ...card, expiryMonth: '13' } }),
    await pay({ [NUMBER]: NUMBER, cvv: CVV }),
    await merchant.pay(MISTYPED, { card }),
    await merchant.post('/payments/h2h/1', `${JSON.stringify(order)}}`, { 'content-type': 'application/json' }),
    await merchant.post('/payments/h2h/27', order),
    await merchant.post(`/payments/h2h/${NUMBER}`, order),
    await merchant.get(`/payments/methods?card=${NUMBER}&cvv=${CVV}`),
    await merchant.get(`/ipg/1.0.0/payment/payments/${NUMBER}/events`),
    await send(`${stack.apiUrl}/payments/h2h/1`, { method: 'POST', body: order }),
  ];
  expect(refused.map(({ status }) => status).filter((status) => status < 400)).toEqual([]);

  // Left open: its CVV is still needed, and lies sealed.
  const open = (await pay({ threeDS: 'required' })).body.data;
  expect(open.transactionStatus).toBe('requires_action');
  return { stored, open };
}

test('a card number and its CVV are nowhere: database, engine, logs, journals, files', async () => {
  const { stored, open } = await payments();

  const dump = await databaseDump();
  expect(dump.length).toBeGreaterThan(50);
  expect(dump.some(([table, row]) => table.endsWith('.payments') && row.includes(HOLDER))).toBe(true);
  expect(dump.filter(([table]) => table.endsWith('.vault_cvvs'))).toHaveLength(1);
  expect(leaksIn(dump)).toEqual([]);

  const texts = await histories();
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.some(([name, text]) => name === 'a payload' && text.includes(stored.paymentId))).toBe(true);
  expect(texts.some(([name, text]) => name === 'a raw payload' && text.includes(stored.paymentId))).toBe(false);
  expect(leaksIn(texts)).toEqual([]);

  const kept = files();
  const of = (pattern: RegExp) =>
    kept
      .filter(([name]) => pattern.test(name))
      .map(([, text]) => text)
      .join('\n');
  expect(of(/^\/logs\/tillway-api/)).toContain('/payments/h2h/1');
  expect(of(/^\/logs\//).split('\n').length).toBeGreaterThan(50);
  expect(of(/^\/simulator\//)).toContain(stored.paymentId);
  expect(of(/^\/credentials\.json/)).toContain(stack.credentials.organizationId);
  expect(of(/^\/temporal\//)).toContain(open.paymentId);
  expect(of(/^\/postgres\//)).toContain(stored.paymentId);
  const text = kept.filter(([name]) => /^\/(logs|simulator|credentials)/.test(name));
  expect(leaksIn(text)).toEqual([]);
  // In binary files four digits stand anywhere by chance; the number does not.
  expect(
    kept.filter(([, content]) => NUMBER_FORMS.some((form) => content.includes(form))).map(([name]) => name),
  ).toEqual([]);
  expect(leaksIn([['what the platform said', stack.output()]])).toEqual([]);

  // And the last CVV goes when its payment ends.
  await challenge(open.action.url, 'failed');
  await actors.merchant.until(open.paymentId, 'failed');
  expect((await databaseDump()).filter(([table]) => table.endsWith('.vault_cvvs'))).toEqual([]);
});

test('the search finds what is there', () => {
  for (const text of NUMBER_FORMS) expect(leaksIn([['here', `…${text}…`]])).toHaveLength(1);
  for (const offset of ['', 'a', 'ab'])
    expect(leaksIn([['here', Buffer.from(`${offset}${NUMBER} and more`).toString('base64')]])).toHaveLength(1);
  for (const text of [`"cvv":"${CVV}"`, `cvv=${CVV}&x`, `\n${CVV}\n`])
    expect(leaksIn([['here', text]])).toHaveLength(1);
});
