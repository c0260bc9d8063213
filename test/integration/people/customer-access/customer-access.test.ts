import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { type CustomerIdentity, openCustomerIdentity } from '../../../../src/people/customer-access/identity';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { seedCustomers } from '../../../../src/sandbox/seed/customers';
import { seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

let mockHashes = 0;
jest.mock('@node-rs/argon2', () => {
  const real = jest.requireActual('@node-rs/argon2');
  const counted =
    (work: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      mockHashes += 1;
      return work(...args);
    };
  return { ...real, hash: counted(real.hash), verify: counted(real.verify) };
});

const VAULT_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const VAULT_HMAC_KEY = Buffer.alloc(32, 2).toString('base64');
const ACTOR = { id: 'cli_test', source: '127.0.0.1', requestId: 'req_test' };
const NOBODY = 'nobody@customer.example';
const SOURCE = '127.0.0.1';

let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let identity: CustomerIdentity;
let seeded: Awaited<ReturnType<typeof seedCustomers>>;
const messenger = new Messenger(VAULT_KEYS);

beforeAll(async () => {
  own = await createTestDatabase('identity');
  database = openDatabase(own.logins, 4);
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: own.url, VAULT_KEYS, VAULT_HMAC_KEY });
  identity = openCustomerIdentity(config, database, messenger);
  seeded = await seedCustomers(
    database,
    { vaultKeys: VAULT_KEYS, hmacKey: VAULT_HMAC_KEY },
    await seedSandbox(database.system, new CallbackSecrets(VAULT_KEYS)),
  );
  // Connections, and the hash that stands for nobody's, are made once.
  await identity.signIn.signIn(signIn(NOBODY), SOURCE).catch(() => undefined);
});
afterAll(async () => {
  await database.close();
  await own.drop();
});
beforeEach(() => database.system('sign_in_failures').delete());

const signIn = (value: string) => ({
  tenantId: seeded.tenantId,
  type: 'email' as const,
  value,
  password: 'not the password',
});
const look = (value: string, code?: string) =>
  identity.lookup.look(seeded.tenantId, ACTOR, { credentialType: 'email', value, code });

/** Every statement that was sent, in order, and how many passwords were hashed. */
async function workOf(run: () => Promise<unknown>): Promise<{ statements: string[]; hashes: number }> {
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => statements.push(sql);
  mockHashes = 0;
  for (const role of [database.app, database.system]) role.on('query', note);
  await run().catch(() => undefined);
  for (const role of [database.app, database.system]) role.off('query', note);
  return { statements, hashes: mockHashes };
}

/** The code of the newest message to the seeded customer, or undefined where nothing is queued. */
async function newestCode(): Promise<string | undefined> {
  const row = await database.system('messages').where({ state: 'queued' }).orderBy('created_at', 'desc').first();
  return row && /\b\d{6}\b/.exec(messenger.open(row.id, row.sealed).text)?.[0];
}

describe('the work for somebody and for nobody is the same', () => {
  test.each([
    ['a sign-in by password', (value: string) => identity.signIn.signIn(signIn(value), SOURCE), 1],
    ['a lookup without a code', (value: string) => look(value), 0],
    ['a lookup with a code', (value: string) => look(value, 'wrong!'), 0],
    ['a password reset', (value: string) => identity.reset.request(seeded.tenantId, value, SOURCE), 0],
  ] as const)('%s', async (_name, run, hashes) => {
    const known = await workOf(() => run(seeded.customer.email));
    const unknown = await workOf(() => run(NOBODY));
    expect(known.statements.length).toBeGreaterThan(3);
    expect(unknown).toEqual(known);
    expect(known.hashes).toBe(hashes);
  });

  test('a code for a session that is there, and for none', async () => {
    await look(seeded.customer.email);
    const wrong = (await newestCode()) === '000000' ? '000001' : '000000';
    const known = await workOf(() => look(seeded.customer.email, wrong));
    expect(await workOf(() => look(NOBODY, wrong))).toEqual(known);
  });
});

