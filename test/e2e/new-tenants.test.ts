import { randomUUID } from 'node:crypto';
import { generate } from 'otplib';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, Caller, challenge, type Json, send, until } from './client';
import { put, Seller } from './sellers';
import { addressOf, choosePassword, credentialsOf, linkTo, PASSWORD, Staff, TOKEN, TOTP } from './staff';

/** Tenants that two operators make, none of which the sandbox has seeded; and what a suspension stops. */

const { credentials } = sharedStack();
const { apiUrl } = credentials;
const TENANTS = '/ops/1.0.0/tenants';
const reason = 'Contract 4711.';

let actors: Actors;
/** Two operators, each with a second factor. */
let ann: Caller;
let bob: Caller;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  [ann, bob] = (await Promise.all([Staff.create(actors.ops, 'ops'), Staff.create(actors.ops, 'ops')])).map(
    ({ caller }) => caller,
  ) as [Caller, Caller];
});

const asked = (more: object = {}) => ({
  name: 'Harbour Payments',
  country: 'PT',
  currency: 'EUR',
  methods: [1, 2],
  firstAdmin: { name: 'Ada Lovelace', email: addressOf('admin') },
  reason,
  ...more,
});
const act = (by: Caller, tenantId: string, verb: string, body: object = { reason }) =>
  by.post(`${TENANTS}/${tenantId}/${verb}`, verb === 'confirm' ? undefined : body);
const tenantOf = async (tenantId: string): Promise<Json> => (await ann.get(`${TENANTS}/${tenantId}`)).body;

/** A tenant that is there, with its admin, who has chosen a password and an authenticator and is signed in. */
async function opened() {
  const order = asked();
  const { tenantId } = (await ann.post(TENANTS, order)).body;
  expect((await act(bob, tenantId, 'confirm')).status).toBe(200);
  const { email } = order.firstAdmin;
  const link = await linkTo(apiUrl, email);
  expect((await choosePassword(apiUrl, link)).status).toBe(200);
  // The link works once.
  expect((await choosePassword(apiUrl, link, 'another-orbit-lantern-43')).status).toBe(409);
  const login = { email, password: PASSWORD };
  const { body } = await send(apiUrl + TOKEN, { method: 'POST', body: login });
  const admin = new Caller(apiUrl, { authorization: `Bearer ${body.access_token}` });
  expect((await admin.get('/onboarding/1.0.0/merchants')).body.code).toBe('second_factor_missing');
  const { secret } = (await admin.post(TOTP)).body;
  expect((await admin.post(`${TOTP}/confirm`, { code: await generate({ secret }) })).status).toBe(200);
  return { tenantId, admin, login };
}

/** A seller of that tenant. */
const sellerOf = (admin: Caller) => Seller.create(credentials, { ...actors, tenantAdmin: admin });

