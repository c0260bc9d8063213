import { isValidIBAN } from 'ibantools';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, outOfBalance, Simulator, send, transfersOf, until } from './client';
import { ACCOUNTS, PAYOUTS, put, Seller } from './sellers';

const { credentials, apiUrl } = sharedStack();
let actors: Actors;
let stranger: Actors;
const bank = new Simulator(credentials.simulatorUrl, 'b');

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const seller = (iban?: string | null) => Seller.create(credentials, actors, iban);
const bookedFor = async (payoutId: string) =>
  (await transfersOf(actors, payoutId)).map(({ cause }: Json) => cause.split('/')[1]);

test('account numbers of the tests are right', () => {
  for (const iban of Object.values(ACCOUNTS)) expect([iban, isValidIBAN(iban)]).toEqual([iban, true]);
});

describe('on demand', () => {
  test('what is settled is paid out once, and stands in a statement of every form', async () => {
    const shop = await seller();
    const paymentId = await shop.sold('10.00');
    expect(await shop.balance()).toMatchObject({ balance: '10.00', available: '10.00', unsettled: '0.00' });
    const { status, body } = await shop.payOut();
    expect([status, body.status]).toEqual([202, 'sent']);
    expect(body).toMatchObject({ amount: '10.00', number: 1, origin: 'on_demand' });
    const { payoutId } = body;
    await shop.become(payoutId, 'settled');
    expect(await shop.sentFor(payoutId)).toMatchObject([{ amount: '10.00', status: 'settled', requests: 1 }]);
    expect(await bookedFor(payoutId)).toEqual(['ordered', 'paid']);
    expect(await shop.payOut()).toMatchObject({ status: 422, body: { code: 'insufficient_funds' } });

    const path = `${PAYOUTS}/payouts/${payoutId}/statement`;
    const inForm = (accept: string) => shop.merchant.get(path, { accept });
    const { body: statement } = await inForm('application/json');
    expect(statement.account).toEqual({ iban: 'DE**3000', holder: 'A Seller' });
    expect(Object.fromEntries(statement.lines.map(({ name, amount }: Json) => [name, amount]))).toMatchObject({
      opening: '0.00',
      gross: '10.00',
      net: '-10.00',
      closing: '0.00',
    });
    const csv = await inForm('text/csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.body).toContain(`gross,${paymentId},10.00,EUR,10.00`);
    expect(csv.body.trim().split('\r\n')).toHaveLength(5);
    const page = await inForm('text/html');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('Paid out');
    const pdf = await inForm('application/pdf');
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(pdf.body.startsWith('%PDF-')).toBe(true);

    const file = await shop.merchant.get(`${PAYOUTS}/payouts/${payoutId}/pain001`);
    expect(file.body).toContain(`<EndToEndId>${payoutId}</EndToEndId>`);
    expect(file.body).toContain(`<IBAN>${ACCOUNTS.settles}</IBAN>`);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const batch = await actors.tenantAdmin.get(`${PAYOUTS}/pain001?from=${from}&to=${to}`);
    expect(batch.body).toContain(`<EndToEndId>${payoutId}</EndToEndId>`);
    expect((await shop.merchant.get(`${PAYOUTS}/pain001?from=${from}&to=${to}`)).status).toBe(403);
  });

  test('the same key orders one payout; a part leaves the rest', async () => {
    const shop = await seller();
    await shop.sold('10.00');
    const key = { 'idempotency-key': `k-${shop.organizationId}` };
    const [one, again] = [await shop.payOut({ amount: '4.00' }, key), await shop.payOut({ amount: '4.00' }, key)];
    expect(again.body.payoutId).toBe(one.body.payoutId);
    expect((await shop.balance()).available).toBe('6.00');
    expect(await shop.payOut({ amount: '6.01' })).toMatchObject({ status: 422 });
    const { body: list } = await shop.merchant.get(`${PAYOUTS}/payouts?currency=EUR&limit=1`);
    expect(list.data.map(({ payoutId }: Json) => payoutId)).toEqual([one.body.payoutId]);
    const { body: others } = await actors.tenantAdmin.get(`${PAYOUTS}/payouts`, {
      organizationid: shop.organizationId,
    });
    expect(others.data).toHaveLength(1);
  });

  test('one for later can be cancelled until it is sent', async () => {
    const shop = await seller();
    await shop.sold('10.00');
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await shop.payOut({ sendAt });
    expect(body).toMatchObject({ status: 'scheduled', sendAt });
    expect((await shop.balance()).available).toBe('0.00');
    const cancel = () => shop.merchant.post(`${PAYOUTS}/payouts/${body.payoutId}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(await cancel()).toMatchObject({ status: 409 });
    expect((await shop.balance()).available).toBe('10.00');
    expect(await shop.sentFor(body.payoutId)).toEqual([]);
    const past = await shop.payOut({ sendAt: '2020-01-01T00:00:00Z' });
    expect(past).toMatchObject({ status: 400, body: { details: [{ field: 'sendAt' }] } });
  });

  test('nobody else sees it or its seller', async () => {
    const shop = await seller();
    await shop.sold();
    const { payoutId } = (await shop.payOut()).body;
    for (const other of [stranger.merchant, stranger.tenantAdmin, actors.merchant])
      for (const path of ['', '/statement', '/pain001'])
        expect((await other.get(`${PAYOUTS}/payouts/${payoutId}${path}`)).status).toBe(404);
    const foreign = { currency: 'EUR', organizationId: shop.organizationId };
    expect((await stranger.tenantAdmin.post(`${PAYOUTS}/payouts`, foreign)).status).toBe(404);
    expect((await actors.merchant.post(`${PAYOUTS}/payouts`, foreign)).status).toBe(403);
    expect((await actors.tenantAdmin.post(`${PAYOUTS}/payouts`, { currency: 'EUR' })).status).toBe(400);
  });
});

describe('at the processor', () => {
  const out = async (shop: Seller): Promise<string> => (await shop.payOut()).body.payoutId;
  const sellerWith = async (iban: string) => {
    const shop = await seller(iban);
    await shop.sold('10.00');
    return shop;
  };

  test('refused: the money is back', async () => {
    const shop = await sellerWith(ACCOUNTS.refused);
    const { status, body } = await shop.payOut();
    expect([status, body.status]).toEqual([201, 'failed']);
    expect(body.detail).toContain('there is no such account');
    expect((await shop.balance()).available).toBe('10.00');
  });

  test('returned: it went out and came back', async () => {
    const shop = await sellerWith(ACCOUNTS.comesBack);
    const id = await out(shop);
    expect((await shop.become(id, 'returned')).detail).toContain('the account is closed');
    expect(await bookedFor(id)).toEqual(['ordered', 'paid', 'returned']);
    expect((await shop.balance()).available).toBe('10.00');
  });

  test('returned after it was credited: a new run of the flow hears of it', async () => {
    const shop = await sellerWith(ACCOUNTS.settles);
    const id = await out(shop);
    await shop.become(id, 'settled');
    await send(`${credentials.simulatorUrl}/sim/processors/b/payouts/${id}/return`, { method: 'POST' });
    await shop.become(id, 'returned');
    expect((await shop.balance()).available).toBe('10.00');
  });

  test('it never answers, but sends: the payout is not sent again', async () => {
    const shop = await sellerWith(ACCOUNTS.neverAnswers);
    const id = await out(shop);
    await shop.become(id, 'settled');
    expect(await shop.sentFor(id)).toMatchObject([{ status: 'settled', requests: 1 }]);
  });

  test.each(['drop', 'close_before', 'close_after', 'status_429', 'status_500', 'duplicate'])(
    '%s: one transfer goes out',
    async (fault) => {
      const shop = await sellerWith(ACCOUNTS.settles);
      await bank.fault('payout', fault, {});
      const id = await out(shop);
      await shop.become(id, 'settled');
      expect(await shop.sentFor(id)).toHaveLength(1);
    },
  );

  test('a callback that is lost is found by asking', async () => {
    const shop = await sellerWith(ACCOUNTS.settles);
    await shop.sold('1.00');
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const id = (await shop.payOut({ sendAt })).body.payoutId;
    await bank.fault('callback', 'drop', { reference: id });
    await shop.become(id, 'settled');
    expect(await bookedFor(id)).toEqual(['ordered', 'paid']);
  });
});

describe('the account', () => {
  test('the first counts once it is verified; a change waits, and its contact is told', async () => {
    const shop = await seller(null);
    await shop.sold('10.00');
    expect(await shop.name('DE89370400440532013001')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'iban' }] },
    });
    expect(await shop.name('DE89 3704 0044 0532 0130 00')).toMatchObject({
      status: 200,
      body: { iban: ACCOUNTS.settles, status: 'unverified' },
    });
    expect(await shop.payOut()).toMatchObject({ status: 409 });
    const verify = () => actors.tenantAdmin.post(`${PAYOUTS}/accounts/${shop.organizationId}/verify`);
    expect(await verify()).toMatchObject({ status: 200, body: { iban: 'DE**3000', status: 'verified' } });
    expect(await verify()).toMatchObject({ status: 409 });
    const [{ accountId }] = (await shop.merchant.get(`${PAYOUTS}/account`)).body.history;
    const { body: changed } = await shop.name(ACCOUNTS.comesBack);
    const path = `${PAYOUTS}/accounts/${shop.organizationId}/verify`;
    expect(await actors.tenantAdmin.post(path, { accountId })).toMatchObject({ status: 409 });
    expect(Date.parse(changed.effectiveFrom) - Date.parse(changed.createdAt)).toBeGreaterThan(86_000_000);
    await verify();
    const { body: own } = await shop.merchant.get(`${PAYOUTS}/account`);
    expect(own.inEffect.iban).toBe(ACCOUNTS.settles);
    expect(own.history.map(({ iban }: Json) => iban)).toEqual([ACCOUNTS.comesBack, ACCOUNTS.settles]);
    const { body: seen } = await actors.tenantAdmin.get(`${PAYOUTS}/accounts/${shop.organizationId}`);
    expect(JSON.stringify(seen)).not.toContain(ACCOUNTS.settles);
    const letters = await until('the contact is told', async () => {
      const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(shop.email)}`);
      const texts: string[] = body.data.map(({ text }: Json) => text);
      return (
        texts.some((text) => text.includes('then to DE**')) && texts.some((text) => text.startsWith('Hello')) && texts
      );
    });
    expect(letters.join()).not.toContain(ACCOUNTS.settles);
    expect((await stranger.tenantAdmin.post(`${PAYOUTS}/accounts/${shop.organizationId}/verify`)).status).toBe(404);
  });

  test('blocked: nothing is paid, also not what was ordered before', async () => {
    const shop = await seller();
    await shop.sold('10.00');
    const sendAt = new Date(Date.now() + 2_000).toISOString();
    const { payoutId } = (await shop.payOut({ sendAt })).body;
    const path = `${PAYOUTS}/accounts/${shop.organizationId}/block`;
    expect((await shop.merchant.post(path, { reason: 'no' })).status).toBe(403);
    expect(await actors.tenantAdmin.post(path, { reason: 'a doubt' })).toMatchObject({ body: { status: 'blocked' } });
    await shop.become(payoutId, 'failed');
    expect(await shop.sentFor(payoutId)).toEqual([]);
    expect(await shop.payOut()).toMatchObject({ status: 409 });
  });
});

