import { eraseSignIn } from '../../../../src/people/customer-access/erasure';
import { storeSecrets } from '../../../../src/people/customers/secrets';
import { endTokens } from '../../../../src/people/identity/customer-tokens';
import { sweepExpired } from '../../../../src/people/identity/expired';
import { hashPassword } from '../../../../src/people/identity/passwords';
import { ACTOR, openPlace, type Place } from './people-who-sign-in';

const DEVICE = { source: '127.0.0.1', userAgent: 'A browser' };

let place: Place;
beforeAll(async () => {
  place = await openPlace('web_sign_in', { CUSTOMER_WEB_IDLE_MS: '300000', CODES_PER_CUSTOMER: '1000' });
});
afterAll(() => place.close());

const who = () => ({ tenantId: place.seeded.tenantId, customerId: place.seeded.customer.customerId });
const signIn = (password = place.seeded.customer.password, value = place.seeded.customer.email) =>
  place.identity.webSignIn.withPassword(who().tenantId, { value, password }, DEVICE);
const find = (token: string, tenantId = who().tenantId) => place.identity.webSessions.find(tenantId, token);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code, message }) => ({ code, message }),
  );
const within = <T>(work: Parameters<Place['database']['tenant']>[1]) =>
  place.database.tenant(who().tenantId, work) as Promise<T>;

test('a session stands for its customer, in its tenant alone; the database has no token', async () => {
  const { token, next } = await signIn();
  expect(next).toBe('done');
  expect(await find(token)).toMatchObject({
    customerId: who().customerId,
    name: 'Ada Lovelace',
    email: place.seeded.customer.email,
    hasSecondFactor: false,
  });
  expect(await find(token, place.seeded.other.tenantId)).toBeUndefined();
  expect(await find(`${token}x`)).toBeUndefined();
  expect(JSON.stringify(await place.database.system('customer_web_sessions'))).not.toContain(token);
});

test('an unknown customer and a wrong password are refused alike, and count as in the API', async () => {
  const unknown = await refusal(signIn('not the password', 'nobody@customer.example'));
  expect(await refusal(signIn('not the password'))).toEqual(unknown);
  expect(unknown!.code).toBe('unauthorized');
  const { customer, tenantId } = place.seeded;
  const inApi = (source: string) =>
    place.identity.signIn.signIn(
      { tenantId, type: 'email', value: customer.email, password: customer.password },
      source,
    );
  for (let tries = 1; tries < 10; tries += 1) await refusal(signIn('not the password'));
  // Locked for this source: on the page and in the API, also against the right one.
  expect(await refusal(signIn())).toEqual(unknown);
  expect((await refusal(inApi(DEVICE.source)))!.code).toBe('unauthorized');
  expect(await refusal(inApi('::1'))).toBeUndefined();
  // A browser on which the customer has signed in before has tries of its own.
  const known = place.identity.knownDevices.add(undefined, customer.customerId);
  const inBrowser = { value: customer.email, password: customer.password };
  const entered = await place.identity.webSignIn.withPassword(tenantId, inBrowser, { ...DEVICE, known });
  expect(entered).toMatchObject({ next: 'done', customerId: customer.customerId });
  await place.database.system('sign_in_failures').delete();
});

test('a phone number and a user name do as well', async () => {
  expect((await signIn(undefined, '+44 7700 900001')).next).toBe('done');
  expect((await signIn(undefined, 'sandbox-customer')).next).toBe('done');
});

test('a page may want a shorter session, and a code whatever was switched on', async () => {
  const { tenantId } = who();
  const { customer } = place.seeded;
  const given = { value: customer.email, password: customer.password };
  const { webSignIn, webSessions } = place.identity;
  const lifeOf = async (token: string) => {
    const { sessionId } = (await find(token))!;
    const [session] = (await webSessions.list(tenantId, who().customerId)).filter(({ id }) => id === sessionId);
    return session!.expires_at.getTime() - session!.created_at.getTime();
  };
  const terms = { sessionMs: 900_000, needsCode: true };
  const { token: waiting, next } = await webSignIn.withPassword(tenantId, given, DEVICE, terms);
  expect([next, await find(waiting)]).toEqual(['code', undefined]);
  const { token } = await webSignIn.withCode(tenantId, waiting, await place.newestCode(), DEVICE, terms);
  expect(await find(token)).toMatchObject({ hasSecondFactor: true });
  const plain = await webSignIn.withPassword(tenantId, given, DEVICE, { sessionMs: 900_000 });
  for (const short of [token, plain.token]) expect(Math.abs((await lifeOf(short)) - 900_000)).toBeLessThan(1_000);
  expect(await lifeOf((await signIn()).token)).toBeGreaterThan(900_000 * 2);
});