test('one operator proposes, another confirms, the admin is invited, and a merchant takes a payment and goes live', async () => {
  const { tenantId, admin } = await opened();
  const tenant = await tenantOf(tenantId);
  expect(tenant).toMatchObject({
    status: 'active',
    name: 'Harbour Payments',
    country: 'PT',
    currency: 'EUR',
    methods: [1, 2],
    firstAdmin: { state: 'active', name: 'Ada Lovelace' },
    reason,
  });
  expect(tenant.proposedBy).not.toBe(tenant.confirmedBy);

  const seller = await sellerOf(admin);
  const { paymentId } = await seller.merchant.paid(CARDS.visa);
  expect(await seller.merchant.until(paymentId, ...CAPTURED)).toBeDefined();
  const ONBOARDING = '/onboarding/1.0.0';
  const applied = await seller.contact.post(`${ONBOARDING}/activations`, {
    checklist: { termsAccepted: true },
    documents: [{ purpose: 'KYB', name: 'Register', reference: 'https://docs.example/1' }],
    country: 'PT',
    currencies: ['EUR'],
  });
  expect(applied.status).toBe(201);
  const { activationId } = applied.body;
  await until('it is under review', async () => {
    const { body } = await ann.get(`${ONBOARDING}/activations/${activationId}`);
    return body.status === 'in_review';
  });
  const why = { reason: 'Its callbacks were seen in the sandbox.' };
  expect((await ann.post(`${ONBOARDING}/activations/${activationId}/approve`, why)).status).toBe(200);
  const merchantOf = async () => (await admin.get(`${ONBOARDING}/merchants/${seller.organizationId}`)).body;
  await until('the merchant is live', async () => (await merchantOf()).mode === 'live');

  // Nothing of it is anybody else's, and nothing of others is its own.
  const path = `/onboarding/1.0.0/merchants/${seller.organizationId}`;
  expect((await actors.tenantAdmin.get(path)).status).toBe(404);
  const theirs = { tenantid: credentials.tenantId };
  expect((await admin.get('/onboarding/1.0.0/merchants', theirs)).status).toBe(403);
  expect((await admin.get('/onboarding/1.0.0/merchants')).body.data).toHaveLength(1);
  expect((await admin.get('/ledger/1.0.0/trial-balance', { tenantid: tenantId })).body.data).toMatchObject([
    { currency: 'EUR', difference: '0.00' },
  ]);
  expect((await ann.get(`/identity/1.0.0/audit?target=${tenantId}`)).body.data).toMatchObject([
    { action: 'tenant.confirm', tenantId, actor: tenant.confirmedBy },
    { action: 'tenant.propose', tenantId, actor: tenant.proposedBy, detail: { reason } },
  ]);
});