describe('the schedule', () => {
  const runsOf = async (shop: Seller): Promise<Json[]> => (await shop.merchant.get(`${PAYOUTS}/runs`)).body.data;
  const runNow = (shop: Seller) => actors.tenantAdmin.post(`${PAYOUTS}/runs`, { organizationId: shop.organizationId });

  test('pays what is available, holds a reserve, and carries what is too little', async () => {
    const shop = await seller();
    await shop.sold('10.00');
    const terms = { schedule: 'daily', minimum: '5.00', reserveBasisPoints: 1_000, reserveDays: 30 };
    expect(await shop.terms(terms)).toMatchObject({ status: 200, body: terms });
    await until('the schedule is known', async () => (await runNow(shop)).body.sellers === 1);
    const [run] = await until('it has run', async () => {
      const runs = await runsOf(shop);
      return runs.length > 0 && runs;
    });
    expect(run).toMatchObject({ outcome: 'paid_out', available: '9.00' });
    expect(await shop.become(run.payoutId, 'settled')).toMatchObject({ origin: 'schedule', amount: '9.00' });
    await shop.sold('1.00');
    await until('it runs again', async () => (await runNow(shop)).body.sellers === 1);
    const [carried] = await until('it has run again', async () => {
      const runs = await runsOf(shop);
      return runs.length > 1 && runs;
    });
    expect(carried).toMatchObject({
      outcome: 'carried',
      detail: 'It is less than the smallest payout.',
      available: '0.90',
    });
  });

  test('terms that cannot be are refused, and versions are listed', async () => {
    const shop = await seller(null);
    const refused = async (terms: object) => (await shop.terms(terms)).status;
    expect(await refused({ schedule: 'weekly' })).toBe(400);
    expect(await refused({ schedule: 'daily', weekday: 1 })).toBe(400);
    expect(await refused({ schedule: 'daily', reserveBasisPoints: 5 })).toBe(400);
    expect((await put(shop.merchant, `${PAYOUTS}/terms`, { currency: 'EUR', schedule: 'daily' })).status).toBe(403);
    const foreign = { organizationId: shop.organizationId, currency: 'EUR', schedule: 'daily' };
    expect((await put(stranger.tenantAdmin, `${PAYOUTS}/terms`, foreign)).status).toBe(404);
    await shop.terms({ schedule: 'weekly', weekday: 5 });
    await shop.terms({ schedule: 'monthly', dayOfMonth: 28 });
    const { body } = await shop.merchant.get(`${PAYOUTS}/terms`);
    expect(body.data.slice(0, 2).map(({ schedule }: Json) => schedule)).toEqual(['monthly', 'weekly']);
  });
});
