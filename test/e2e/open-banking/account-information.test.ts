import { expectPublished } from '../../interop/obie-3.1.11/published';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json, send } from '../client';
import { newHandle, Transfers } from '../p2p';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { expectDocumented } from './documented';
import { accountsIn, Customer, Provider } from './journey';
import { type EntranceReply, seededTpp, withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const provider = new Provider(credentials);
const other = seededTpp({ authUrl: credentials.authUrl, tpp: credentials.other.tpp });
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const one of [provider, other, browser]) one.close();
});

const BASE = '/open-banking/2.0.0';
const ACCOUNTS = `${BASE}/accounts`;
const BOTH = ['ReadTransactionsCredits', 'ReadTransactionsDebits'];
const DETAIL = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadBeneficiariesDetail',
  'ReadDirectDebits',
  'ReadParty',
  'ReadPartyPSU',
  'ReadStandingOrdersDetail',
  'ReadStatementsDetail',
  'ReadTransactionsDetail',
  ...BOTH,
];
const BASIC = [
  'ReadAccountsBasic',
  'ReadBeneficiariesBasic',
  'ReadStandingOrdersBasic',
  'ReadTransactionsBasic',
  ...BOTH,
];
/** Transfers that Eve makes: more than a page of the smallest size holds. */
const TRANSFERS = 26;

let actors: Actors;
let eve: Member;
let bob: { customerId: string; handle: string };
/** Of Eve's wallet in EUR. */
let iban: string;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  const { tenantAdmin, merchant } = actors;
  const [transfers, topups] = [new Transfers(tenantAdmin, actors), new Topups(tenantAdmin)];
  [eve, bob] = [await newMember(tenantAdmin), await transfers.member()];
  await transfers.enroll(eve.customerId, `@${newHandle()}`);
  await topups.made(eve.customerId, { amount: '50.00' });
  await topups.made(eve.customerId, { amount: '500', currency: 'JPY' });
  for (let n = 0; n < TRANSFERS; n += 1)
    expect(await transfers.send(eve.customerId, bob.handle, { amount: '0.10', note: 'Coffee' })).toMatchObject({
      status: 201,
      body: { status: 'settled' },
    });
  const wallet = `/wallet/1.0.0/customers/${eve.customerId}`;
  const { body: balances } = await tenantAdmin.get(`${wallet}/balances`);
  iban = (balances.data ?? balances).find(({ currency }: Json) => currency === 'EUR').iban;
  const saved = await tenantAdmin.post(`${wallet}/beneficiaries`, { name: 'Bob', alias: `@${bob.handle}` });
  expect(saved.status).toBe(201);
  const firstDate = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const order = { recipient: `@${bob.handle}`, amount: '1.00', currency: 'EUR', frequency: 'monthly', firstDate };
  expect((await tenantAdmin.post(`${wallet}/standing-orders`, order)).status).toBe(201);
  const directDebit = { iban, accountHolder: 'Eve Moneypenny', signedAt: '2026-01-31T12:00:00.000Z' };
  const collected = await merchant.pay(undefined, { directDebit }, { path: '62' });
  expect(collected.body.data.mandateId).toMatch(/^mnd_/);
});

/** A third party with the token of a consent. */
class Reader {
  private constructor(
    readonly consentId: string,
    /** The accounts that the customer could choose from, in the order of the page. */
    readonly choice: string[],
    readonly token: string,
  ) {}

  /** Has a consent authorised, for the first account of the customer. */
  static async of(
    permissions: string[],
    { who = eve, changed = {} }: { who?: Member; changed?: object } = {},
  ): Promise<Reader> {
    const consent = await provider.accountConsent(who.customerId, {
      permissions: permissions.map((name) => ({ name })),
      ...changed,
    });
    const journey = provider.journey(consent);
    const customer = new Customer(browser);
    const { page, shown } = await customer.signIn(journey, who);
    const choice = accountsIn(shown);
    const back = await customer.decide(page, 'confirm', choice.slice(0, 1));
    const { status, body } = await provider.caller.token(journey.exchange(back));
    if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
    return new Reader(consent.consentId, choice, body.access_token);
  }

  get accountId(): string {
    return this.choice[0]!;
  }

  /** With the customer present, unless it is said otherwise. */
  get(path: string, { isAlone = false } = {}): Promise<EntranceReply> {
    const present: Record<string, string> = isAlone ? {} : { 'x-fapi-customer-ip-address': '203.0.113.7' };
    return provider.caller.send(path, { headers: { authorization: `Bearer ${this.token}`, ...present } });
  }

