import { generate } from 'otplib';
import { LinkTokens } from '../../../../src/commerce/payment-links/payment-link';
import { newId } from '../../../../src/domain/ids';
import { loadConfig } from '../../../../src/foundation/config/config';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { Beneficiaries } from '../../../../src/money/beneficiaries/beneficiaries';
import { BeneficiaryKeys } from '../../../../src/money/beneficiaries/beneficiary';
import { walletOf } from '../../../../src/money/ledger/accounts';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { transferDependencies } from '../../../../src/money/p2p/dependencies';
import { Membership } from '../../../../src/money/p2p/membership';
import { findParty } from '../../../../src/money/p2p/recipient';
import { Transfers } from '../../../../src/money/p2p/transfers';
import { Cursors } from '../../../../src/open-banking/account-information/cursors';
import { openCustomerIdentity } from '../../../../src/people/customer-access/identity';
import { Identifiers } from '../../../../src/people/customers/identifiers';
import { CustomerService } from '../../../../src/people/customers/service';
import { Authenticators } from '../../../../src/people/identity/authenticators';
import { KnownDevices } from '../../../../src/people/identity/known-devices';
import { Users } from '../../../../src/people/identity/users/user';
import { type ApiServer, startApi } from '../../api/api-server';
import { Behaviour, sampleRoutes } from '../../api/sample-routes';
import { adjustmentCause } from '../../money/adjustment';
import { ACTOR, openPlace, type Place } from '../../people/customer-access/people-who-sign-in';

/**
 * A rotation of VAULT_HMAC_KEY as operators do it: a process of before, two that are being restarted beside each other, one
 * with the new key in front, and, after the hashes were made anew, one with the new key alone.
 */
const vaultKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const [OLD, NEW] = [2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
const LEARNED = `${OLD},${NEW}`;
const IN_FRONT = `${NEW},${OLD}`;
const DURING = [LEARNED, IN_FRONT];
const STAFF = { actor: ACTOR, isStaff: true };
const away = { connection: { withDeadline: () => Promise.reject(new Error('away')) } } as unknown as Engine;

let place: Place;
beforeAll(async () => {
  place = await openPlace('hash_keys');
});
afterAll(() => place.close());

const identityOf = (hmacKey: string) =>
  openCustomerIdentity(
    loadConfig({ NODE_ENV: 'test', VAULT_KEYS: vaultKeys, VAULT_HMAC_KEY: hmacKey }),
    place.database,
    new Messenger(vaultKeys),
  );
const p2pOf = (hmacKey: string) => {
  const p2p = transferDependencies(new Ledger(), { vaultKeys, hmacKey, transferTtlMs: 60_000_000 });
  return {
    keys: p2p.keys,
    membership: new Membership(place.database, p2p.keys),
    transfers: new Transfers({ database: place.database, engine: away, p2p }, 60_000),
  };
};
async function person(): Promise<string> {
  const id = newId('customer');
  const profile = { customerName: 'A Person', person: { email: `${id}@example.com` } };
  const row = { id, tenant_id: place.seeded.tenantId, status: 'verified', customer_type: 'Person' };
  await place.database.system('customers').insert({ ...row, ...place.profiles.seal(id, profile) });
  return id;
}
const authenticatorsOf = (hmacKey: string) => new Authenticators(place.database, vaultKeys, hmacKey);

/** A code is sent by one process and comes back to another. */
async function signIn(sender: string, receiver: string): Promise<void> {
  const question = { credentialType: 'email' as const, value: place.seeded.customer.email };
  const [asked] = await identityOf(sender).lookup.look(place.seeded.tenantId, ACTOR, question);
  expect(asked?.credentials).toHaveLength(1);
  const code = await place.newestCode();
  const [known] = await identityOf(receiver).lookup.look(place.seeded.tenantId, ACTOR, { ...question, code });
  expect(known?.credentials[0]?.token).not.toBe('');
}

test('customers are found, and codes come back, before, during and after', async () => {
  await signIn(OLD, OLD);
  for (const sender of [OLD, LEARNED]) await signIn(sender, LEARNED);
  for (const sender of DURING) for (const receiver of DURING) await signIn(sender, receiver);
  const rehash = () => new Identifiers(IN_FRONT).rehash(place.database.system, (row) => place.profiles.open(row));
  expect(await rehash()).toBeGreaterThan(0);
  expect(await rehash()).toBe(0);
  await signIn(IN_FRONT, NEW);
  await signIn(NEW, NEW);
  const tenantId = place.seeded.tenantId;
  const found = await new CustomerService(place.database, { vaultKeys, hmacKey: NEW }).list(tenantId, ACTOR, {
    search: place.seeded.customer.email,
    limit: 10,
  });
  expect(found.map(({ row }) => row.id)).toEqual([place.seeded.customer.customerId]);
});

test('an address stays one user’s', async () => {
  const users = (hmacKey: string) => new Users(place.database, vaultKeys, hmacKey);
  const { system } = place.database;
  const create = (hmacKey: string, email: string) =>
    system.transaction((trx) =>
      users(hmacKey).create(trx, { id: newId('user'), role: 'ops', contact: { name: 'A', email } }),
    );
  await create(OLD, 'ada@example.com');
  for (const hmacKey of DURING) {
    await expect(create(hmacKey, 'Ada@example.com')).rejects.toMatchObject({ code: 'duplicate_user' });
    expect(await users(hmacKey).findByEmail(system, 'ada@example.com')).toBeDefined();
  }
  // Two processes invite the same person at once, each under its own key.
  const both = await Promise.allSettled(DURING.map((hmacKey) => create(hmacKey, 'grace@example.com')));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await users(IN_FRONT).rehash(system)).toBeGreaterThan(0);
  expect(await users(IN_FRONT).rehash(system)).toBe(0);
  for (const email of ['ada@example.com', 'grace@example.com'])
    expect(await users(NEW).findByEmail(system, email)).toBeDefined();
  await expect(create(NEW, 'ada@example.com')).rejects.toMatchObject({ code: 'duplicate_user' });
});

