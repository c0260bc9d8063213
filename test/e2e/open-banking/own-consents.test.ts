import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { Transfers } from '../p2p';
import { hiddenOf, type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { DOMESTIC_PAYMENTS, Initiator, paymentTo } from './initiator';
import { accountsIn, Customer, Provider } from './journey';
import { withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const { tpp, tenantId, other } = credentials;
const LIST = `/consents/${tenantId}`;
const provider = new Provider(credentials);
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const one of [provider, browser]) one.close();
});

let actors: Actors;
let eve: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  eve = await newMember(actors.tenantAdmin);
  await new Topups(actors.tenantAdmin).made(eve.customerId, { amount: '50.00' });
});

/** A consent that a customer has confirmed. `read`: reads accounts with it; answers the status. */
async function allowed(member = eve): Promise<{ consentId: string; page: string; read(): Promise<number> }> {
  const consent = await provider.accountConsent(member.customerId);
  const journey = provider.journey(consent);
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, member);
  const { body } = await provider.caller.token(
    journey.exchange(await customer.decide(page, 'confirm', accountsIn(shown))),
  );
  const headers = { authorization: `Bearer ${body.access_token}` };
  const read = async () => (await provider.caller.send('/open-banking/2.0.0/accounts', { headers })).status;
  return { consentId: consent.consentId, page: `${LIST}/${consent.consentId}`, read };
}

/** Somebody who has signed in to the pages of what they have allowed. */
async function signedIn({ email }: Member = eve): Promise<Customer> {
  const customer = new Customer(browser);
  const form = new URLSearchParams({ name: email, password: PASSWORD });
  const { headers } = await customer.send(`${LIST}/sign-in`, form);
  expect(headers.location).toBe(`${LIST}?lang=en`);
  return customer;
}

const form = (fields: Record<string, string> = {}) => new URLSearchParams(fields);

/** The form that ends a consent, as its page has it. */
const formOf = async (customer: Customer, page: string) => form(hiddenOf(await customer.send(`${page}/end`)));

async function revocationsOf(consentId: string): Promise<Json[]> {
  const { events } = (await actors.tenantAdmin.get(`/consents/1.0.0/consents/${consentId}`)).body;
  return events.filter(({ cause }: Json) => cause === 'revoked' || cause === 'rejected');
}

test('a customer sees who may do what, and who has read what, and ends it', async () => {
  const { consentId, page, read } = await allowed();
  expect(await read()).toBe(200);
  const nobody = await new Customer(browser).send(LIST);
  expect([nobody.status, nobody.headers.location]).toEqual([303, `${LIST}/sign-in?lang=en`]);
  const customer = await signedIn();
  const list = await customer.send(LIST);
  for (const text of [tpp.name, page, 'Active', 'Last used', 'Eve Moneypenny']) expect(list.text).toContain(text);
  const one = await customer.send(page);
  for (const text of ['Your balances', 'EUR', 'Who read what', 'Accounts', 'No, by itself', 'End this access'])
    expect(one.text).toContain(text);
  const ended = await customer.send(`${page}/end`, await formOf(customer, page));
  expect([ended.status, ended.headers.location]).toEqual([303, `${page}?ended=now&lang=en`]);
  const after = await customer.send(ended.headers.location!);
  expect(after.text).toContain('The access has ended.');
  expect(after.text).not.toContain('End this access');
  expect(await read()).toBe(401);
  expect(await revocationsOf(consentId)).toEqual([
    expect.objectContaining({ cause: 'revoked', status: 'Revoked', actor: eve.customerId }),
  ]);
  const { data } = (await actors.tenantAdmin.get(`/identity/1.0.0/audit?target=${consentId}`)).body;
  expect(data[0]).toMatchObject({ action: 'consent.revoke', actor: eve.customerId, result: 'done' });
  expect((await customer.send(`${page}/end`)).text).toContain('This access had ended before.');
});

test('the cookie is for these pages alone: no script, no other site, no other page of ours gets it', async () => {
  const customer = new Customer(browser);
  const { headers } = await customer.send(`${LIST}/sign-in`, form({ name: eve.email, password: PASSWORD }));
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-tillway_consents=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    // A browser that is known, for its tries at the password. It signs nobody in.
    expect.stringMatching(/^__Host-tillway_known=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/),
  ]);
  expect(headers['content-security-policy'] ?? '').not.toContain('unsafe');
});

test('a request that waits is refused here, and its payment is never made', async () => {
  const { consentId } = await provider.accountConsent(eve.customerId);
  const customer = await signedIn();
  expect((await customer.send(LIST)).text).toContain('Waits for you');
  await customer.send(`${LIST}/${consentId}/end`, await formOf(customer, `${LIST}/${consentId}`));
  expect(await provider.statusOf(consentId)).toBe('Rejected');
});

