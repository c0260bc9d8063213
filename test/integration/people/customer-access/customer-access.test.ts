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
