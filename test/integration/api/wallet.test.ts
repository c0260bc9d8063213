import type { Route } from '../../../src/api/server/route';
import { feeRoutes } from '../../../src/api/wallet/fee-routes';
import { limitRoutes } from '../../../src/api/wallet/limit-routes';
import { statementRoutes } from '../../../src/api/wallet/statement-routes';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { applyFee } from '../../../src/money/fees/fees';
import { feeIncomeOf, walletOf } from '../../../src/money/ledger/accounts';
import type { LedgerCause } from '../../../src/money/ledger/causes';
import { Ledger } from '../../../src/money/ledger/ledger';
import { spendAllowance } from '../../../src/money/limits/allowance';
import { createTestDatabase } from '../../setup/environment';
import { insertPerson } from '../people/customers/place';
import { type ApiServer, type CallOptions, startApi } from './api-server';

let database: Database;
let api: ApiServer;
let dropDatabase: () => Promise<void>;
let tokens: Record<'admin' | 'ops' | 'merchant' | 'stranger', string>;
let customerId: string;
let tenantId: string;
const ledger = new Ledger();

beforeAll(async () => {
  const own = await createTestDatabase('wallet_api');
  dropDatabase = own.drop;
  database = openDatabase(own.logins, 4, 'test-wallet-api');
  const routes: Route[] = [...feeRoutes({ database }), ...limitRoutes({ database }), ...statementRoutes({ database })];
  api = await startApi({ routes, databaseUrl: own.url });
  const { clients, other } = api.seeded;
  tenantId = api.seeded.tenantId;
  tokens = {
    admin: await api.tokenOf(clients.tenantAdmin),
    ops: await api.tokenOf(clients.ops),
    merchant: await api.tokenOf(clients.merchant),
    stranger: await api.tokenOf(other.clients.tenantAdmin),
  };
});
afterAll(async () => {
  await api?.close();
  await database?.close();
  await dropDatabase?.();
});
beforeEach(async () => {
  customerId = (await insertPerson({ database, tenantId } as never)).id;
});

const call = (method: string, path: string, body?: unknown, { token = tokens.admin, headers = {} }: CallOptions = {}) =>
  api.call(method, `/wallet/1.0.0${path}`, { token, headers: { tenantid: tenantId, ...headers }, body });
const put = (path: string, body: object) => call('PUT', path, body);
const quote = (operation: string, amount: string, currency = 'EUR') =>
  call('POST', '/quote', { operation, amount, currency });

