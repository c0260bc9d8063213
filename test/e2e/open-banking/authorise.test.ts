import { randomBytes } from 'node:crypto';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf } from '../client';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { accountsIn, Customer, type Journey, Provider } from './journey';
import { seededTpp, withoutCertificate } from './tpp';

const { credentials } = sharedStack();
const { authUrl, tpp } = credentials;
const provider = new Provider(credentials);
const other = seededTpp({ authUrl, tpp: credentials.other.tpp });
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const one of [provider, other, browser]) one.close();
});

let actors: Actors;
let eve: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  eve = await newMember(actors.tenantAdmin);
  await new Topups(actors.tenantAdmin).made(eve.customerId);
});

/** A consent of Eve's, and the way to have it authorised. */
async function asked(): Promise<{ consentId: string; journey: Journey }> {
  const consent = await provider.accountConsent(eve.customerId);
  return { consentId: consent.consentId, journey: provider.journey(consent) };
}

/** A consent that the customer has confirmed, up to its code. */
async function confirmed(): Promise<(more?: Record<string, string>) => Record<string, string>> {
  const { journey } = await asked();
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, eve);
  const back = await customer.decide(page, 'confirm', accountsIn(shown));
  return (more = {}) => journey.exchange(back, more);
}

test('the customer reads who asks for what, confirms, and the provider gets tokens for it', async () => {
  const { consentId, journey } = await asked();
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, eve);
  expect(shown.status).toBe(200);
  for (const text of [tpp.name, 'Your balances', 'Your accounts with their numbers', '(EUR)', 'Eve Moneypenny'])
    expect(shown.text).toContain(text);
  const back = await customer.decide(page, 'confirm', accountsIn(shown));
  expect(Object.fromEntries(back.searchParams)).toEqual({
    code: expect.any(String),
    state: 'a-state',
    iss: authUrl,
  });
  const { status, body } = await provider.caller.token(journey.exchange(back));
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ token_type: 'Bearer', scope: 'openid accounts', refresh_token: expect.any(String) }),
  ]);
  expect(await provider.statusOf(consentId)).toBe('Authorised');
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  expect(await provider.caller.token(refresh)).toMatchObject({
    status: 200,
    body: { access_token: expect.any(String) },
  });
  expect((await other.token(refresh)).status).toBe(400);
});

test('the customer refuses: the provider is told, and the consent is rejected', async () => {
  const { consentId, journey } = await asked();
  const customer = new Customer(browser);
  const { page } = await customer.signIn(journey, eve);
  const back = await customer.decide(page, 'refuse', []);
  expect(back.searchParams.get('error')).toBe('access_denied');
  expect(await provider.statusOf(consentId)).toBe('Rejected');
});

test('another customer, an account of somebody else and a form of another site confirm nothing', async () => {
  const { consentId, journey } = await asked();
  const mallory = await newMember(actors.tenantAdmin, 'Mallory Mean');
  const { shown } = await new Customer(browser).signIn(journey, mallory);
  expect([shown.status, accountsIn(shown)]).toEqual([403, []]);
  const customer = new Customer(browser);
  const { page, shown: own } = await customer.signIn(journey, eve);
  const sent = (id: string) => new URLSearchParams({ decision: 'confirm', account: id });
  expect((await customer.send(page, sent('1'))).status).toBe(400);
  expect((await customer.send(page, sent(accountsIn(own)[0]!), 'https://evil.example')).status).toBe(403);
  expect((await new Customer(browser).send(page, sent(accountsIn(own)[0]!))).status).toBe(404);
  expect(await provider.statusOf(consentId)).toBe('AwaitingAuthorisation');
});

test('a code is good for its provider, its verifier and its address only, and once', async () => {
  const exchange = await confirmed();
  const altered: Record<string, string>[] = [
    { code_verifier: randomBytes(32).toString('base64url') },
    { redirect_uri: `${tpp.redirectUri}/more` },
  ];
  for (const more of altered) expect((await provider.caller.token(exchange(more))).status).toBe(400);
  expect((await other.token(exchange())).status).toBe(400);
  const first = await provider.caller.token(exchange());
  expect(first.status).toBe(200);
  expect(await provider.caller.token(exchange())).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
  expect((await provider.caller.token(refresh)).status).toBe(400);
});

test('of six exchanges of one code at once, one gets tokens at most, and they are dead', async () => {
  const exchange = await confirmed();
  const replies = await Promise.all(Array.from({ length: 6 }, () => provider.caller.token(exchange())));
  const won = replies.filter(({ status }) => status === 200);
  expect(won.length).toBeLessThanOrEqual(1);
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(6 - won.length);
  for (const { body } of won) {
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await provider.caller.token(refresh)).status).toBe(400);
  }
});