test('an alias stays one customer’s, and money that waits for one arrives', async () => {
  const { tenantId } = place.seeded;
  const [ada, grace, ana] = [await person(), await person(), await person()];
  const alias = { type: 'handle' as const, value: 'ada' };
  await p2pOf(OLD).membership.enroll(tenantId, ada, { alias }, STAFF);
  const partyAt = (hmacKey: string) =>
    place.database.tenant(tenantId, (trx) => findParty(trx, p2pOf(hmacKey).keys, alias));
  for (const hmacKey of DURING) {
    expect(await partyAt(hmacKey)).toMatchObject({ customer_id: ada });
    await expect(p2pOf(hmacKey).membership.enroll(tenantId, grace, { alias }, STAFF)).rejects.toMatchObject({
      code: 'alias_taken',
    });
  }
  // Held for somebody who joins at a process with the new key in front.
  const cause = await adjustmentCause(place.database, tenantId);
  const debit = { kind: 'bank_clearing', owner: 'test' } as const;
  await place.database.tenant(tenantId, (trx) =>
    new Ledger().book(trx, tenantId, 'EUR', [
      { phase: 'posted', debit, credit: walletOf(ada), amountMinor: 1_000n, cause },
    ]),
  );
  const send = (hmacKey: string, value: string) =>
    p2pOf(hmacKey).transfers.send({
      transferId: newId('transfer'),
      tenantId,
      senderId: ada,
      recipient: { type: 'email', value },
      money: { amountMinor: 100n, currency: 'EUR' },
      acting: STAFF,
    });
  const [first, second] = [await send(OLD, 'ana@example.com'), await send(IN_FRONT, 'ana@example.com')];
  expect([first.status, second.status]).toEqual(['held', 'held']);
  const joins = { alias: { type: 'email' as const, value: 'ana@example.com' } };
  await p2pOf(LEARNED).membership.enroll(tenantId, ana, joins, STAFF);
  await p2pOf(LEARNED).transfers.welcome(tenantId, ana);
  const statuses = () => place.database.system('p2p_transfers').whereIn('id', [first.id, second.id]).pluck('status');
  expect(await statuses()).toEqual(['settled', 'settled']);
  expect(await p2pOf(IN_FRONT).keys.rehash(place.database)).toBe(2);
  expect(await p2pOf(IN_FRONT).keys.rehash(place.database)).toBe(0);
  expect(await partyAt(NEW)).toMatchObject({ customer_id: ada });
  expect((await send(NEW, 'ana@example.com')).status).toBe('settled');
});