describe('a link to set a new password', () => {
  const linkOf = (row: { id: string; sealed: Buffer }) =>
    /token=(\S+)/.exec(messenger.open(row.id, row.sealed).text)![1]!;
  const ask = () => identity.reset.request(seeded.tenantId, seeded.customer.email, SOURCE);
  const queued = () =>
    database.system('messages').where({ state: 'queued' }).orderBy('created_at').orderBy('id').select('id', 'sealed');

  test('that nobody was sent, or that is used, costs no hash', async () => {
    expect((await workOf(() => identity.reset.confirm('nobodys', 'a new password', SOURCE))).hashes).toBe(0);
    await ask();
    const token = linkOf((await queued()).at(-1)!);
    await identity.reset.confirm(token, seeded.customer.password, SOURCE);
    expect((await workOf(() => identity.reset.confirm(token, 'a new password', SOURCE))).hashes).toBe(0);
  });

  test('stays good when others ask for more, and there are five at most', async () => {
    const before = (await queued()).length;
    for (let asked = 0; asked < 8; asked += 1) await ask();
    const links = (await queued()).slice(before);
    expect(links).toHaveLength(5);
    await identity.reset.confirm(linkOf(links[0]!), seeded.customer.password, SOURCE);
    await expect(identity.reset.check(linkOf(links[4]!))).rejects.toMatchObject({ code: 'code_refused' });
  });
});

test('neither codes, tokens, links nor addresses can be read in the database', async () => {
  await identity.reset.request(seeded.tenantId, seeded.customer.email, SOURCE);
  await look(seeded.customer.email);
  const [element] = await look(seeded.customer.email, await newestCode());
  const tables = ['customer_sessions', 'customer_tokens', 'password_resets', 'messages', 'audit_log'];
  const dump = JSON.stringify(await Promise.all(tables.map((table) => database.system(table))), (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : typeof value === 'bigint' ? '' : value,
  );
  for (const secret of [element!.credentials[0]!.token, seeded.customer.email, seeded.customer.password])
    expect(dump).not.toContain(secret);
});

describe('a token by code alone', () => {
  const lookup = (code?: string, given = {}) =>
    identity.lookup.look(
      seeded.tenantId,
      ACTOR,
      { credentialType: 'email', value: seeded.customer.email, code },
      given,
    );
  const login = (on: boolean) =>
    identity.secondFactor.change(
      { tenantId: seeded.tenantId, customerId: seeded.customer.customerId, askedBy: 'cli_test' },
      ACTOR,
      { login: on },
      {},
    );
  const caught = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error) => error,
    );
  beforeEach(() => login(true));
  afterEach(() => login(false));

  test('is not given where login asks for more: another address answers, once, together with the same code', async () => {
    await database.system('customer_tokens').delete();
    await lookup();
    const code = (await newestCode())!;
    const asked = await caught(lookup(code));
    expect(asked).toMatchObject({ code: 'two_factor_required', session: { method: 'sms' } });
    expect(await database.system('customer_tokens').where({ customer_id: seeded.customer.customerId })).toEqual([]);
    // Neither the code that was right again, nor the second without it.
    expect(await caught(lookup(code))).toMatchObject({ code: 'code_refused' });
    const given = { sessionId: asked.session.sessionId, code: await newestCode() };
    const other = code === '000000' ? '000001' : '000000';
    expect(await caught(lookup(other, given))).toMatchObject({ code: 'code_refused' });
    const [element] = await lookup(code, given);
    expect(element!.credentials[0]!.token).not.toBe('');
    expect(await caught(lookup(code, given))).toMatchObject({ code: 'code_refused' });
  });

  test('is refused where the customer has no other way to prove who it is', async () => {
    const phone = { customer_id: seeded.customer.customerId, type: 'phone' };
    const [{ verified_at: verified }] = await database.system('customer_identifiers').where(phone);
    await database.system('customer_identifiers').where(phone).update({ verified_at: null });
    await lookup();
    const error = await caught(lookup(await newestCode()));
    expect([error.code, error.session]).toEqual(['two_factor_required', undefined]);
    await database.system('customer_identifiers').where(phone).update({ verified_at: verified });
  });
});

