import { createHash, randomBytes } from 'node:crypto';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { type EntranceReply, seededTpp, withoutCertificate } from './tpp';

const { credentials } = sharedStack();
const { authUrl, tpp } = credentials;
const tppCaller = seededTpp(credentials);
const other = seededTpp({ authUrl, tpp: credentials.other.tpp });
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const caller of [tppCaller, other, browser]) caller.close();
});

let actors: Actors;
let eve: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  eve = await newMember(actors.tenantAdmin);
  await new Topups(actors.tenantAdmin).made(eve.customerId);
});

const CONSENT = '/open-banking/2.0.0/consent';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function clientToken(): Promise<string> {
  const { body } = await tppCaller.token({ grant_type: 'client_credentials', scope: 'accounts' });
  return body.access_token;
}

async function newConsent(): Promise<Json> {
  const { status, body } = await tppCaller.send(CONSENT, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken()}` },
    json: {
      serviceProvider: tpp.name,
      customerId: eve.customerId,
      customerType: 'Person',
      status: 'AwaitingAuthorisation',
      consentedDate: inDays(0),
      sharingStartDate: inDays(-30),
      sharingEndDate: inDays(30),
      expiryDate: inDays(60),
      permissions: [{ name: 'ReadAccountsDetail' }, { name: 'ReadBalances' }],
      tenantId: credentials.tenantId,
    },
  });
  if (status !== 201) throw new Error(`no consent: ${status} ${JSON.stringify(body)}`);
  return body;
}

async function statusOf(consentId: string): Promise<string> {
  const headers = { authorization: `Bearer ${await clientToken()}` };
  return (await tppCaller.send(`${CONSENT}/${consentId}`, { headers })).body.status;
}

/** A customer's browser without JavaScript: it keeps cookies, and says where its forms come from. */
class Customer {
  private readonly jar = new Map<string, string>();

  async send(url: string, form?: URLSearchParams, origin = authUrl): Promise<EntranceReply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(form && { origin }) };
    const reply = await browser.send(url, { headers, ...(form && { method: 'POST', form }) });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.jar.set(name!, value!);
    }
    return reply;
  }

  /** From the provider's link to the page that asks. Answers its address and what it shows. */
  async signIn(consent: Json, challenge: string, member = eve): Promise<{ page: string; shown: EntranceReply }> {
    const url = new URL(consent.authorisationUrl);
    const added = { state: 'a-state', nonce: 'a-nonce', code_challenge: challenge, code_challenge_method: 'S256' };
    for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value);
    const page = (await this.send(url.pathname + url.search)).headers.location!;
    await this.send(page);
    await this.send(`${page}/sign-in`, new URLSearchParams({ name: member.email, password: PASSWORD }));
    return { page, shown: await this.send(page) };
  }

  /** Presses a button, and follows the redirects to the provider. */
  async decide(page: string, decision: 'confirm' | 'refuse', accounts: string[]): Promise<URL> {
    const fields: [string, string][] = [
      ['decision', decision],
      ...accounts.map((id): [string, string] => ['account', id]),
    ];
    const decided = await this.send(page, new URLSearchParams(fields));
    const resume = new URL(decided.headers.location!);
    return new URL((await this.send(resume.pathname + resume.search)).headers.location!);
  }
}

const accountsIn = ({ text }: EntranceReply) =>
  [...text.matchAll(/name="account" value="(\d+)"/g)].map(([, id]) => id!);

/** A consent that the customer has confirmed, up to its code. */
async function confirmed(): Promise<{
  consent: Json;
  exchange: (more?: Record<string, string>) => Record<string, string>;
}> {
  const verifier = randomBytes(32).toString('base64url');
  const consent = await newConsent();
  const customer = new Customer();
  const { page, shown } = await customer.signIn(consent, createHash('sha256').update(verifier).digest('base64url'));
  const back = await customer.decide(page, 'confirm', accountsIn(shown));
  return {
    consent,
    exchange: (more = {}) => ({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: tpp.redirectUri,
      code_verifier: verifier,
      ...more,
    }),
  };
}

test('the customer reads who asks for what, confirms, and the provider gets tokens for it', async () => {
  const verifier = randomBytes(32).toString('base64url');
  const consent = await newConsent();
  const customer = new Customer();
  const { page, shown } = await customer.signIn(consent, createHash('sha256').update(verifier).digest('base64url'));
  expect(shown.status).toBe(200);
  for (const text of [tpp.name, 'Your balances', 'Your accounts with their numbers', '(EUR)', 'Eve Moneypenny'])
    expect(shown.text).toContain(text);
  const back = await customer.decide(page, 'confirm', accountsIn(shown));
  expect(Object.fromEntries(back.searchParams)).toEqual({
    code: expect.any(String),
    state: 'a-state',
    iss: authUrl,
  });
  const { status, body } = await tppCaller.token({
    grant_type: 'authorization_code',
    code: back.searchParams.get('code')!,
    redirect_uri: tpp.redirectUri,
    code_verifier: verifier,
  });
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ token_type: 'Bearer', scope: 'openid accounts', refresh_token: expect.any(String) }),
  ]);
  expect(await statusOf(consent.consentId)).toBe('Authorised');
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  expect(await tppCaller.token(refresh)).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
  expect((await other.token(refresh)).status).toBe(400);
});

test('the customer refuses: the provider is told, and the consent is rejected', async () => {
  const consent = await newConsent();
  const customer = new Customer();
  const { page } = await customer.signIn(consent, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  const back = await customer.decide(page, 'refuse', []);
  expect(back.searchParams.get('error')).toBe('access_denied');
  expect(await statusOf(consent.consentId)).toBe('Rejected');
});

test('another customer, an account of somebody else and a form of another site confirm nothing', async () => {
  const consent = await newConsent();
  const mallory = await newMember(actors.tenantAdmin, 'Mallory Mean');
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const { shown } = await new Customer().signIn(consent, challenge, mallory);
  expect([shown.status, accountsIn(shown)]).toEqual([403, []]);
  const customer = new Customer();
  const { page, shown: own } = await customer.signIn(consent, challenge);
  const sent = (id: string) => new URLSearchParams({ decision: 'confirm', account: id });
  expect((await customer.send(page, sent('1'))).status).toBe(400);
  expect((await customer.send(page, sent(accountsIn(own)[0]!), 'https://evil.example')).status).toBe(403);
  expect((await new Customer().send(page, sent(accountsIn(own)[0]!))).status).toBe(404);
  expect(await statusOf(consent.consentId)).toBe('AwaitingAuthorisation');
});

test('a code is good for its provider, its verifier and its address only, and once', async () => {
  const { exchange } = await confirmed();
  const altered: Record<string, string>[] = [
    { code_verifier: randomBytes(32).toString('base64url') },
    { redirect_uri: `${tpp.redirectUri}/more` },
  ];
  for (const more of altered) expect((await tppCaller.token(exchange(more))).status).toBe(400);
  expect((await other.token(exchange())).status).toBe(400);
  const first = await tppCaller.token(exchange());
  expect(first.status).toBe(200);
  expect(await tppCaller.token(exchange())).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
  expect((await tppCaller.token(refresh)).status).toBe(400);
});

test('of six exchanges of one code at once, one gets tokens at most, and they are dead', async () => {
  const { exchange } = await confirmed();
  const replies = await Promise.all(Array.from({ length: 6 }, () => tppCaller.token(exchange())));
  const won = replies.filter(({ status }) => status === 200);
  expect(won.length).toBeLessThanOrEqual(1);
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(6 - won.length);
  for (const { body } of won) {
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await tppCaller.token(refresh)).status).toBe(400);
  }
});