test('a recipient that is saved stays one', async () => {
  const { tenantId } = place.seeded;
  const customerId = await person();
  const keys = (hmacKey: string) => new BeneficiaryKeys({ vaultKeys, hmacKey });
  const recipient = { name: 'Grace', type: 'alias' as const, value: 'grace' };
  const add = async (hmacKey: string) =>
    (
      await new Beneficiaries(place.database, keys(hmacKey)).add(
        tenantId,
        customerId,
        newId('beneficiary'),
        recipient,
        STAFF,
      )
    ).fresh;
  expect(await add(OLD)).toBe(true);
  for (const hmacKey of DURING) expect(await add(hmacKey)).toBe(false);
  expect(await keys(IN_FRONT).rehash(place.database.system)).toBe(1);
  expect(await add(NEW)).toBe(false);
});

test('recovery codes of before are good as long as their key is there', async () => {
  const { tenantId } = place.seeded;
  const customerId = await person();
  const before = authenticatorsOf(OLD);
  const { secret } = await place.database.tenant(tenantId, (trx) => before.enrol(trx, tenantId, customerId, 'Ada'));
  const codes = await before.confirm(tenantId, customerId, await generate({ secret }));
  for (const [at, hmacKey] of DURING.entries()) {
    expect(await authenticatorsOf(hmacKey).check(tenantId, customerId, codes[at]!)).toBe(true);
    expect(await authenticatorsOf(hmacKey).check(tenantId, customerId, codes[at]!)).toBe(false);
  }
  expect(await authenticatorsOf(NEW).check(tenantId, customerId, codes[5]!)).toBe(false);
});

test('links keep their addresses; devices and pages are known again', () => {
  const tokens = (hmacKey: string) => new LinkTokens(hmacKey, 'https://pay.example');
  const link = { id: newId('paymentLink'), token_digest: tokens(OLD).digest(tokens(OLD).of('pln_1')) };
  for (const hmacKey of DURING)
    expect(tokens(hmacKey).urlOf({ ...link, id: 'pln_1' })).toBe(`https://pay.example/pay/${tokens(OLD).of('pln_1')}`);
  expect(DURING.map((hmacKey) => tokens(hmacKey).isEarlier({ ...link, id: 'pln_1' }))).toEqual([false, true]);

  const at = new Date();
  for (const maker of [OLD, ...DURING])
    for (const reader of DURING) {
      expect(new KnownDevices(reader).find(new KnownDevices(maker).add(undefined, 'usr_1'), 'usr_1')).toBeDefined();
      const cursor = new Cursors(maker).encode({ startedAt: at, place: ['x'] }, ['consent']);
      expect(new Cursors(reader).decode(cursor, ['consent'], at).place).toEqual(['x']);
    }
});

test('a request that is repeated after the restart gets its first answer', async () => {
  const behaviour = new Behaviour();
  const servers: ApiServer[] = [];
  try {
    for (const hmacKey of [OLD, ...DURING])
      servers.push(
        await startApi({
          routes: sampleRoutes(behaviour),
          env: { VAULT_HMAC_KEY: hmacKey },
          seeded: servers[0]?.seeded,
        }),
      );
    const token = await servers[0]!.tokenOf(servers[0]!.seeded.clients.merchant);
    const body = { amount: '1.00', currency: 'EUR', card: { number: '4111111111111111' } };
    const headers = { 'Idempotency-Key': 'of-the-rotation', organizationId: servers[0]!.seeded.organizationId };
    const replies = [];
    for (const server of servers) replies.push(await server.call('POST', '/things', { token, headers, body }));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    const other = { token, headers, body: { ...body, amount: '2.00' } };
    expect((await servers[2]!.call('POST', '/things', other)).json.code).toBe('idempotency_key_reused');
  } finally {
    for (const server of servers.reverse()) await server.close();
  }
});
