import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Knex } from 'knex';
import { Pool } from 'undici';
import { newId } from '../src/domain/ids';
import type { Database } from '../src/foundation/db/database';
import { Vault } from '../src/foundation/vault/vault';
import { BeneficiaryKeys } from '../src/money/beneficiaries/beneficiary';
import { Cursors } from '../src/open-banking/account-information/cursors';
import { AccountInformationService } from '../src/open-banking/account-information/service';
import { ProfileSeal } from '../src/people/customers/customer';
import { generateEntries } from './entries';
import { closedLoop, type Measurement } from './load';

const ENTRIES = 1_000_000;
const PAGE = 100;
/** Places of the account at which pages are read. */
const PLACES = 200;

type Compare = (
  name: string,
  aim: string | undefined,
  ours: () => Promise<Measurement>,
  bare: () => Promise<Measurement>,
) => Promise<unknown>;

/** Account information of an account with a million entries, against the plainest query for the same. */
export async function compareAccountInformation(
  place: Place,
  customerId: string,
  compare: Compare,
  durationMs: number,
): Promise<void> {
  const shared = await openSharedAccount(place, customerId);
  const loop = (once: () => Promise<unknown>) => () => closedLoop(16, durationMs, once);
  await compare(
    'account information, balances, 16 concurrent',
    undefined,
    loop(shared.balances),
    loop(shared.bareBalance),
  );
  await compare(
    'account information, pages of 100 transactions of 1,000,000, 16 concurrent',
    undefined,
    loop(shared.page),
    loop(shared.barePage),
  );
}

/** Tokens of a provider's own over mutual TLS, against an insert of the same row. */
export async function compareTokens(
  authUrl: string,
  { caPath, certPath, keyPath }: Record<'caPath' | 'certPath' | 'keyPath', string>,
  admin: Knex,
  compare: Compare,
  durationMs: number,
): Promise<void> {
  const [ca, cert, key] = [caPath, certPath, keyPath].map((path) => readFileSync(path, 'utf8'));
  const entrance = new Pool(authUrl, { connections: 16, connect: { ca, cert, key } });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'grant_type=client_credentials&scope=accounts';
  const token = async () => {
    const answer = await entrance.request({ method: 'POST', path: '/token', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
  };
  const payload = JSON.stringify({
    kind: 'ClientCredentials',
    clientId: 'bench',
    scope: 'accounts',
    tokenType: 'Bearer',
  });
  const row = () =>
    admin('oidc_payloads').insert({
      model: 'ClientCredentials',
      id: randomBytes(32).toString('base64url'),
      payload,
      expires_at: new Date(Date.now() + 60_000),
    });
  const loop = (once: () => Promise<unknown>) => () => closedLoop(16, durationMs, once);
  try {
    await compare('open banking tokens, 16 concurrent', undefined, loop(token), loop(row));
  } finally {
    await entrance.close();
  }
}

interface Place {
  tenantId: string;
  admin: Knex;
  database: Database;
}

/** A customer with a long account, and what a third party reads of it. */
interface SharedAccount {
  /** Balances, under a consent, logged. */
  balances(): Promise<unknown>;
  /** A page of transactions somewhere in the account, in detail, under a consent, logged. */
  page(): Promise<unknown>;
  /** The balance of the account, by its key. */
  bareBalance(): Promise<unknown>;
  /** As many entries in the order of an index, and nothing else. */
  barePage(): Promise<unknown>;
}

/** Gives the wallet of a customer a million entries, and shares it. */
async function openSharedAccount({ tenantId, admin, database }: Place, customerId: string): Promise<SharedAccount> {
  await generateEntries(admin, { tenantId, customerId, count: ENTRIES });
  await admin.raw('ANALYZE ledger_transfers');
  const account = await admin('ledger_accounts')
    .where({ owner: customerId, kind: 'customer_wallet', currency: 'EUR' })
    .first('id as account_id', 'iban', 'currency');
  const permissions = ['ReadBalances', 'ReadTransactionsDetail', 'ReadTransactionsCredits', 'ReadTransactionsDebits'];
  const access = {
    consentId: newId('consent'),
    tenantId,
    customerId,
    permissions,
    accounts: [account],
    sharingFrom: null,
    sharingTo: null,
    customerPresent: true,
  };
  const later = new Date('2090-01-01');
  await database.tenant(tenantId, (trx) =>
    trx('consents').insert({
      id: access.consentId,
      tenant_id: tenantId,
      tpp_id: `bench-${randomUUID()}`,
      kind: 'account',
      status: 'Authorised',
      status_detail: 'Authorised.',
      customer_id: customerId,
      permissions,
      record: '{}',
      sharing_from: new Date(0),
      sharing_to: later,
      expires_at: later,
      awaits_until: later,
      authorised_at: new Date(),
      authenticated_at: new Date(),
      grant_id: access.consentId,
    }),
  );
  // Nothing that is sealed is read here, so any keys will do.
  const [vaultKeys, hmacKey] = [`k1:${randomBytes(32).toString('base64')}`, randomBytes(32).toString('base64')];
  const service = new AccountInformationService({
    database,
    profiles: new ProfileSeal(vaultKeys),
    beneficiaryKeys: new BeneficiaryKeys({ vaultKeys, hmacKey }),
    vault: new Vault({ keys: vaultKeys, hmacKey, cvvTtlMs: 1 }),
    cursors: new Cursors(hmacKey),
  });
  const accountId = String(account.account_id);
  const { rows } = await admin.raw(
    'SELECT booked_at FROM ledger_transfers WHERE ? IN (debit_account_id, credit_account_id) AND id % ? = 0',
    [accountId, Math.floor(ENTRIES / PLACES)],
  );
  const somewhere = (): Date => rows[Math.floor(Math.random() * rows.length)].booked_at;
  return {
    balances: () => service.balances(access, accountId),
    page: () => service.transactions(access, accountId, { limit: PAGE, to: somewhere() }),
    bareBalance: () => admin('ledger_balances').where({ account_id: accountId }).first(),
    barePage: () =>
      admin('ledger_transfers')
        .where({ debit_account_id: accountId, debit_guarded: true, phase: 'posted' })
        .where('booked_at', '<=', somewhere())
        .orderBy([
          { column: 'booked_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(PAGE),
  };
}
