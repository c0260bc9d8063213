import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/foundation/db/database';
import { type Json, until } from '../../e2e/client';
import { DOMESTIC_PAYMENTS, Initiator, paymentTo } from '../../e2e/open-banking/initiator';
import { accountsIn, Customer, type Journey, Provider } from '../../e2e/open-banking/journey';
import { type EntranceCaller, type EntranceReply, withoutCertificate } from '../../e2e/open-banking/tpp';
import { Transfers } from '../../e2e/p2p';
import { type Member, newMember } from '../../e2e/page-visitors';
import { Topups } from '../../e2e/topups';
import { databaseOf } from '../inside';
import { killProcesses } from '../kill';
import { place } from './place';

/** Customers, providers and their payments when the API and the worker are killed under them. */

const WORKERS = ['tillway-api', 'tillway-worker'];
const ACCOUNTS = '/open-banking/2.0.0/accounts';
const lost = (): undefined => undefined;
let provider: Provider;
let browser: EntranceCaller;
let database: Database;
let eve: Member;
/** Eve's browser, in which she has signed in. */
let signedIn: Customer;

/** One after the other: the entrance takes so many requests a second. */
async function inTurn<T, R>(each: readonly T[], make: (one: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const one of each) made.push(await make(one));
  return made;
}
const twelveConsents = (): Promise<Json[]> =>
  inTurn(Array(12).fill(eve.customerId), (customerId) => provider.accountConsent(customerId));

/** Begins all at once, and kills what works on them when the first is done. Answers what each came to; undefined: cut off. */
async function cutOff<T>(requests: (() => Promise<T>)[]): Promise<(T | undefined)[]> {
  const begun = requests.map((request) => request());
  const ended = Promise.all(begun.map((one) => one.catch(lost)));
  await Promise.any(begun);
  await killProcesses(place.stack, WORKERS);
  const answers = await ended;
  expect(answers).toContain(undefined);
  return answers;
}

/** The same again until it comes to something. */
const again = <T>(request: () => Promise<T | undefined>): Promise<T> =>
  until('it is answered', () => request().catch(lost));

/** The customer's whole way, in another tab of the browser: from the provider's link to the code. */
async function through(consent: Json): Promise<{ journey: Journey; back: URL }> {
  const journey = provider.journey(consent);
  const tab = signedIn.tab();
  const page = await tab.open(journey);
  const back = await tab.decide(page, 'confirm', accountsIn(await tab.send(page)));
  if (!back.searchParams.has('code')) throw new Error(`no code: ${back.search}`);
  return { journey, back };
}

const exchange = ({ journey, back }: { journey: Journey; back: URL }): Promise<EntranceReply> =>
  provider.caller.token(journey.exchange(back));

/** The answer where it is one: the certificate's owner is told what is wrong, a dead API tells nothing. */
const told = (reply: EntranceReply): EntranceReply | undefined => (reply.status < 500 ? reply : undefined);

const read = async ({ body }: EntranceReply): Promise<number> => {
  const headers = { authorization: `Bearer ${body.access_token}`, 'x-fapi-customer-ip-address': '192.0.2.1' };
  return (await provider.caller.send(ACCOUNTS, { headers })).status;
};

const counted = async (table: string, where: object): Promise<number> =>
  Number((await database.system(table).where(where).count({ count: '*' }).first())?.count);
const grantOf = async (consentId: string): Promise<string> =>
  (await database.system('consents').where({ id: consentId }).first('grant_id')).grant_id;
const tokensOf = (grantId: string) => counted('oidc_payloads', { model: 'AccessToken', grant_id: grantId });

/** Six customers have each confirmed a payment of 5.00, out of 20.00, to one payee, who has 1.00. */
async function sixOrders() {
  const { actors, stack } = place;
  const transfers = new Transfers(actors.tenantAdmin, actors);
  const payee = await transfers.member('1.00');
  const iban = await transfers.ibanOf(payee);
  const one = await Initiator.open(stack.credentials);
  const confirmed = async () => {
    const payer = await newMember(actors.tenantAdmin);
    await new Topups(actors.tenantAdmin).made(payer.customerId, { amount: '20.00' });
    const { consentId, order } = await one.consent(paymentTo(iban, '5.00'));
    const journey = provider.journey({ consentId });
    const customer = new Customer(browser);
    const { page, shown } = await customer.signIn(journey, payer);
    const { confirm } = await customer.askToPay(page, shown, payer, stack.apiUrl);
    const { body } = await provider.caller.token(journey.exchange(await customer.back(await confirm())));
    const key = { 'x-idempotency-key': randomUUID() };
    const pay = () => one.withToken(body.access_token).post(DOMESTIC_PAYMENTS, order, key);
    return { payer, consentId, pay };
  };
  return { one, transfers, payee, orders: await Promise.all(Array.from({ length: 6 }, confirmed)) };
}

/** Begins all at once, and kills the worker alone when the first is done: nobody is cut off. */
async function withoutWorker<T>(requests: (() => Promise<T>)[]): Promise<T[]> {
  const begun = requests.map((request) => request());
  const ended = Promise.all(begun);
  await Promise.any(begun);
  await killProcesses(place.stack, ['tillway-worker']);
  return ended;
}

