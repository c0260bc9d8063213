import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Knex } from 'knex';
import type { Pool } from 'undici';
import type { Database } from '../src/foundation/db/database';
import { walletOf } from '../src/money/ledger/accounts';
import { causeOf } from '../src/money/ledger/causes';
import { Ledger } from '../src/money/ledger/ledger';
import { generateEntries } from './entries';
import { closedLoop, type Measurement } from './load';

const WALLETS = 200;
const OPENING_MINOR = 1_000_000_000n;
const ENTRIES = 1_000_000;
const MIB = 2 ** 20;

/** A bank of many customers, with the means to move money between them in each way that is measured. */
export interface Wallets {
  /** Through the whole API, settled at once; into one wallet, or between any two. */
  send(into?: 'one'): Promise<unknown>;
  /** The same in our ledger alone. */
  book(into?: 'one'): Promise<unknown>;
  /** The same in the plainest stored function that keeps balances above zero. */
  plain(into?: 'one'): Promise<unknown>;
  customerId: string;
  otherCustomerId: string;
}

export interface WalletsPlace {
  api: Pool;
  /** Of a tenant admin, JSON. */
  headers: Record<string, string>;
  tenantId: string;
  admin: Knex;
  database: Database;
}

export async function openWallets({ api, headers, tenantId, admin, database }: WalletsPlace): Promise<Wallets> {
  const ledger = new Ledger();
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const response = await api.request({
      method: 'POST',
      path,
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
    return JSON.parse(text);
  };
  const people = Array.from({ length: WALLETS }, (_, n) => ({
    customerType: 'Person',
    customerName: `Wallet ${n}`,
    person: { firstName: { name: 'Wallet' }, lastName: { name: `${n}` }, email: `wallet-${randomUUID()}@example.com` },
  }));
  const bulk = await post('/customer/1.0.0/createBulk', people, { token: randomUUID() });
  const ids: string[] = bulk.customerIds.map(({ customerId }: { customerId: string }) => customerId);
  for (const customerId of ids) {
    await post(`/p2p/1.0.0/customers/${customerId}/enroll`, { alias: `w-${randomUUID().slice(0, 12)}` });
    await ledger.bookAlone(database, tenantId, 'EUR', [
      {
        phase: 'posted',
        debit: { kind: 'bank_clearing', owner: 'bench' },
        credit: walletOf(customerId),
        amountMinor: OPENING_MINOR,
        cause: causeOf('transfer', `trf_${randomUUID()}`, 'settle'),
      },
    ]);
  }
  await admin.raw(PLAIN_WALLETS);
  await admin('bench_wallets').insert(ids.map((id) => ({ id, balance: String(OPENING_MINOR) })));
  const pair = (into?: 'one') => {
    const from = 1 + Math.floor(Math.random() * (WALLETS - 1));
    const to = into === 'one' ? 0 : (from + 1 + Math.floor(Math.random() * (WALLETS - 1))) % WALLETS;
    return [ids[from]!, ids[to]!] as const;
  };
  return {
    customerId: ids[0]!,
    otherCustomerId: ids[1]!,
    send(into) {
      const [senderId, recipient] = pair(into);
      return post('/p2p/1.0.0/transfers', { senderId, recipient, amount: '0.01', currency: 'EUR' });
    },
    book(into) {
      const [from, to] = pair(into);
      const transfer = {
        debit: walletOf(from),
        credit: walletOf(to),
        amountMinor: 1n,
        cause: causeOf('transfer', `trf_${randomUUID()}`, 'settle'),
      };
      return ledger.bookAlone(database, tenantId, 'EUR', [{ phase: 'posted', ...transfer }]);
    },
    async plain(into) {
      await admin.raw('SELECT bench_wallet_transfer(?, ?, ?, ?)', [...pair(into), 1, randomUUID()]);
    },
  };
}

type Compare = (name: string, aim: string, ours: Measure, bare: Measure) => Promise<unknown>;
type Measure = () => Promise<Measurement>;

/** Transfers between all wallets and into one of them: through the API against the bare engine, in the ledger against the plain function. */
export async function compareTransfers(
  wallets: Wallets,
  compare: Compare,
  durationMs: number,
  bareEngine: Measure,
): Promise<void> {
  const loop = (once: () => Promise<unknown>) => () => closedLoop(16, durationMs, once);
  const aim = '0.7';
  await compare(
    'transfers between 200 customers, API, 16 concurrent',
    aim,
    loop(() => wallets.send()),
    bareEngine,
  );
  await compare(
    'transfers to one customer, API, 16 concurrent',
    aim,
    loop(() => wallets.send('one')),
    bareEngine,
  );
  await compare(
    'wallet transfers between 200 customers, ledger, 16 concurrent',
    aim,
    loop(() => wallets.book()),
    loop(() => wallets.plain()),
  );
  await compare(
    'wallet transfers to one customer, ledger, 16 concurrent',
    aim,
    loop(() => wallets.book('one')),
    loop(() => wallets.plain('one')),
  );
}

/** Two balances, locked in one order and never below zero, and the two entries. */
const PLAIN_WALLETS = `
  CREATE TABLE bench_wallets (id text PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
  CREATE TABLE bench_wallet_entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, wallet text NOT NULL,
    amount bigint NOT NULL, cause text NOT NULL);
  CREATE UNIQUE INDEX ON bench_wallet_entries (cause, wallet);
  CREATE INDEX ON bench_wallet_entries (wallet, id);
  CREATE FUNCTION bench_wallet_transfer(debit text, credit text, moved bigint, cause text) RETURNS void LANGUAGE plpgsql
  AS $$ BEGIN
    PERFORM 1 FROM bench_wallets WHERE id IN (debit, credit) ORDER BY id FOR UPDATE;
    UPDATE bench_wallets SET balance = balance - moved WHERE id = debit;
    UPDATE bench_wallets SET balance = balance + moved WHERE id = credit;
    INSERT INTO bench_wallet_entries (wallet, amount, cause) VALUES (debit, -moved, cause), (credit, moved, cause);
  END $$`;

/** Streams the statement of a wallet with a million entries and answers, in one line, how fast and with how much memory. */
export async function measureStatement(
  { api, headers, tenantId, admin }: WalletsPlace,
  customerId: string,
  apiPid: number,
): Promise<string> {
  await generateEntries(admin, { tenantId, customerId, count: ENTRIES });
  await admin.raw('ANALYZE ledger_transfers');
  const before = residentBytes(apiPid);
  let peak = before;
  const looking = setInterval(() => {
    peak = Math.max(peak, residentBytes(apiPid));
  }, 100);
  const beganAt = performance.now();
  const response = await api.request({
    method: 'GET',
    path: `/wallet/1.0.0/customers/${customerId}/statement?currency=EUR`,
    headers: { ...headers, accept: 'text/csv' },
  });
  let lines = 0;
  let early = 0;
  for await (const chunk of response.body) {
    for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
    if (lines < ENTRIES / 10) early = peak;
  }
  clearInterval(looking);
  const seconds = (performance.now() - beganAt) / 1_000;
  const inMib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
  const memory = `${inMib(before)} before, at most ${inMib(early)} in the first tenth and ${inMib(peak)} in all`;
  return `Statement of ${lines - 3} entries as CSV: ${seconds.toFixed(1)} s, ${Math.round(lines / seconds)} entries/s; memory of the API ${memory}.`;
}

/** What a process keeps in memory, as Linux counts it. */
function residentBytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return pages * 4_096;
}
