import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { COMMERCE_CHECKS } from '../../src/commerce/checks';
import { formatAmount, parseAmount } from '../../src/domain/money';
import { type DatabaseUrls, openDatabase } from '../../src/foundation/db/database';
import { auditBooks } from '../../src/money/books-check/books-check';
import { OPEN_BANKING_CHECKS } from '../../src/open-banking/checks';
import { type Json, PatientClient } from './client';

/** The platform under attack. */
export interface BankPlace {
  apiUrl: string;
  tenantId: string;
  admin: { clientId: string; clientSecret: string };
  databaseUrls: DatabaseUrls;
  /** Kills a process that the platform will bring back; false where it is down already. */
  kill(name: string): boolean;
  isReady(): Promise<boolean>;
}

export interface BankOptions {
  durationMs: number;
  killEveryMs: number;
  clients?: number;
  accounts?: number;
  say?(line: string): void;
}

export interface BankReport {
  /** How transfers ended, and how many were refused for want of money. */
  endings: Record<string, number>;
  /** Answers that were lost or not definite, and asked for again. */
  repeats: number;
  kills: Record<string, number>;
  /** How often the sum of all accounts was read while all that went on. */
  readings: number;
  /** What must never be. */
  problems: string[];
}

const CURRENCY = 'EUR';
const OPENING = '500.00';
const MOST_MINOR = 9_000;
const VICTIMS = ['tillway-worker', 'tillway-api', 'postgres', 'temporal'];
const READ_EVERY_MS = 250;
const READY_WITHIN_MS = 120_000;
const P2P = '/p2p/1.0.0';

interface Told {
  transferId: string;
  from: string;
  to: string;
  amountMinor: bigint;
  status: string;
}

/**
 * Fault 20: clients move money between a few accounts while something is killed again and again. Some transfers settle
 * at once; those to the last account wait, and are accepted, declined or cancelled. Whoever gets no definite answer asks
 * again under the same key. In the end everything that was answered has to be there, and nothing else.
 */
export async function runBank(place: BankPlace, options: BankOptions): Promise<BankReport> {
  const { durationMs, killEveryMs, clients = 20, accounts = 8, say = () => undefined } = options;
  const client = new PatientClient(place.apiUrl, place.tenantId, place.admin);
  const report: BankReport = { endings: {}, repeats: 0, kills: {}, readings: 0, problems: [] };
  const customers = await openAccounts(client, accounts);
  const total = parseAmount(OPENING, CURRENCY) * BigInt(accounts);
  say(`${accounts} accounts with ${OPENING} ${CURRENCY} each; ${clients} clients begin`);

  const told: Told[] = [];
  const endAt = Date.now() + durationMs;
  const over = () => Date.now() >= endAt;
  const working = Array.from({ length: clients }, async () => {
    while (!over()) await moveOnce(client, customers, told, report);
  });
  await Promise.all([
    ...working.map((one) => one.catch((error: Error) => report.problems.push(error.message))),
    attack(place, killEveryMs, over, report, say),
    watch(place.databaseUrls, customers, total, over, report),
  ]);
  await untilReady(place);
  await verify(place, client, customers, told, report);
  say(`${JSON.stringify({ ...report, problems: report.problems.length })}`);
  return report;
}

/** Customers who have joined transfers and topped up; the last of them accepts each transfer. */
async function openAccounts(client: PatientClient, count: number): Promise<string[]> {
  const opened = Array.from({ length: count }, async (_, n) => {
    const customer = await done(
      client.post('/customer/1.0.0/create', {
        customerType: 'Person',
        customerName: `Bank ${n}`,
        person: { firstName: { name: 'Bank' }, lastName: { name: `${n}` }, email: `bank-${randomUUID()}@example.com` },
      }),
    );
    const { customerId } = customer;
    const alias = `b-${randomUUID().slice(0, 8)}`;
    await done(client.post(`${P2P}/customers/${customerId}/enroll`, { alias, acceptEach: n === count - 1 }));
    const { topupId } = await done(
      client.post('/wallet/1.0.0/topups', {
        customerId,
        amount: OPENING,
        currency: CURRENCY,
        card: { number: '4111111111111111', holder: 'Bank', expiryMonth: '12', expiryYear: '2032', cvv: '123' },
      }),
    );
    for (let pause = 100; pause < 20_000; pause *= 1.3) {
      if ((await done(client.get(`/wallet/1.0.0/topups/${topupId}`))).status === 'settled') return customerId as string;
      await sleep(pause);
    }
    throw new Error(`${topupId} was never settled`);
  });
  return Promise.all(opened);
}

/** One transfer, to its end. */
async function moveOnce(client: PatientClient, customers: string[], told: Told[], report: BankReport): Promise<void> {
  const from = randomInt(customers.length);
  const to = (from + 1 + randomInt(customers.length - 1)) % customers.length;
  const amountMinor = BigInt(1 + randomInt(MOST_MINOR));
  const order = { senderId: customers[from]!, recipient: customers[to]!, currency: CURRENCY };
  const counted = async (asked: ReturnType<PatientClient['post']>) => {
    const answer = await asked;
    report.repeats += answer.tries - 1;
    return answer;
  };
  const sent = await counted(
    client.post(`${P2P}/transfers`, { ...order, amount: formatAmount(amountMinor, CURRENCY) }),
  );
  if (sent.status === 422 && sent.body.code === 'insufficient_funds') return count(report, 'insufficient_funds');
  let { transferId, status } = sent.body;
  if (![201, 202].includes(sent.status)) {
    report.problems.push(`a transfer was answered ${sent.status} ${JSON.stringify(sent.body)}`);
    return;
  }
  if (status === 'held') {
    const act = ['accept', 'accept', 'decline', 'cancel'][randomInt(4)]!;
    const answer = await counted(client.post(`${P2P}/transfers/${transferId}/${act}`, {}));
    if (answer.status !== 200) report.problems.push(`${act} of ${transferId}: ${JSON.stringify(answer.body)}`);
    status = answer.body.status;
  }
  count(report, status);
  told.push({ transferId, from: order.senderId, to: order.recipient, amountMinor, status });
}