describe('killed at the entrance of third parties', () => {
  beforeAll(async () => {
    const { stack, actors } = place;
    provider = new Provider(stack.credentials);
    browser = withoutCertificate(stack.credentials);
    database = databaseOf(stack);
    eve = await newMember(actors.tenantAdmin);
    await new Topups(actors.tenantAdmin).made(eve.customerId);
    signedIn = new Customer(browser);
    await signedIn.signIn(provider.journey(await provider.accountConsent(eve.customerId)), eve);
  });
  afterAll(async () => {
    for (const caller of [provider, browser]) caller?.close();
    await database?.close();
  });

  test('while customers authorise: each consent is authorised once, and its provider reads the accounts', async () => {
    const consents = await twelveConsents();
    const first = await cutOff(consents.map((consent) => () => through(consent)));
    for (const [n, consent] of consents.entries()) {
      // The customer who saw no end begins again at the provider.
      const way = first[n] ?? (await again(() => through(consent)));
      let tokens = await again(async () => told(await exchange(way)));
      // The code is good for a minute, and the platform may take longer to come back.
      if (tokens.status === 400) tokens = await exchange(await through(consent));
      expect(tokens.status).toBe(200);
      expect(await read(tokens)).toBe(200);
      expect(await provider.statusOf(consent.consentId)).toBe('Authorised');
      expect(await counted('consent_events', { consent_id: consent.consentId, cause: 'authorised' })).toBe(1);
      expect(await counted('audit_log', { target: consent.consentId, action: 'consent.authorise' })).toBe(1);
      expect(await tokensOf(await grantOf(consent.consentId))).toBe(1);
    }
  }, 240_000);

  test('while codes are exchanged: a code leads to one set of tokens or to none, and then to a new code', async () => {
    const consents = await twelveConsents();
    const ways = await inTurn(consents, through);
    const first = await cutOff(ways.map((way) => () => exchange(way)));
    for (const [n, consent] of consents.entries()) {
      const before = await grantOf(consent.consentId);
      let tokens = first[n] ?? (await again(async () => told(await exchange(ways[n]!))));
      if (tokens.status === 400) {
        expect(tokens.body).toMatchObject({ error: 'invalid_grant' });
        tokens = await exchange(await through(consent));
        expect(await tokensOf(before)).toBe(0);
      }
      expect(tokens.status).toBe(200);
      expect(await read(tokens)).toBe(200);
      expect(await tokensOf(await grantOf(consent.consentId))).toBe(1);
    }
  }, 240_000);

  test('while payments are made: the same request again answers the one payment, and the money has moved once', async () => {
    const { one, transfers, payee, orders } = await sixOrders();
    try {
      const first = await cutOff(orders.map(({ pay }) => pay));
      for (const [n, { payer, consentId, pay }] of orders.entries()) {
        const paid = await again(async () => {
          const reply = await pay();
          // A request that was cut off holds its key for a while.
          return reply.status === 201 ? reply : undefined;
        });
        if (first[n]) expect(paid.body).toEqual(first[n].body);
        expect(paid.body.Data).toMatchObject({ ConsentId: consentId, Status: 'AcceptedSettlementCompleted' });
        expect(await counted('open_banking_payments', { consent_id: consentId })).toBe(1);
        expect(await transfers.balance(payer)).toEqual(['15.00', '0.00']);
      }
      expect(await transfers.balance(payee)).toEqual(['31.00', '0.00']);
    } finally {
      one.close();
    }
  }, 240_000);

  test('the worker alone: whoever authorises, exchanges or pays is answered, and each is done once', async () => {
    const consents = await twelveConsents();
    const ways = await withoutWorker(consents.map((consent) => () => through(consent)));
    const replies = await withoutWorker(ways.map((way) => () => exchange(way)));
    for (const [n, consent] of consents.entries()) {
      // The code is good for a minute, and the worker may take longer to come back.
      const tokens = replies[n]!.status === 400 ? await exchange(await through(consent)) : replies[n]!;
      expect(tokens.status).toBe(200);
      expect(await read(tokens)).toBe(200);
      expect(await provider.statusOf(consent.consentId)).toBe('Authorised');
      expect(await counted('consent_events', { consent_id: consent.consentId, cause: 'authorised' })).toBe(1);
      expect(await tokensOf(await grantOf(consent.consentId))).toBe(1);
    }
    const { one, transfers, payee, orders } = await sixOrders();
    try {
      const paid = await withoutWorker(orders.map(({ pay }) => pay));
      for (const [n, { payer, consentId }] of orders.entries()) {
        expect([paid[n]!.status, paid[n]!.body.Data?.Status]).toEqual([201, 'AcceptedSettlementCompleted']);
        expect(await counted('open_banking_payments', { consent_id: consentId })).toBe(1);
        expect(await transfers.balance(payer)).toEqual(['15.00', '0.00']);
      }
      expect(await transfers.balance(payee)).toEqual(['31.00', '0.00']);
    } finally {
      one.close();
    }
  }, 240_000);
});