describe('with a second factor', () => {
  const secondFactor = (login: boolean) =>
    place.identity.secondFactor.change({ ...who(), askedBy: 'cli_test' }, ACTOR, { login }, {});
  beforeAll(() => secondFactor(true));
  afterAll(() => secondFactor(false));

  test('the password alone signs nobody in; the code does, under another token, once', async () => {
    const { token: waiting, next } = await signIn();
    expect(next).toBe('code');
    expect(await find(waiting)).toBeUndefined();
    const code = await place.newestCode();
    const wrong = code === '000000' ? '000001' : '000000';
    const { tenantId } = who();
    const answer = (given: string) => place.identity.webSignIn.withCode(tenantId, waiting, given, DEVICE);
    expect((await refusal(answer(wrong)))!.code).toBe('code_refused');
    const { token } = await answer(code);
    expect(token).not.toBe(waiting);
    expect(await find(token)).toMatchObject({ hasSecondFactor: true });
    expect(await find(waiting)).toBeUndefined();
    expect((await refusal(answer(code)))!.code).toBe('unauthorized');
  });
});

describe('a session ends', () => {
  test('when its customer signs out, and with it the others if everywhere', async () => {
    const [one, two, three] = await Promise.all([signIn(), signIn(), signIn()]);
    await place.identity.webSignIn.signOut(who().tenantId, one!.token);
    expect(await find(one!.token)).toBeUndefined();
    expect(await find(two!.token)).toBeDefined();
    await place.identity.webSignIn.signOut(who().tenantId, two!.token, { everywhere: true });
    expect(await find(three!.token)).toBeUndefined();
  });

  test('by its customer’s list, one by one, and no other customer’s', async () => {
    const { token } = await signIn();
    const { sessionId } = (await find(token))!;
    const listed = await place.identity.webSessions.list(who().tenantId, who().customerId);
    expect(listed[0]).toMatchObject({ id: sessionId, source: '127.0.0.1', device: 'A browser' });
    await expect(within((trx) => place.identity.webSessions.endOne(trx, 'cus_other', sessionId))).rejects.toMatchObject(
      { code: 'not_found' },
    );
    await within((trx) => place.identity.webSessions.endOne(trx, who().customerId, sessionId));
    expect(await find(token)).toBeUndefined();
  });

  test.each([
    ['its tokens are ended', () => within((trx) => endTokens(trx, who().customerId))],
    [
      'it has a new password',
      async () => {
        const hash = Buffer.from(await hashPassword(place.seeded.customer.password));
        const change = { store: [{ kind: 'password', hash }], remove: [] };
        await within((trx) => storeSecrets(trx, who().tenantId, who().customerId, change));
      },
    ],
    ['it is erased', () => within((trx) => eraseSignIn(trx, who().customerId))],
  ])('when %s', async (_when, end) => {
    const { token } = await signIn();
    expect(await find(token)).toBeDefined();
    await end();
    expect(await find(token)).toBeUndefined();
  });

  test('when its customer is blocked, who cannot sign in then', async () => {
    const { token } = await signIn();
    const become = (status: string) =>
      place.database.system('customers').where({ id: who().customerId }).update({ status });
    await become('blacklisted');
    expect(await find(token)).toBeUndefined();
    expect((await refusal(signIn()))!.code).toBe('customer_blocked');
    await become('verified');
  });

  test.each([
    ['nobody has used it for a while', 'seen_at', 301_000],
    ['its time is up', 'expires_at', 1_000],
  ])('when %s; what is over is swept away', async (_when, column, agoMs) => {
    const { token } = await signIn();
    const rows = () => place.database.system('customer_web_sessions');
    const { sessionId } = (await find(token))!;
    const ago = new Date(Date.now() - agoMs);
    await rows()
      .where({ id: sessionId })
      .update({ [column]: ago });
    expect(await find(token)).toBeUndefined();
    await rows().where({ id: sessionId }).update({ expires_at: ago });
    await sweepExpired(place.database);
    expect(await rows().where({ id: sessionId })).toEqual([]);
  });
});

test('whether a tenant has anybody who can sign in', async () => {
  const { other, tenantId } = place.seeded;
  expect(await place.identity.webSignIn.isOffered(tenantId)).toBe(true);
  await place.database.tenant(other.tenantId, (trx) => trx('customer_secrets').delete());
  expect(await place.identity.webSignIn.isOffered(other.tenantId)).toBe(false);
});