  /** One resource of the account, held to the standard and to our own document. Answers its items. */
  async read(resource = '', query = ''): Promise<Json[]> {
    return (await this.page(resource, query)).items;
  }

  async page(resource: string, query = ''): Promise<{ items: Json[]; body: Json }> {
    const reply = await this.get(`${ACCOUNTS}/${this.accountId}${resource}${query}`);
    return { items: itemsOf(reply, `/accounts/{AccountId}${resource}`), body: reply.body };
  }
}

/** The items of an answer that is as the standard and our own document have it. */
function itemsOf({ status, body, headers }: EntranceReply, path: string): Json[] {
  expect([path, status, body.Errors]).toEqual([path, 200, undefined]);
  expectPublished('account-info', `GET ${path}`, 200, body);
  expectDocumented(`GET ${BASE}${path}`, 200, body);
  expect(headers['x-fapi-interaction-id']).toMatch(/^[0-9a-f-]{36}$/);
  return Object.values<Json[]>(body.Data)[0]!;
}

/** A refusal in the words of the standard. */
function expectRefused({ status, body }: EntranceReply, expected: number, path: string): void {
  expect([path, status]).toEqual([path, expected]);
  expectPublished('account-info', `GET ${path}`, status, body);
  expectDocumented(`GET ${BASE}${path}`, status, body);
}

const accessesOf = async (consentId: string): Promise<Json[]> =>
  (await actors.tenantAdmin.get(`/consents/1.0.0/consents/${consentId}/accesses`)).body.data;

test('all that the customer shares is read, as the standard and our document have it', async () => {
  const reader = await Reader.of(DETAIL);
  const account = {
    AccountId: reader.accountId,
    Currency: 'EUR',
    Account: [{ SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name: 'Eve Moneypenny' }],
  };
  // The other account, in JPY, was not chosen.
  expect(itemsOf(await reader.get(ACCOUNTS), '/accounts')).toEqual([expect.objectContaining(account)]);
  expect(await reader.read()).toEqual([expect.objectContaining(account)]);
  expect(await reader.read('/balances')).toMatchObject([
    { Type: 'InterimAvailable', CreditDebitIndicator: 'Credit', Amount: { Currency: 'EUR' } },
    { Type: 'InterimBooked', CreditDebitIndicator: 'Credit', Amount: { Currency: 'EUR' } },
  ]);
  expect(await reader.read('/beneficiaries')).toMatchObject([
    { CreditorAccount: { SchemeName: 'Tillway.Alias', Identification: bob.handle, Name: 'Bob' } },
  ]);
  expect(await reader.read('/direct-debits')).toMatchObject([{ DirectDebitStatusCode: 'Active' }]);
  expect(await reader.read('/standing-orders')).toMatchObject([
    { StandingOrderStatusCode: 'Active', NextPaymentAmount: { Amount: '1.00', Currency: 'EUR' } },
  ]);
  const owner = { PartyId: eve.customerId, Name: 'Eve Moneypenny', EmailAddress: eve.email };
  expect(await reader.read('/party')).toMatchObject({ ...owner, AccountRole: 'UK.OBIE.Principal' });
  expect(await reader.read('/parties')).toMatchObject([owner]);
  expect(itemsOf(await reader.get(`${BASE}/party`), '/party')).toMatchObject(owner);
  const entries = await reader.read('/transactions');
  expect(entries).toContainEqual(
    expect.objectContaining({
      CreditDebitIndicator: 'Debit',
      Amount: { Amount: '0.10', Currency: 'EUR' },
      TransactionInformation: 'Coffee',
      CreditorAccount: expect.objectContaining({ SchemeName: 'UK.OBIE.IBAN' }),
    }),
  );
  expect(entries.filter(({ CreditDebitIndicator }) => CreditDebitIndicator === 'Credit').length).toBeGreaterThan(0);
});

