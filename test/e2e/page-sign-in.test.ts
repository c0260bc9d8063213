import { newUuid } from '../../src/domain/ids';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Caller, type Json, send, until } from './client';
import {
  codeIn,
  hiddenOf,
  letter,
  lettersTo,
  type Member,
  newMember,
  PASSWORD,
  type Shown,
  Visitor,
} from './page-visitors';

const { credentials, apiUrl } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';
const LINES = { lines: [{ description: 'Two hours of consulting', amount: '60.00', quantity: 2 }], currency: 'EUR' };

let actors: Actors;
let eve: Member;
let mallory: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  [eve, mallory] = await Promise.all([newMember(actors.tenantAdmin), newMember(actors.tenantAdmin, 'Mallory Mean')]);
});

async function link(body: object = {}, merchant = actors.merchant): Promise<Json> {
  const reply = await merchant.post(LINKS, { title: 'Consulting in November', ...LINES, ...body });
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
const statistics = async (linkId: string): Promise<Json> =>
  (await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body;
const card = (number: string = CARDS.visa) => ({
  number,
  expiry: '12/40',
  cvv: '123',
  holder: 'Eve Moneypenny',
  email: 'eve@example.com',
});
const form = (more: object = {}) => ({ ...card(), method: '1', attempt: newUuid(), order: newUuid(), ...more });
const idIn = ({ location }: Shown) => /pay_[0-9a-z]{26}/.exec(location)?.[0] ?? '';

/** Somebody who has signed in. */
async function signedIn(url: string, member: Member): Promise<Visitor> {
  const visitor = new Visitor(url);
  const { status, location } = await visitor.signIn(member);
  if (status !== 303 || location.includes('sign-in')) throw new Error(`not signed in: ${status} ${location}`);
  return visitor;
}

/** The same with a card that this page has saved. Answers its id. */
async function withCard(url: string, member: Member): Promise<{ visitor: Visitor; cardId: string }> {
  const visitor = await signedIn((await link()).url, member);
  const paid = await visitor.post('', form({ storeCard: 'yes' }));
  if (paid.status !== 303) throw new Error(`not paid: ${paid.status}`);
  const cardId = await until('the card is saved', async () => {
    const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/${member.customerId}/paymentMethods`);
    return body.data[0]?.paymentMethodId as string | undefined;
  });
  const here = new Visitor(url);
  here.cookie = visitor.cookie;
  return { visitor: here, cardId };
}

/** Asks for the payment with the saved card; answers the page that asks for the code, and the code. */
async function asked(visitor: Visitor, member: Member, more: Record<string, string> = {}) {
  const earlier = await lettersTo(apiUrl, member.email);
  const fields = { ...hiddenOf(await visitor.get()), email: 'eve@example.com', ...more };
  const page = await visitor.post('', fields);
  const text = await letter(apiUrl, member.email, earlier);
  return { page, text, code: codeIn(text), hidden: hiddenOf(page) };
}

describe('signing in', () => {
  test('is offered where customers have passwords, and shows who has', async () => {
    const { url } = await link();
    const visitor = new Visitor(url);
    expect((await visitor.get()).text).toContain('Sign in to pay with a saved card');
    const { status, location, headers } = await visitor.signIn(eve);
    expect([status, location]).toEqual([303, `${new URL(url).pathname}?lang=en`]);
    const [cookie] = headers.getSetCookie();
    expect(cookie).toMatch(/^tillway_customer=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await visitor.get();
    expect(page.text).toContain('Signed in as <strong>Eve Moneypenny</strong>');
    expect(page.text).toContain(`value="${eve.email}"`);
    expect((await visitor.post('/sign-out', {})).status).toBe(303);
    expect((await visitor.get()).text).not.toContain('Eve Moneypenny');
  });

  test('refuses an unknown customer and a wrong password alike, and keeps what was typed but the password', async () => {
    const visitor = new Visitor((await link()).url);
    const wrong = await visitor.post('/sign-in', { name: eve.email, password: 'wrong password' });
    const unknown = await visitor.post('/sign-in', { name: 'nobody@member.example', password: 'wrong password' });
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain('Name or password is wrong');
    expect(wrong.text).toContain(`value="${eve.email}"`);
    expect(wrong.text).not.toContain('wrong password');
    expect(unknown.text).toBe(wrong.text.replaceAll(eve.email, 'nobody@member.example'));
    expect(visitor.cookie).toBe('');
    const empty = await visitor.post('/sign-in', { name: '', password: '' });
    expect([empty.status, empty.text.match(/class="problem"/g)?.length]).toEqual([400, 2]);
  });

  test('speaks Portuguese', async () => {
    const visitor = new Visitor((await link()).url);
    const { text } = await visitor.post('/sign-in?lang=pt', { name: eve.email, password: 'errada' });
    expect(text).toContain('O nome ou a palavra-passe está errado');
  });

  test('takes no form from another site, and heeds no cookie with one', async () => {
    const { url, linkId } = await link();
    const visitor = await signedIn(url, eve);
    for (const origin of ['https://evil.example', 'null']) {
      expect((await visitor.post('/sign-in', { name: eve.email, password: PASSWORD }, origin)).status).toBe(403);
      expect((await visitor.post('/sign-out', {}, origin)).status).toBe(403);
      expect((await visitor.post('', form(), origin)).status).toBe(403);
    }
    expect((await visitor.get()).text).toContain('Eve Moneypenny');
    expect((await statistics(linkId)).tried).toBe(0);
  });

  test('asks for the second factor where the customer wants it', async () => {
    const member = await newMember(actors.tenantAdmin);
    const path = `/customer/1.0.0/twoFA/changeTwoFa/${member.customerId}`;
    const headers = { ...actors.tenantAdmin.headers };
    await send(apiUrl + path, { method: 'PUT', headers, body: { login: true } });
    const visitor = new Visitor((await link()).url);
    const earlier = await lettersTo(apiUrl, member.email);
    const step = await visitor.signIn(member);
    expect(step.location).toContain('/sign-in/code');
    expect((await visitor.follow(step)).text).toContain('autocomplete="one-time-code"');
    expect((await visitor.get()).text).not.toContain('Eve Moneypenny');
    const code = codeIn(await letter(apiUrl, member.email, earlier));
    const wrong = await visitor.post('/sign-in/code', { code: code === '000000' ? '000001' : '000000' });
    expect([wrong.status, wrong.text.includes('The code is wrong')]).toEqual([403, true]);
    expect((await visitor.post('/sign-in/code', { code })).status).toBe(303);
    expect((await visitor.get()).text).toContain('Eve Moneypenny');
  });

  test('holds in its tenant alone, and ends from elsewhere', async () => {
    const { url } = await link();
    const visitor = await signedIn(url, eve);
    const stranger = await actorsOf(credentials, credentials.other);
    const elsewhere = new Visitor((await link({}, stranger.merchant)).url);
    elsewhere.cookie = visitor.cookie;
    expect((await elsewhere.get()).text).not.toContain('Eve Moneypenny');
    const path = `/customer/1.0.0/${eve.customerId}/web-sessions`;
    const { data } = (await actors.tenantAdmin.get(path)).body;
    expect(data[0]).toMatchObject({ sessionId: expect.stringMatching(/^wse_/), device: 'node' });
    const remove = (who: Caller, id: string) =>
      send(`${apiUrl}${path}/${id}`, { method: 'DELETE', headers: who.headers });
    expect((await remove(stranger.tenantAdmin, data[0].sessionId)).status).toBe(404);
    expect((await remove(actors.tenantAdmin, data[0].sessionId)).status).toBe(204);
    expect((await visitor.get()).text).not.toContain('Eve Moneypenny');
    const again = await signedIn(url, eve);
    await send(`${apiUrl}/customer/1.0.0/${eve.customerId}/tokens`, {
      method: 'DELETE',
      headers: actors.tenantAdmin.headers,
    });
    expect((await again.get()).text).not.toContain('Eve Moneypenny');
  });
});

describe('a saved card', () => {
  test('is saved only where its box was ticked, and pays after a code that names amount and payee', async () => {
    const member = await newMember(actors.tenantAdmin);
    const { url, linkId } = await link();
    const { visitor, cardId } = await withCard(url, member);
    const page = await visitor.get();
    expect(page.text).toContain('VISA … 1111');
    expect(hiddenOf(page)).toMatchObject({ card: cardId });
    const { page: step, text, code, hidden } = await asked(visitor, member);
    expect(step.status).toBe(200);
    expect(step.text).toContain('€120.00');
    expect(step.text).toContain('Corner Shop');
    expect(text).toContain('to pay 120.00 EUR to Corner Shop');
    const wrong = await visitor.post('', { ...hidden, code: code === '000000' ? '000001' : '000000' });
    expect([wrong.status, wrong.text.includes('The code is wrong')]).toEqual([403, true]);
    expect((await statistics(linkId)).tried).toBe(0);
    const sent = { ...hidden, code };
    const [paid, twice] = await Promise.all([visitor.post('', sent), visitor.post('', sent)]);
    const again = await visitor.post('', sent);
    expect([paid, twice].map(({ status }) => status)).toContain(303);
    expect(again).toMatchObject({ status: 303, location: expect.stringContaining('/pay_') });
    expect(await statistics(linkId)).toMatchObject({ tried: 1, paid: 1, amount: '120.00' });
    const { data } = (await actors.merchant.get(`/ipg/1.0.0/payment/payments/${idIn(again)}/status-by-payment-id`))
      .body;
    expect(data).toMatchObject({ customerId: member.customerId });
  });

  test('does not pay another amount than the customer has confirmed', async () => {
    const { url, linkId } = await link({ amount: { min: '5.00', max: '500.00' }, lines: undefined });
    const { visitor } = await withCard(url, eve);
    const { page, code, hidden } = await asked(visitor, eve, { amount: '10.00' });
    expect(page.text).toContain('€10.00');
    const tampered = await visitor.post('', { ...hidden, amount: '400.00', code });
    expect(tampered.status).toBe(409);
    expect(tampered.text).toContain('What you confirmed is not what was sent.');
    expect((await statistics(linkId)).tried).toBe(0);
    // Nor the confirmation of another link for another seller's amount.
    const other = new Visitor((await link()).url);
    other.cookie = visitor.cookie;
    const fields = hiddenOf(await other.get());
    const reused = await other.post('', { ...fields, email: 'eve@example.com', stepUp: hidden.stepUp!, code });
    expect([reused.status, reused.text.includes('What you confirmed')]).toEqual([409, true]);
  });

  test('of somebody else is refused, and so is one without anybody signed in', async () => {
    const { url, linkId } = await link();
    const { visitor, cardId } = await withCard(url, eve);
    const stolen = { attempt: newUuid(), order: newUuid(), email: 'm@example.com', method: '1', card: cardId };
    const thief = await signedIn(url, mallory);
    const refused = await thief.post('', stolen);
    expect([refused.status, refused.text.includes('This card is no longer saved.')]).toEqual([409, true]);
    expect(refused.text).not.toContain('1111');
    const { hidden, code } = await asked(visitor, eve);
    expect((await thief.post('', { ...hidden, code })).status).toBe(409);
    const nobody = await new Visitor(url).post('', stolen);
    expect([nobody.status, nobody.location]).toEqual([303, expect.stringContaining('/sign-in')]);
    // Signed out meanwhile, as in another tab.
    await visitor.post('/sign-out', {});
    expect((await visitor.post('', { ...hidden, code })).location).toContain('/sign-in');
    expect((await statistics(linkId)).tried).toBe(0);
  });

  test('is removed by its customer, and by nobody else', async () => {
    const member = await newMember(actors.tenantAdmin);
    const { visitor, cardId } = await withCard((await link()).url, member);
    const thief = await signedIn(visitor.url, mallory);
    expect((await thief.post(`/cards/${cardId}/remove`, {})).status).toBe(404);
    expect((await new Visitor(visitor.url).post(`/cards/${cardId}/remove`, {})).location).toContain('/sign-in');
    expect((await visitor.post(`/cards/${cardId}/remove`, {}, 'https://evil.example')).status).toBe(403);
    expect(hiddenOf(await visitor.get())).toMatchObject({ card: cardId });
    expect((await visitor.post(`/cards/${cardId}/remove`, {})).status).toBe(303);
    expect(hiddenOf(await visitor.get())).not.toHaveProperty('card');
  });

  test('in two tabs pays once where one may pay', async () => {
    const { url, linkId } = await link({ maxPayments: 1 });
    const { visitor } = await withCard(url, eve);
    const tabs = [await asked(visitor, eve), await asked(visitor, eve)];
    const answers = await Promise.all(tabs.map(({ hidden, code }) => visitor.post('', { ...hidden, code })));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await statistics(linkId)).toMatchObject({ tried: 1, paid: 1 });
  });

  test('with 3-D Secure as its issuer wants', async () => {
    const member = await newMember(actors.tenantAdmin);
    const visitor = await signedIn((await link()).url, member);
    const first = await visitor.post('', form({ ...card(CARDS.challenge), storeCard: 'yes' }));
    await fetch(first.location, { method: 'POST', body: new URLSearchParams({ outcome: 'authenticated' }) });
    await until('the card is saved', async () => (await visitor.get()).text.includes('… 3220'));
    const { hidden, code } = await asked(visitor, member);
    expect((await visitor.post('', { ...hidden, code })).location).toContain(credentials.simulatorUrl);
  });
});

describe('my payments', () => {
  test('are the customer’s own to this seller, page by page, and nobody else’s', async () => {
    const member = await newMember(actors.tenantAdmin);
    const { url } = await link({
      title: 'Twenty-one small things',
      amount: { min: '1.00', max: '9.00' },
      lines: undefined,
    });
    const visitor = await signedIn(url, member);
    for (let count = 0; count < 21; count += 1) {
      const { status } = await visitor.post('', form({ amount: '2.00' }));
      expect(status).toBe(303);
    }
    const history = await visitor.get('/history');
    expect(history.text.match(/<article>/g)).toHaveLength(20);
    expect(history.text).toContain('Twenty-one small things');
    const [, after] = /history\?after=(pay_\w+)/.exec(history.text)!;
    expect((await visitor.get(`/history?after=${after}`)).text.match(/<article>/g)).toHaveLength(1);
    const other = await signedIn(url, mallory);
    expect((await other.get('/history')).text).not.toContain('Twenty-one');
    expect((await other.get(`/history?after=${after}`)).text).not.toContain('Twenty-one');
    expect((await new Visitor(url).get('/history')).location).toContain('/sign-in');
  });
});

test('whoever does not sign in pays as before, and no box is there to tick', async () => {
  const { url } = await link();
  const visitor = new Visitor(url);
  expect((await visitor.get()).text).not.toContain('Save this card');
  // A box that was ticked all the same saves nothing.
  const paid = await visitor.post('', form({ storeCard: 'yes' }));
  expect(paid.status).toBe(303);
  const path = `/ipg/1.0.0/payment/payments/${idIn(paid)}/status-by-payment-id`;
  expect((await actors.merchant.get(path)).body.data).not.toHaveProperty('cardToken');
});