test('before another operator confirms there is no tenant: nobody is invited, and nobody acts for it', async () => {
  const order = asked();
  const key = { 'Idempotency-Key': randomUUID() };
  const [first, again] = [await ann.post(TENANTS, order, key), await ann.post(TENANTS, order, key)];
  expect([first.status, again.body.tenantId]).toEqual([201, first.body.tenantId]);
  expect(first.body).toMatchObject({ status: 'proposed', firstAdmin: { state: 'waiting' } });
  const { tenantId } = first.body;
  expect(await act(ann, tenantId, 'confirm')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const forIt = { tenantid: tenantId };
  const merchant = { businessName: 'Too soon', technicalContact: { name: 'Sal', email: addressOf() } };
  expect((await ann.post('/onboarding/1.0.0/merchants', merchant, forIt)).status).toBe(403);
  expect((await ann.get('/identity/1.0.0/users', forIt)).status).toBe(403);
  const listed = (await ann.get('/identity/1.0.0/tenants?limit=200')).body.data;
  expect(listed.map((row: Json) => row.tenantId)).not.toContain(tenantId);
  expect((await ann.get(`${TENANTS}?status=proposed&limit=200`)).body.data).toContainEqual(
    expect.objectContaining({ tenantId, status: 'proposed' }),
  );
  const work = (await bob.get('/ops/1.0.0/worklist?kind=tenant&limit=200')).body.data;
  expect(work.find(({ objectId }: Json) => objectId === tenantId)).toMatchObject({
    why: expect.stringContaining('Harbour Payments'),
    acts: [{ act: 'confirm' }, { act: 'withdraw' }],
  });

  expect((await act(bob, tenantId, 'withdraw', { reason: 'Signed by nobody.' })).body).toMatchObject({
    status: 'withdrawn',
    reason: 'Signed by nobody.',
  });
  for (const verb of ['confirm', 'withdraw', 'suspend', 'resume'])
    expect((await act(bob, tenantId, verb)).status).toBe(409);
  const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(order.firstAdmin.email)}`);
  expect(body.data).toEqual([]);
  // The address is free again.
  expect((await ann.post(TENANTS, order)).status).toBe(201);
});

test('two confirmations at once are one, and the address of somebody who signs in is refused', async () => {
  const { tenantId, firstAdmin } = (await ann.post(TENANTS, asked())).body;
  const both = await Promise.all([act(bob, tenantId, 'confirm'), act(bob, tenantId, 'confirm')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const taken = asked({ firstAdmin: { name: 'Eve', email: firstAdmin.email } });
  expect(await ann.post(TENANTS, taken)).toMatchObject({ status: 409, body: { code: 'duplicate_user' } });
});

test('what a tenant needs is checked', async () => {
  const wrong: [string, object][] = [
    ['name', { name: ' ' }],
    ['country', { country: 'Portugal' }],
    ['currency', { currency: 'EURO' }],
    ['methods[0]', { methods: [4_711] }],
    ['firstAdmin.email', { firstAdmin: { name: 'Ada', email: 'ada' } }],
    ['reason', { reason: undefined }],
  ];
  for (const [field, more] of wrong) {
    const { status, body } = await ann.post(TENANTS, asked(more));
    expect([status, body.details?.map((detail: Json) => detail.field)]).toEqual([400, [field]]);
  }
  expect((await actors.tenantAdmin.post(TENANTS, asked())).status).toBe(403);
  expect((await ann.get(`${TENANTS}/ten_nothing`)).status).toBe(404);
});

test('a suspension shuts out people and programs within a second, ends nothing that is under way, and is over at once', async () => {
  const { tenantId, admin, login } = await opened();
  const seller = await sellerOf(admin);
  const { merchant, contact } = seller;
  const link = (
    await merchant.post('/payment-links/1.0.0/links', {
      title: 'Consulting',
      lines: [{ description: 'An hour', amount: '60.00', quantity: 1 }],
      currency: 'EUR',
    })
  ).body;
  const started = await merchant.pay(CARDS.challenge);
  const { paymentId, action } = started.body.data;
  expect((await act(ann, tenantId, 'suspend', {})).status).toBe(400);
  expect((await act(ann, tenantId, 'suspend', { reason: 'Fraud, case 12.' })).body.status).toBe('suspended');

  const refused = { status: 403, body: { code: 'tenant_suspended' } };
  // People at once, programs once their token is not remembered any more.
  expect(await admin.get('/onboarding/1.0.0/merchants')).toMatchObject(refused);
  expect(await contact.get('/onboarding/1.0.0/parameters')).toMatchObject(refused);
  const tried = () => merchant.pay(CARDS.visa);
  await until('the token is refused', async () => (await tried()).status === 403);
  expect(await tried()).toMatchObject(refused);
  expect(await send(apiUrl + TOKEN, { method: 'POST', body: credentialsOf(login) })).toMatchObject(refused);
  const page = await fetch(link.url);
  expect([page.status, await page.text()]).toEqual([409, expect.not.stringContaining('name="number"')]);

  // The payer was at the bank when it happened.
  await challenge(action.url, 'authenticated');
  await until('the payment is captured', async () => {
    const { body } = await ann.get(`/ops/1.0.0/objects/${paymentId}`);
    return CAPTURED.includes(body.status);
  });
  // Operators can still look, and act.
  expect((await ann.get('/onboarding/1.0.0/merchants', { tenantid: tenantId })).status).toBe(200);
  expect((await act(ann, tenantId, 'suspend')).status).toBe(409);

  expect((await act(bob, tenantId, 'resume', { reason: 'Cleared up.' })).body.status).toBe('active');
  expect((await admin.get('/onboarding/1.0.0/merchants')).status).toBe(200);
  await until('the token is good again', async () => (await merchant.pay(CARDS.visa)).status < 300);
  expect((await fetch(link.url)).status).toBe(200);
  const { data } = (await ann.get(`/identity/1.0.0/audit?target=${tenantId}`)).body;
  expect(data.map(({ action }: Json) => action)).toEqual([
    'tenant.resume',
    'tenant.suspend',
    'tenant.confirm',
    'tenant.propose',
  ]);
});

test('the methods of a tenant are chosen anew by an operator, with a reason', async () => {
  const { tenantId } = (await ann.post(TENANTS, asked())).body;
  const path = `${TENANTS}/${tenantId}/methods`;
  // Another operator confirms what was proposed, and nothing else.
  expect((await put(ann, path, { methods: [3], reason })).status).toBe(409);
  await act(bob, tenantId, 'confirm');
  expect((await put(ann, path, { methods: [3] })).status).toBe(400);
  expect((await put(ann, path, { methods: [27, 3], reason })).body.methods).toEqual([3, 27]);
  expect((await tenantOf(tenantId)).methods).toEqual([3, 27]);
  expect((await act(ann, 'ten_platform', 'suspend')).status).toBe(409);
});