test('a month that is shared as a whole has a statement, whose sums are those of its entries', async () => {
  const now = new Date();
  const sharingStartDate = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
  const reader = await Reader.of(DETAIL, { changed: { sharingStartDate } });
  const [statement, ...others] = await reader.read('/statements');
  expect(others).toEqual([]);
  const { StatementId } = statement!;
  expect(StatementId).toBe(sharingStartDate.slice(0, 7));
  const path = `${ACCOUNTS}/${reader.accountId}/statements/${StatementId}`;
  const of = '/accounts/{AccountId}/statements/{StatementId}';
  expect(itemsOf(await reader.get(path), of)).toMatchObject([{ StatementId, Type: 'Interim' }]);
  const entries = itemsOf(await reader.get(`${path}/transactions?limit=1000`), `${of}/transactions`);
  const cents = (items: Json[]) => items.reduce((sum, { Amount }) => sum + BigInt(Amount.Amount.replace('.', '')), 0n);
  const booked = (side: string) => cents(entries.filter((entry) => entry.CreditDebitIndicator === side));
  const told = (type: string) =>
    cents(statement!.StatementAmount.filter(({ Type }: Json) => Type === `UK.OBIE.${type}`));
  expect([told('TotalCredits'), told('TotalDebits')]).toEqual([booked('Credit'), booked('Debit')]);
  expect(told('ClosingBalance')).toBe(told('StartingBalance') + booked('Credit') - booked('Debit'));
  expectRefused(await reader.get(`${ACCOUNTS}/${reader.accountId}/statements/2001-01`), 400, of);
});

test('entries come in two pages that keep their filters, and by the time of booking', async () => {
  const reader = await Reader.of(DETAIL);
  const whole = await reader.read('/transactions', '?limit=1000');
  expect(whole.length).toBeGreaterThan(TRANSFERS);
  const filter = '&fromBookingDateTime=2026-01-01T00:00:00';
  const first = await reader.page('/transactions', `?limit=25${filter}`);
  expect(first.items).toEqual(whole.slice(0, 25));
  const next = new URL(first.body.Links.Next);
  expect(next.origin).toBe(credentials.authUrl);
  expect(next.searchParams.get('fromBookingDateTime')).toBe('2026-01-01T00:00:00');
  const second = await reader.page('/transactions', next.search);
  expect(second.items).toEqual(whole.slice(25));
  expect(second.body.Links.Next).toBeUndefined();
  const back = await reader.page('/transactions', new URL(second.body.Links.Prev).search);
  expect(back.items).toEqual(first.items);

  const middle = whole[10]!.BookingDateTime as string;
  const after = await reader.read('/transactions', `?limit=1000&fromBookingDateTime=${middle}`);
  expect(after).toEqual(whole.filter(({ BookingDateTime }) => BookingDateTime >= middle));
  const before = await reader.read('/transactions', `?limit=1000&toBookingDateTime=${middle}`);
  expect(before).toEqual(whole.filter(({ BookingDateTime }) => BookingDateTime <= middle));
});

test('basic permissions hide whose accounts they are and who is on the other side', async () => {
  const reader = await Reader.of(BASIC);
  const resources = ['', '/beneficiaries', '/standing-orders', '/transactions'];
  const answers: Json[][] = [itemsOf(await reader.get(ACCOUNTS), '/accounts')];
  for (const resource of resources) answers.push(await reader.read(resource));
  for (const items of answers) expect(items.length).toBeGreaterThan(0);
  const text = JSON.stringify(answers);
  for (const hidden of [iban, 'Moneypenny', 'Bob', bob.handle, bob.customerId, 'Coffee', 'CreditorAccount'])
    expect(text).not.toContain(hidden);
  expectRefused(await reader.get(`${ACCOUNTS}/${reader.accountId}/balances`), 403, '/accounts/{AccountId}/balances');
});

test('credits alone: no debit is shown, and no balance that would tell of one', async () => {
  const reader = await Reader.of(['ReadAccountsBasic', 'ReadTransactionsDetail', 'ReadTransactionsCredits']);
  const entries = await reader.read('/transactions', '?limit=1000');
  expect(new Set(entries.map(({ CreditDebitIndicator }) => CreditDebitIndicator))).toEqual(new Set(['Credit']));
  expect(entries.filter((entry) => 'Balance' in entry)).toEqual([]);
});

test('without the customer a fifth reading in a day is refused, with the time to wait', async () => {
  const reader = await Reader.of(['ReadAccountsBasic', 'ReadBalances']);
  const path = `${ACCOUNTS}/${reader.accountId}/balances`;
  for (let n = 0; n < 4; n += 1) expect((await reader.get(path, { isAlone: true })).status).toBe(200);
  const fifth = await reader.get(path, { isAlone: true });
  expect(fifth.status).toBe(429);
  expectDocumented(`GET ${BASE}/accounts/{AccountId}/balances`, 429, fifth.body);
  expect(Number(fifth.headers['retry-after'])).toBeGreaterThan(0);
  expect((await reader.get(path)).status).toBe(200);
});