describe('fees', () => {
  test('nothing is charged where nothing was set', async () => {
    expect((await quote('link', '12.34')).json).toEqual({
      operation: 'link',
      currency: 'EUR',
      amount: '12.34',
      fee: '0.00',
      payer: 'sender',
      total: '12.34',
      net: '12.34',
    });
  });

  test('a quote is what is charged: fixed, share, minimum, maximum, payer', async () => {
    const fee = {
      operation: 'p2p',
      currency: 'EUR',
      fixed: '0.10',
      basisPoints: 250,
      minimum: '0.20',
      maximum: '3.00',
    };
    expect(await put('/fees', fee)).toMatchObject({ status: 200, json: { ...fee, payer: 'sender', inEffect: true } });
    for (const [amount, cost, total] of [
      ['1.00', '0.20', '1.20'],
      ['10.00', '0.35', '10.35'],
      ['500.00', '3.00', '503.00'],
    ] as const) {
      expect((await quote('p2p', amount)).json).toMatchObject({ fee: cost, total, net: amount, payer: 'sender' });
      const charged = await database.tenant(tenantId, (trx) =>
        applyFee(trx, { tenantId, operation: 'p2p', currency: 'EUR', amountMinor: BigInt(amount.replace('.', '')) }),
      );
      expect(charged.feeMinor).toBe(BigInt(cost.replace('.', '')));
    }
    await put('/fees', { ...fee, payer: 'recipient' });
    expect((await quote('p2p', '10.00')).json).toMatchObject({ fee: '0.35', total: '10.00', net: '9.65' });
    expect(await quote('p2p', '0.20')).toMatchObject({ status: 422, json: { code: 'fee_exceeds_amount' } });
    expect((await quote('p2p', '10.00', 'USD')).json).toMatchObject({ fee: '0.00' });
  });

  test('in currencies with no and three decimals', async () => {
    await put('/fees', { operation: 'topup', currency: 'JPY', fixed: '10', basisPoints: 150 });
    await put('/fees', { operation: 'topup', currency: 'KWD', fixed: '0.100', basisPoints: 150 });
    expect((await quote('topup', '1000', 'JPY')).json).toMatchObject({ fee: '25', net: '975', total: '1000' });
    expect((await quote('topup', '1.000', 'KWD')).json).toMatchObject({ fee: '0.115', net: '0.885' });
  });

  test('versions take effect at their time, and stay', async () => {
    const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();
    const fee = (fixed: string, effectiveFrom?: string) =>
      put('/fees', { operation: 'bank_transfer', currency: 'EUR', fixed, effectiveFrom });
    await fee('1.00', at(-3_600_000));
    expect((await fee('9.00', at(3_600_000))).json).toMatchObject({ fixed: '9.00', inEffect: false });
    expect((await quote('bank_transfer', '50.00')).json.fee).toBe('1.00');
    await fee('2.00');
    expect((await quote('bank_transfer', '50.00')).json.fee).toBe('2.00');
    const asked = (offsetMs: number) =>
      database.tenant(tenantId, (trx) =>
        applyFee(trx, {
          tenantId,
          operation: 'bank_transfer',
          currency: 'EUR',
          amountMinor: 5_000n,
          at: new Date(Date.now() + offsetMs),
        }),
      );
    expect((await asked(-1_800_000)).feeMinor).toBe(100n);
    expect((await asked(7_200_000)).feeMinor).toBe(900n);
    expect((await asked(-7_200_000)).terms).toBeNull();
    await fee('0.00');
    expect((await quote('bank_transfer', '50.00')).json.fee).toBe('0.00');
    const first = await call('GET', '/fees?operation=bank_transfer&limit=3');
    const second = await call('GET', `/fees?operation=bank_transfer&limit=3&cursor=${first.json.nextCursor}`);
    expect([...first.json.data, ...second.json.data].map(({ fixed, inEffect }) => [fixed, inEffect])).toEqual([
      ['0.00', true],
      ['2.00', false],
      ['9.00', false],
      ['1.00', false],
    ]);
    const audited = await database.system('audit_log').where({ action: 'fees.set', target: 'bank_transfer EUR' });
    expect(audited).toHaveLength(4);
    expect(audited[0]).toMatchObject({ tenant_id: tenantId, actor: api.seeded.clients.tenantAdmin.clientId });
  });

  test('what is refused', async () => {
    const fee = { operation: 'p2p', currency: 'EUR' };
    for (const wrong of [
      { ...fee, fixed: '0.1' },
      { ...fee, fixed: '-0.10' },
      { ...fee, basisPoints: 10_001 },
      { ...fee, basisPoints: 1.5 },
      { ...fee, minimum: '2.00', maximum: '1.00' },
      { ...fee, operation: 'refund' },
      { ...fee, payer: 'nobody' },
      { ...fee, fee: '1.00' },
      { operation: 'p2p' },
    ])
      expect((await put('/fees', wrong)).status).toBe(400);
    expect((await call('PUT', '/fees', fee, { token: tokens.ops })).status).toBe(403);
    expect((await call('PUT', '/fees', fee, { token: tokens.merchant })).status).toBe(403);
    expect((await call('PUT', '/fees', fee, { token: tokens.stranger })).status).toBe(403);
    expect((await quote('p2p', '0.00')).status).toBe(400);
    expect((await quote('p2p', '1')).status).toBe(400);
  });
});

