import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import { makeWalletKeys } from '../../../../src/sandbox/runtime/wallet-authority';
import { createSimulator, type Simulator } from '../../../../src/sandbox/simulator/app';

const TTL_MS = 300_000;
const { DEVICE_WALLET_KEYS, DEVICE_WALLET_ISSUER_KEYS } = makeWalletKeys();
const tokens = new DeviceWalletTokens(DEVICE_WALLET_KEYS, { tokenTtlMs: TTL_MS });
const home = mkdtempSync(join(tmpdir(), 'tillway-wallets-'));
const payment = { merchantId: 'org_one', money: { amountMinor: 1_234n, currency: 'KWD' } };
const request = {
  card: { number: '4000000000003220', holder: 'A Buyer', expiryMonth: '01', expiryYear: '2030', cvv: '123' },
  amount: '1.234',
  currency: 'KWD',
  merchantId: 'org_one',
};

let simulator: Simulator;
let url: string;

async function start(walletIssuerKeys?: string): Promise<void> {
  simulator = createSimulator({
    home,
    publicUrl: 'http://127.0.0.1:9',
    secrets: { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e', f: 'f', g: 'g', h: 'h' },
    walletIssuerKeys,
    walletTokenTtlMs: TTL_MS,
    settlementEveryMs: 3_600_000,
    chargebackAfterMs: 3_600_000,
  });
  url = await simulator.start();
}

beforeAll(() => start(DEVICE_WALLET_ISSUER_KEYS));
afterAll(async () => {
  await simulator.stop();
  rmSync(home, { recursive: true });
});

async function ask(wallet: string, body: unknown) {
  const response = await fetch(`${url}/sim/wallets/${wallet}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is under test
  return { status: response.status, body: (await response.json()) as any };
}

describe.each(['first', 'second'] as const)('the %s wallet', (wallet) => {
  test('gives a bare token for a card and a payment', async () => {
    const { status, body } = await ask(wallet, request);
    expect(status).toBe(201);
    const names = wallet === 'first' ? ['intermediateSigningKey', 'protocolVersion'] : ['data', 'header'];
    expect(Object.keys(body)).toEqual(expect.arrayContaining([...names, 'signature']));
    expect(JSON.stringify(body)).not.toContain('4000000000003220');
    expect(tokens.open(wallet, body, payment)).toMatchObject({
      number: '4000000000003220',
      expiryMonth: '01',
      expiryYear: '2030',
    });
  });

  test('takes a number alone for a card', async () => {
    const { body } = await ask(wallet, { ...request, card: '378282246310005' });
    const card = tokens.open(wallet, body, payment);
    expect(card).toMatchObject({ number: '378282246310005', expiryMonth: '12' });
    expect(Number(card.expiryYear)).toBeGreaterThan(new Date().getUTCFullYear());
  });

  test('gives an expired token when asked to', async () => {
    const { body } = await ask(wallet, { ...request, expiresInMs: -1_000 });
    expect(() => tokens.open(wallet, body, payment)).toThrow('has expired');
  });

  const bad: [string, unknown, string][] = [
    ['no card', { ...request, card: undefined }, 'card'],
    ['a number with a wrong check digit', { ...request, card: '4111111111111112' }, 'card'],
    ['the same in an object', { ...request, card: { number: '4111111111111112' } }, 'card.number'],
    ['an amount of another currency', { ...request, amount: '1.23' }, 'amount'],
    ['an unknown currency', { ...request, currency: 'XXY' }, 'currency'],
    ['no merchant', { ...request, merchantId: undefined }, 'merchantId'],
    ['a member it does not know', { ...request, tip: '1.000' }, 'tip'],
    ['another way of authentication', { ...request, authMethod: 'NONE' }, 'authMethod'],
    ['no JSON', '{', ''],
  ];
  test.each(bad)('refuses %s', async (_, body, field) => {
    const answer = await ask(wallet, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field }] });
    expect(JSON.stringify(answer.body)).not.toContain('411111');
  });
});

test('the first wallet gives a card without a cryptogram when asked to', async () => {
  const { body } = await ask('first', { ...request, authMethod: 'PAN_ONLY' });
  expect(tokens.open('first', body, payment).cryptogram).toBeUndefined();
});

test('the second wallet states its amount exactly or not at all', async () => {
  const { status, body } = await ask('second', { ...request, amount: '9007199254740.993' });
  expect(status).toBe(400);
  expect(body.error.details).toEqual([{ field: 'amount', message: 'is too large for this wallet' }]);
});

test('there are two wallets, and none without keys', async () => {
  expect((await ask('third', request)).status).toBe(404);
  await simulator.stop();
  await start();
  expect((await ask('first', request)).status).toBe(404);
});