describe('an operation that asks for the second factor', () => {
  const who = () => ({ tenantId: seeded.tenantId, customerId: seeded.customer.customerId, askedBy: 'cli_test' });
  const require = (given = {}, flag: 'funding' | 'trading' = 'funding') =>
    identity.secondFactor.require(who(), flag, given);
  const refusal = (given = {}, flag: 'funding' | 'trading' = 'funding') =>
    require(given, flag).then(
      () => 'none',
      (error) => error,
    );

  beforeAll(() => identity.secondFactor.change(who(), ACTOR, { funding: true }, {}));

  test('passes where its flag is off, and asks where it is on', async () => {
    expect(await refusal({}, 'trading')).toBe('none');
    expect(await refusal()).toMatchObject({ code: 'two_factor_required', session: { method: 'email' } });
  });

  test('passes with the code, once, and only with one that was asked for it', async () => {
    const { session } = await refusal();
    const code = await newestCode();
    await look(seeded.customer.email);
    const forSignIn = await newestCode();
    if (forSignIn !== code)
      expect(await refusal({ sessionId: session.sessionId, code: forSignIn })).toMatchObject({ code: 'code_refused' });
    expect(await refusal({ sessionId: session.sessionId, code })).toBe('none');
    expect(await refusal({ sessionId: session.sessionId, code })).toMatchObject({ code: 'code_refused' });
  });

  test('takes a code for exactly the request that it was asked for, by message and by authenticator alike', async () => {
    await database.system('sign_in_failures').delete();
    const request = { terms: '["POST","/transfers",{"amount":"1.00"}]', words: 'to send 1.00 EUR to @bob' };
    const ask = (terms: string | undefined, given = {}) =>
      identity.secondFactor
        .require({ ...who(), ...(terms && { request: { ...request, terms } }) }, 'funding', given)
        .then(
          () => 'none',
          (error) => error,
        );
    const { session } = await ask(request.terms);
    const row = await database.system('messages').where({ state: 'queued' }).orderBy('created_at', 'desc').first();
    expect(messenger.open(row.id, row.sealed).text).toContain('is your code to send 1.00 EUR to @bob.');
    const given = { sessionId: session.sessionId, code: await newestCode() };
    const other = request.terms.replace('1.00', '9.00');
    for (const terms of [other, undefined]) expect(await ask(terms, given)).toMatchObject({ code: 'code_refused' });
    expect(await ask(request.terms, given)).toBe('none');
    expect(JSON.stringify(await database.system('customer_sessions').where({ id: session.sessionId }))).not.toContain(
      'transfers',
    );
  });

  test('admits ten wrong codes, however many sessions they are for', async () => {
    const sessions = await Promise.all([refusal(), refusal(), refusal()]);
    const right = await newestCode();
    const code = right === '000000' ? '000001' : '000000';
    for (const { session } of sessions)
      for (let tries = 0; tries < 4; tries += 1) await refusal({ sessionId: session.sessionId, code });
    for (const { session } of sessions)
      expect(await refusal({ sessionId: session.sessionId, code: right })).toMatchObject({ code: 'code_refused' });
  });

  test('does not take a code that is out of time', async () => {
    const { session } = await refusal();
    await database
      .system('customer_sessions')
      .where({ id: session.sessionId })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const code = await newestCode();
    expect(await refusal({ sessionId: session.sessionId, code })).toMatchObject({ code: 'code_refused' });
  });

  test('of a customer without verified address and authenticator is refused, not let through', async () => {
    await database.system('customer_identifiers').update({ verified_at: null });
    const error = await refusal();
    expect(error).toMatchObject({ code: 'two_factor_required' });
    expect(error.session).toBeUndefined();
  });
});