function count(report: BankReport, ending: string): void {
  report.endings[ending] = (report.endings[ending] ?? 0) + 1;
}

/** Kills one process after the other, in an order that is never the same. */
async function attack(
  place: BankPlace,
  everyMs: number,
  over: () => boolean,
  report: BankReport,
  say: (line: string) => void,
): Promise<void> {
  let waiting: string[] = [];
  for (;;) {
    await sleep(everyMs);
    if (over()) return;
    if (waiting.length === 0) waiting = [...VICTIMS];
    const [victim] = waiting.splice(randomInt(waiting.length), 1) as [string];
    // One that is down already is killed as soon as it is back.
    while (!place.kill(victim)) {
      if (over()) return;
      await sleep(500);
    }
    report.kills[victim] = (report.kills[victim] ?? 0) + 1;
    say(`killed ${victim}; so far ${JSON.stringify(report.endings)}`);
  }
}

/** Reads all accounts in one snapshot, again and again: their sum never differs, none of them is negative. */
async function watch(
  urls: DatabaseUrls,
  customers: string[],
  total: bigint,
  over: () => boolean,
  report: BankReport,
): Promise<void> {
  while (!over()) {
    const read = await balances(urls, customers).catch(() => undefined);
    if (read) {
      report.readings += 1;
      if (read.sum !== total) report.problems.push(`the sum of all accounts was ${read.sum}, not ${total}`);
      if (read.least < 0n) report.problems.push(`an account stood at ${read.least}`);
    }
    await sleep(READ_EVERY_MS);
  }
}

/** On a connection of its own, which may find nobody there. */
async function balances({ url, opsUrl }: DatabaseUrls, customers: string[]): Promise<{ sum: bigint; least: bigint }> {
  const client = new Client({ connectionString: opsUrl ?? url, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (!opsUrl) await client.query('SET ROLE tillway_ops');
    const { rows } = await client.query(
      `SELECT coalesce(sum(posted_minor), 0)::bigint AS sum, min(posted_minor - held_minor) AS least
        FROM ledger_balances b JOIN ledger_accounts a ON a.id = b.account_id
        WHERE a.owner = ANY ($1) AND a.kind IN ('customer_wallet', 'customer_incoming')`,
      [customers],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

async function untilReady(place: BankPlace): Promise<void> {
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!(await place.isReady())) {
    if (Date.now() > giveUpAt) throw new Error('the platform did not come back');
    await sleep(500);
  }
}

/** Compares what the clients were told with what the API, the ledger and the audit say. */
async function verify(
  place: BankPlace,
  client: PatientClient,
  customers: string[],
  told: Told[],
  report: BankReport,
): Promise<void> {
  const wrong = (line: string) => report.problems.push(line);
  const kept = new Map((await allTransfers(client, customers)).map((transfer) => [transfer.transferId, transfer]));
  const expected = new Map(customers.map((customer) => [customer, parseAmount(OPENING, CURRENCY)]));
  const add = (customer: string, amountMinor: bigint) => expected.set(customer, expected.get(customer)! + amountMinor);
  for (const { transferId, from, to, amountMinor, status } of told) {
    const there = kept.get(transferId);
    if (there?.status !== status) wrong(`${transferId} was answered ${status} and is ${there?.status ?? 'not there'}`);
    else if (parseAmount(there.amount, CURRENCY) !== amountMinor) wrong(`${transferId} is over ${there.amount}`);
    kept.delete(transferId);
    if (status !== 'settled') continue;
    add(from, -amountMinor);
    add(to, amountMinor);
  }
  for (const transferId of kept.keys()) wrong(`${transferId} is there, and nobody was told`);
  for (const customer of customers) {
    const { data } = await done(client.get(`/wallet/1.0.0/customers/${customer}/balances`));
    const { available, held } = data[0];
    const has = parseAmount(available, CURRENCY) + parseAmount(held, CURRENCY);
    if (has !== expected.get(customer) || parseAmount(held, CURRENCY) !== 0n)
      wrong(`${customer} has ${available} and ${held} held, not ${formatAmount(expected.get(customer)!, CURRENCY)}`);
  }
  const database = openDatabase(place.databaseUrls, 2, 'chaos');
  const { findings } = await auditBooks(database.ops, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS]).finally(() =>
    database.close(),
  );
  for (const { check, subject, detail } of findings) wrong(`audit: ${check}: ${subject}: ${detail}`);
}

async function allTransfers(client: PatientClient, customers: string[]): Promise<Json[]> {
  const found: Json[] = [];
  for (const customer of customers) {
    let cursor: string | null = '';
    do {
      const after: string = cursor ? `&cursor=${cursor}` : '';
      const path = `${P2P}/transfers?customerId=${customer}&direction=sent&limit=200${after}`;
      const page = await done(client.get(path));
      found.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor);
  }
  return found;
}

/** The body of a success. */
async function done(asked: ReturnType<PatientClient['post']>): Promise<Json> {
  const { status, body } = await asked;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