describe('limits', () => {
  const spend = (amountMinor: bigint, cause: string) =>
    database.tenant(tenantId, (trx) =>
      spendAllowance(trx, { tenantId, customerId, operation: 'p2p', currency: 'EUR', amountMinor, cause }),
    );

  test('the tenant’s, and a customer’s own before them', async () => {
    const general = { operation: 'p2p', currency: 'EUR', perTransaction: '100.00', dailyCount: 3 };
    const own = { customerId, operation: 'p2p', currency: 'EUR', perTransaction: '250.00', monthlyAmount: '1000.00' };
    expect(await put('/limits', general)).toMatchObject({ status: 200, json: general });
    expect(await put('/limits', own)).toMatchObject({ status: 200, json: own });
    expect((await call('GET', '/limits?operation=p2p')).json.data).toEqual([general, own]);
    expect((await call('GET', `/limits?customerId=${customerId}`)).json.data).toEqual([own]);
    const page = await call('GET', '/limits?operation=p2p&limit=1');
    expect((await call('GET', `/limits?operation=p2p&limit=1&cursor=${page.json.nextCursor}`)).json).toEqual({
      data: [own],
      nextCursor: null,
    });
    await spend(20_000n, `trf_${customerId}`);
    expect((await call('GET', `/customers/${customerId}/limits`)).json.data).toEqual([
      {
        operation: 'p2p',
        currency: 'EUR',
        perTransaction: '250.00',
        dailyCount: 3,
        monthlyAmount: '1000.00',
        used: { dailyAmount: '200.00', dailyCount: 1, monthlyAmount: '200.00', monthlyCount: 1 },
      },
    ]);
    await expect(spend(25_001n, 'too much')).rejects.toThrow('The limit perTransaction is 250.00 for p2p in EUR');
    await put('/limits', { customerId, operation: 'p2p', currency: 'EUR' });
    await expect(spend(10_001n, 'too much')).rejects.toThrow('The limit perTransaction is 100.00 for p2p in EUR');
  });

  test('what is refused', async () => {
    const limits = { operation: 'p2p', currency: 'EUR' };
    for (const wrong of [
      { ...limits, perTransaction: '1' },
      { ...limits, dailyCount: -1 },
      { ...limits, dailyCount: '3' },
      { ...limits, customerId: customerId.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      { currency: 'EUR' },
    ])
      expect((await put('/limits', wrong)).status).toBe(400);
    const foreign = { tenantid: api.seeded.other.tenantId };
    const ofStranger = { ...limits, customerId };
    expect((await call('PUT', '/limits', ofStranger, { token: tokens.stranger, headers: foreign })).status).toBe(400);
    expect((await call('GET', `/customers/${customerId}/limits`, undefined, { token: tokens.merchant })).status).toBe(
      403,
    );
    expect(
      (await call('GET', `/customers/${customerId}/limits`, undefined, { token: tokens.stranger, headers: foreign }))
        .status,
    ).toBe(404);
  });
});

describe('balances and statement', () => {
  const processor = { kind: 'provider_receivable' as const, owner: 'a' };
  let causes = 0;
  const book = (direction: 'in' | 'out', amountMinor: bigint, currency = 'EUR') =>
    database.tenant(tenantId, (trx) =>
      ledger.book(trx, tenantId, currency, [
        {
          phase: 'posted',
          debit: direction === 'in' ? processor : walletOf(customerId),
          credit: direction === 'in' ? walletOf(customerId) : feeIncomeOf(tenantId),
          amountMinor,
          cause: `trf_${customerId}${causes++}/x` as LedgerCause,
        },
      ]),
    );
  const statement = (query: string, headers: Record<string, string> = {}) =>
    call('GET', `/customers/${customerId}/statement?${query}`, undefined, { headers });

  test('a customer without money has no balance and an empty statement', async () => {
    expect((await call('GET', `/customers/${customerId}/balances`)).json).toEqual({ data: [], nextCursor: null });
    expect((await statement('currency=EUR')).json).toEqual({
      customerId,
      currency: 'EUR',
      openingBalance: '0.00',
      entries: [],
      closingBalance: '0.00',
      nextCursor: null,
    });
  });

  test('signed entries that lead from opening to closing; pages that do so each', async () => {
    await book('in', 100_000n);
    for (let n = 0; n < 6; n += 1) await book(n % 2 ? 'in' : 'out', BigInt(n + 1));
    await book('in', 7n, 'JPY');
    expect((await call('GET', `/customers/${customerId}/balances`)).json.data).toMatchObject([
      { currency: 'EUR', available: '1000.03', held: '0.00', owed: '0.00', iban: expect.stringMatching(/^GB\d\dTLWY/) },
      { currency: 'JPY', available: '7' },
    ]);
    const { json } = await statement('currency=EUR');
    expect(json).toMatchObject({ openingBalance: '0.00', closingBalance: '1000.03', nextCursor: null });
    expect(json.entries.map(({ amount, balance, type }: Record<string, string>) => [amount, balance, type])).toEqual([
      ['1000.00', '1000.00', 'transfer'],
      ['-0.01', '999.99', 'fee'],
      ['0.02', '1000.01', 'transfer'],
      ['-0.03', '999.98', 'fee'],
      ['0.04', '1000.02', 'transfer'],
      ['-0.05', '999.97', 'fee'],
      ['0.06', '1000.03', 'transfer'],
    ]);
    let cursor = '';
    let closing = '0.00';
    const seen: string[] = [];
    do {
      const page = (await statement(`currency=EUR&limit=3${cursor && `&cursor=${cursor}`}`)).json;
      expect(page.openingBalance).toBe(closing);
      closing = page.closingBalance;
      expect(page.entries.at(-1).balance).toBe(closing);
      seen.push(...page.entries.map(({ entryId }: { entryId: string }) => entryId));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(json.entries.map(({ entryId }: { entryId: string }) => entryId));
    expect(closing).toBe('1000.03');

    const [from, to] = [json.entries[2].bookedAt, json.entries[5].bookedAt];
    const window = (await statement(`currency=EUR&from=${from}&to=${to}`)).json;
    const before = (await statement(`currency=EUR&to=${from}`)).json;
    const after = (await statement(`currency=EUR&from=${to}`)).json;
    expect(window).toMatchObject({ from, to, openingBalance: before.closingBalance });
    expect(after).toMatchObject({ openingBalance: window.closingBalance, closingBalance: '1000.03' });
    expect(before.entries.length + window.entries.length + after.entries.length).toBe(7);

    const fees = (await statement('currency=EUR&type=fee&direction=debit&limit=2')).json;
    expect(fees.entries.map(({ amount }: { amount: string }) => amount)).toEqual(['-0.01', '-0.03']);
    expect(fees.entries[0]).not.toHaveProperty('balance');
    expect(fees.nextCursor).not.toBeNull();
  });

  test('CSV by Accept', async () => {
    await book('in', 5_000n);
    await book('out', 125n);
    const reply = await statement('currency=EUR', { accept: 'text/csv' });
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = reply.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(lines[0]).toEqual(['entryId', 'bookedAt', 'type', 'reference', 'amount', 'currency', 'balance']);
    expect(lines.slice(1).map((line) => [line[2], line[4], line[6]])).toEqual([
      ['opening_balance', '', '0.00'],
      ['transfer', '50.00', '50.00'],
      ['fee', '-1.25', '48.75'],
      ['closing_balance', '', '48.75'],
    ]);
  });

  test('what is refused', async () => {
    for (const query of [
      '',
      'currency=XXL',
      'currency=EUR&limit=0',
      'currency=EUR&from=yesterday',
      'currency=EUR&type=x',
      'currency=EUR&cursor=x',
    ])
      expect((await statement(query)).status).toBe(400);
    const foreign = { token: tokens.stranger, headers: { tenantid: api.seeded.other.tenantId } };
    for (const path of ['balances', 'statement?currency=EUR', 'limits'])
      expect((await call('GET', `/customers/${customerId}/${path}`, undefined, foreign)).status).toBe(404);
    expect((await call('GET', `/customers/${customerId}/balances`, undefined, { token: tokens.merchant })).status).toBe(
      403,
    );
  });
});
