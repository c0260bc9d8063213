import { verify } from '@node-rs/argon2';
import type { CardData } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { Vault } from '../../../../src/foundation/vault/vault';
import { CustomerAccounts } from '../../../../src/money/customer-accounts/service';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { keepCard } from '../../../../src/money/payments/saved-card';
import { shownCard } from '../../../../src/money/payments/shown-card';
import type { CustomerRecord } from '../../../../src/people/customers/profile';
import { CustomerService } from '../../../../src/people/customers/service';
import { createTestDatabase } from '../../../setup/environment';

const KEYS = {
  vaultKeys: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  hmacKey: Buffer.alloc(32, 2).toString('base64'),
};
const ACTOR = { id: 'cli_admin', source: '127.0.0.1', requestId: 'req_1' };
const CARD = { number: '5555555555554444', holder: 'Katherine Unforgettable', expiryMonth: '12', expiryYear: '2030' };
/** What must be nowhere in clear, as long as the customer lives and afterwards. */
const SECRETS = ['unforgettable-password', '739204', 'the unforgettable answer'];
/** What must be nowhere once the customer is gone. */
const PERSONAL = [
  'Katherine',
  'Unforgettable',
  'katherine@example.com',
  '+12025550123',
  'own-reference',
  '5555555555554444',
];

const RECORD: CustomerRecord = {
  id: 'own-reference',
  customerType: 'Person',
  customerName: 'Katherine Unforgettable',
  person: {
    firstName: { name: 'Katherine' },
    lastName: { name: 'Unforgettable' },
    email: 'katherine@example.com',
    password: SECRETS[0],
    pinCode: SECRETS[1],
    telephoneNumbers: [{ country: 'US', number: '+12025550123' }],
    SecretQuestion: [{ question: 'Which?', answer: SECRETS[2] }],
  },
};

let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let customers: CustomerService;
let accounts: CustomerAccounts;
let tenantId: string;
let vault: Vault;

beforeAll(async () => {
  own = await createTestDatabase('erasure');
  database = openDatabase(own.logins, 4, 'test-erasure');
  vault = new Vault({ keys: KEYS.vaultKeys, hmacKey: KEYS.hmacKey, cvvTtlMs: loadConfig({}).timers.cvvTtlMs });
  customers = new CustomerService(database, KEYS);
  accounts = new CustomerAccounts(database, customers, KEYS);
  tenantId = newId('tenant');
  await database.system('tenants').insert({ id: tenantId, name: 'Erasure test' });
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

/** Saves a card as its verification does in the end. */
async function save(customerId: string, card: CardData): Promise<void> {
  const cardId = newId('card');
  const { cvv: _cvv, cvv_expires_at: _never, ...sealed } = vault.seal(cardId, card);
  const owned = { tenant_id: tenantId, fingerprint: sealed.fingerprint };
  await database.tenant(tenantId, async (trx) => {
    await trx('vault_cards').insert({ id: cardId, tenant_id: tenantId, ...sealed });
    await keepCard(trx, { customer_id: customerId }, { ...shownCard(card, 'VISA'), ...owned, card_id: cardId });
  });
}

/** Which of these texts stand anywhere in the database, as text or as bytes, and in which table. */
async function found(texts: string[]): Promise<string[]> {
  const admin = openAdmin(own.adminUrl);
  try {
    const tables: string[] = await admin('pg_tables').where({ schemaname: 'public' }).pluck('tablename');
    const hits: string[] = [];
    for (const table of tables) {
      const rows: { text: string }[] = await admin(`${table} as t`).select(admin.raw('to_jsonb(t)::text AS text'));
      const all = rows.map(({ text }) => text).join('\n');
      for (const text of texts)
        if (all.includes(text) || all.includes(Buffer.from(text).toString('hex'))) hits.push(`${table}: ${text}`);
    }
    return hits;
  } finally {
    await admin.destroy();
  }
}

test('nothing personal lies in the database in clear, and nothing at all is left after erasure', async () => {
  const { row } = await customers.register.create(tenantId, ACTOR, newId('customer'), RECORD);
  await save(row.id, CARD);
  await customers.fetch(tenantId, row.id, ACTOR);

  expect(await found(SECRETS)).toEqual([]);
  expect((await found(PERSONAL)).sort()).toEqual([
    // Masked cards carry their holder, and the caller's own id is looked up by equality.
    'customers: own-reference',
    'payment_methods: Katherine',
    'payment_methods: Unforgettable',
  ]);
  const stored = await database.system('customer_secrets').where({ customer_id: row.id }).orderBy('kind');
  expect(stored.map(({ kind }) => kind.split(':')[0])).toEqual(['answer', 'password', 'pin']);
  expect(await verify(stored[1].hash.toString(), SECRETS[0]!)).toBe(true);

  await accounts.erase(tenantId, ACTOR, row.id);
  expect(await found(PERSONAL)).toEqual([]);
  const left = await database.system('customers').where({ id: row.id }).first();
  expect(left).toMatchObject({ profile_sealed: null, profile_key: null, reference: null, status: 'new' });
  const card = await database.system('vault_cards').orderBy('created_at', 'desc').first();
  expect([card.sealed, card.wrapped_key, card.fingerprint].map(({ length }) => length)).toEqual([0, 0, 0]);
  for (const table of ['customer_identifiers', 'customer_secrets'])
    expect(await database.system(table).where({ customer_id: row.id })).toEqual([]);
});

test('money in a wallet, held money too, keeps a customer from being erased', async () => {
  const { row } = await customers.register.create(tenantId, ACTOR, newId('customer'), {
    customerType: 'Organization',
    customerName: 'Owns something',
  });
  const ledger = new Ledger();
  const wallet = { kind: 'customer_wallet' as const, owner: row.id };
  const bank = { kind: 'bank_clearing' as const, owner: 'a' };
  const move = (transfer: object) =>
    database.tenant(tenantId, (trx) => ledger.book(trx, tenantId, 'EUR', [transfer as never]));
  await move({ phase: 'posted', debit: bank, credit: wallet, amountMinor: 500n, cause: 'in' });
  await expect(accounts.erase(tenantId, ACTOR, row.id)).rejects.toMatchObject({ code: 'customer_in_use' });
  await move({ phase: 'posted', debit: wallet, credit: bank, amountMinor: 500n, cause: 'out' });
  await accounts.erase(tenantId, ACTOR, row.id);
});

test('secrets change one by one: null removes, an answer that is not sent again stays', async () => {
  const { row } = await customers.register.create(tenantId, ACTOR, newId('customer'), {
    ...RECORD,
    person: {
      ...RECORD.person,
      SecretQuestion: [
        { question: 'One?', answer: '1' },
        { question: 'Two?', answer: '2' },
      ],
    },
  });
  const secrets = async () =>
    new Map<string, string>(
      (await database.system('customer_secrets').where({ customer_id: row.id })).map(({ kind, hash }) => [
        kind,
        hash.toString('hex'),
      ]),
    );
  const before = await secrets();
  const one = customers.keys.secrets.kindOf('One?');
  await customers.update(tenantId, ACTOR, row.id, {
    person: { pinCode: null, SecretQuestion: [{ question: 'one?' }, { question: 'Three?', answer: '3' }] },
  });
  const after = await secrets();
  expect([...after.keys()].sort()).toEqual(['password', one, customers.keys.secrets.kindOf('Three?')].sort());
  expect([after.get(one), after.get('password')]).toEqual([before.get(one), before.get('password')]);
});