test('the payment of a consent stands at it', async () => {
  const one = await Initiator.open(credentials);
  const transfers = new Transfers(actors.tenantAdmin, actors);
  const iban = await transfers.ibanOf(await transfers.member('1.00'));
  const { consentId, order } = await one.consent(paymentTo(iban, '12.34'));
  const journey = provider.journey({ consentId });
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, eve);
  const { confirm } = await customer.askToPay(page, shown, eve, apiUrl);
  const { body } = await provider.caller.token(journey.exchange(await customer.back(await confirm())));
  const own = await signedIn();
  expect((await own.send(`${LIST}/${consentId}`)).text).toContain('No payment has been made.');
  const paid = await one.withToken(body.access_token).post(DOMESTIC_PAYMENTS, order);
  one.close();
  expect(paid.status).toBe(201);
  const shownPaid = await own.send(`${LIST}/${consentId}`);
  for (const text of ['€12.34', `Corner Shop (${iban})`, 'Paid', 'Used for its payment'])
    expect(shownPaid.text).toContain(text);
  // It cannot be ended any more.
  expect((await own.send(`${LIST}/${consentId}/end`)).text).toContain('This access had ended before.');
});

test('of another customer or another bank nothing is there', async () => {
  const { consentId, page } = await allowed();
  const mallory = await signedIn(await newMember(actors.tenantAdmin, 'Mallory Mean'));
  expect((await mallory.send(LIST)).text).not.toContain(consentId);
  const csrf = hiddenOf(await mallory.send(LIST));
  for (const path of [page, `${page}/end`]) expect((await mallory.send(path)).status).toBe(404);
  expect((await mallory.send(`${page}/end`, form(csrf))).status).toBe(404);
  const owner = await signedIn();
  for (const path of [`/consents/nobody`, '/consents', `${LIST}/x`, `${page}/end/more`, `${page}/other`])
    expect((await owner.send(path)).status).toBe(404);
  // Signed in at one bank is not signed in at another.
  expect((await owner.send(`/consents/${other.tenantId}`)).status).toBe(303);
  expect(await provider.statusOf(consentId)).toBe('Authorised');
});

test('a form without the token of its session, or of another site, ends nothing', async () => {
  const { consentId, page } = await allowed();
  const customer = await signedIn();
  const good = await formOf(customer, page);
  const foreign = await formOf(await signedIn(), page);
  for (const wrong of [form(), form({ csrf: '' }), form({ csrf: 'x'.repeat(43) }), foreign]) {
    const refused = await customer.send(`${page}/end`, wrong);
    expect([refused.status, refused.text.includes('This form is out of date')]).toEqual([403, true]);
  }
  expect((await customer.send(`${page}/end`, good, 'https://evil.example')).status).toBe(403);
  expect((await customer.send(`${LIST}/sign-out`, form())).status).toBe(403);
  expect((await customer.send(page)).status).toBe(200);
  expect(await provider.statusOf(consentId)).toBe('Authorised');
});

test('after the session has ended, a form leads to the sign-in and ends nothing', async () => {
  const { consentId, page } = await allowed();
  const customer = await signedIn();
  const late = customer.tab();
  const sent = await formOf(customer, page);
  expect((await customer.send(`${LIST}/sign-out`, sent)).status).toBe(303);
  for (const one of [customer, late]) {
    const { status, headers } = await one.send(`${page}/end`, sent);
    expect([status, headers.location]).toEqual([303, `${LIST}/sign-in?lang=en`]);
  }
  expect(await provider.statusOf(consentId)).toBe('Authorised');
});

test('of two tabs that end it at once, one does, and the other is told', async () => {
  const { consentId, page } = await allowed();
  const customer = await signedIn();
  const sent = await formOf(customer, page);
  const replies = await Promise.all([customer, customer.tab()].map((tab) => tab.send(`${page}/end`, sent)));
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(replies.find(({ status }) => status === 409)!.text).toContain('This access had ended before.');
  expect(await revocationsOf(consentId)).toHaveLength(1);
});

test('long lists go on below, and what is no place in them begins anew', async () => {
  const member = await newMember(actors.tenantAdmin);
  const asked: string[] = [];
  for (let n = 0; n < 21; n += 1) asked.push((await provider.accountConsent(member.customerId)).consentId);
  const customer = await signedIn(member);
  const first = await customer.send(LIST);
  expect(first.text).not.toContain(asked[0]);
  const [, more] = /href="([^"]*[?&;]after=[^"]+)"/.exec(first.text)!;
  expect((await customer.send(more!.replaceAll('&amp;', '&'))).text).toContain(asked[0]);
  for (const hostile of ['after=%00', 'after=a&after=b', 'endedAfter=%27', 'lang=%00'])
    expect((await customer.send(`${LIST}?${hostile}`)).text).toContain(asked[20]);
});