test('a consent that is revoked between two pages shows no second one', async () => {
  const reader = await Reader.of(DETAIL);
  const { body } = await reader.page('/transactions', '?limit=25');
  const revoked = await actors.tenantAdmin.post(`/consents/1.0.0/consents/${reader.consentId}/revoke`, {
    reason: 'The customer has asked for it',
  });
  expect(revoked.status).toBe(200);
  const { pathname, search } = new URL(body.Links.Next);
  expect((await reader.get(pathname + search)).status).toBe(401);
  expect((await reader.get(ACCOUNTS)).status).toBe(401);
});

test('what was read and what was refused stands in the log of the consent, and in the customer’s export', async () => {
  const mallory = await newMember(actors.tenantAdmin, 'Mallory Mean');
  await new Topups(actors.tenantAdmin).made(mallory.customerId);
  const stranger = await Reader.of(['ReadAccountsBasic'], { who: mallory });
  const reader = await Reader.of(['ReadAccountsBasic', 'ReadTransactionsBasic', ...BOTH]);
  const one = '/accounts/{AccountId}';
  expectRefused(await reader.get(`${ACCOUNTS}/${stranger.accountId}`), 403, one);
  expectRefused(await reader.get(`${ACCOUNTS}/${reader.choice[1]}`), 403, one);
  expectRefused(await reader.get(`${ACCOUNTS}/999999999999`), 400, one);
  const own = `${ACCOUNTS}/${reader.accountId}`;
  expectRefused(await reader.get(`${own}/balances`, { isAlone: true }), 403, `${one}/balances`);
  expectRefused(await reader.get(`${own}/transactions?limit=1`), 400, `${one}/transactions`);
  await reader.read('/transactions');
  const log = await accessesOf(reader.consentId);
  expect(
    log.map(({ resource, iban: of, refusal, customerPresent }) => [resource, of, refusal, customerPresent]),
  ).toEqual([
    ['transactions', iban, undefined, true],
    ['transactions', iban, 'invalid_request', true],
    ['balances', iban, 'forbidden', false],
    ['accounts', undefined, 'not_found', true],
    ['accounts', undefined, 'forbidden', true],
    ['accounts', undefined, 'forbidden', true],
  ]);
  // Before a handler has seen it, too.
  const block = { customerStatus: 'on_hold', reason: 'a test' };
  await actors.tenantAdmin.post(`/customer/1.0.0/status/${mallory.customerId}`, block);
  expectRefused(await stranger.get(ACCOUNTS), 403, '/accounts');
  expect(await accessesOf(stranger.consentId)).toMatchObject([
    { resource: 'accounts', refusal: 'consent_not_usable', interactionId: expect.any(String) },
  ]);
  const { status, body } = await actors.tenantAdmin.get(`/customer/1.0.0/${mallory.customerId}/export`);
  expect(status).toBe(200);
  expectDocumented('GET /customer/1.0.0/{customerId}/export', 200, body);
  expect(body.consents).toMatchObject([
    {
      consentId: stranger.consentId,
      kind: 'account',
      status: 'Authorised',
      tppName: credentials.tpp.name,
      permissions: ['ReadAccountsBasic'],
      ibans: [expect.stringMatching(/^[A-Z]{2}\d{2}/)],
      events: [{ cause: 'created' }, { cause: 'authorised', actor: mallory.customerId }],
    },
  ]);
  expect(JSON.parse(body.consents[0].record)).toMatchObject({ customerId: mallory.customerId });
  expect(body.consentAccesses).toMatchObject([
    { consentId: stranger.consentId, resource: 'accounts', customerPresent: true, refusal: 'consent_not_usable' },
  ]);
});

test('the provider’s own token reads no account, and is told so in the words of the standard', async () => {
  const headers = await provider.bearer();
  expectRefused(await provider.caller.send(ACCOUNTS, { headers }), 403, '/accounts');
});

test('a token of a consent is good in the header alone, and over the certificate that it was given over', async () => {
  const { token } = await Reader.of(['ReadAccountsBasic']);
  const headers = { authorization: `Bearer ${token}` };
  expect((await provider.caller.send(ACCOUNTS, { headers })).status).toBe(200);
  for (const caller of [other, browser]) expect((await caller.send(ACCOUNTS, { headers })).status).toBe(401);
  expect((await provider.caller.send(`${ACCOUNTS}?access_token=${token}`)).status).toBe(401);
});

test('nothing is read without a token, without a certificate, or on the plain port', async () => {
  for (const caller of [provider.caller, browser])
    expect((await caller.send(`${ACCOUNTS}/1/transactions`)).status).toBe(401);
  const { status, body } = await send(`${apiUrl}${ACCOUNTS}`);
  expect(status).toBe(401);
  expect(body.message).toContain(credentials.authUrl);
});
