import { randomUUID } from 'node:crypto';
import knexFactory from 'knex';
import { Pool } from 'undici';
import { openDatabase } from '../src/foundation/db/database';
import { causeOf } from '../src/money/ledger/causes';
import { Ledger } from '../src/money/ledger/ledger';
import { measureStatementLines } from './bank-lines';
import type { BareOrder } from './bare-engine';
import { BARE_SECRET } from './bare-server';
import { measureIndexes } from './console/indexes';
import { measureConsole } from './console/main';
import { measureCost } from './cost';
import { measureFairness } from './fairness';
import { drawFlames } from './flames';
import { growth } from './growth/growth';
import { compareLinks } from './links';
import { closedLoop, type Measurement, median, openLoop } from './load';
import { describeMachine, describePostgres } from './machine';
import { callbackToNotification } from './notifications';
import { compareAccountInformation, compareTokens } from './open-banking';
import { repeat } from './operations';
import { bearerOf, call, challenger, confirm, headersOf, pay, payAtOnce, postSigned } from './payer';
import { comparePeers } from './peers/main';
import { BULK, PLAIN_CUSTOMERS, PLAIN_TRANSFER, people, perRow, strayCallback } from './plain';
import { ask, startChild, startPlatform } from './platform';
import { publish } from './report';
import { restart } from './restart';
import { measureFirstLoad } from './slow-phone';
import { compareTransfers, measureStatement, openWallets } from './wallets';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5) * 1000;
/** Rounds before those that count: code is compiled, caches are filled. */
const WARM_UPS = Number(process.env.BENCH_WARM_UPS ?? 1);
/** V8 goes on compiling for about as long as this under payments, on the bare engine too. */
const COMPILED_MS = 25_000;
/** Parts of names. */
const ONLY = process.env.BENCH_ONLY?.split(',');
/** Payments whose status is read. */
const TO_READ = 500;
/** Two figures that are hardly apart need so many times more rounds. */
const CLOSE = 4;
/** An open loop sends this part of what the closed loop has just done. */
const OPEN_SHARE = 0.7;

interface Line {
  name: string;
  ours: Measurement;
  bare?: Measurement;
  aim?: string;
}

/** `npm run bench` measures all lines, `npm run bench -- line NAME…` those with exactly these names. */
async function measureLines(names?: string[]): Promise<void> {
  const machine = describeMachine();
  const platform = await startPlatform();
  const { credentials } = platform;
  const admin = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 16 } });
  const api = new Pool(credentials.apiUrl, { connections: 80 });
  const simulator = new Pool(credentials.simulatorUrl, { connections: 80 });
  const lines: Line[] = [];
  /** What does not fit into the table. */
  const facts: string[] = [];
  const known = new Set<string>();
  /** Whether a line is to be measured. */
  const wanted = (name: string) => {
    known.add(name);
    return names ? names.includes(name) : !ONLY || ONLY.some((part) => name.includes(part));
  };
  /** Whether any line with this in its name may be. */
  const wantsAny = (part: string) =>
    (names ?? ONLY)?.some((name) => name.includes(part) || part.includes(name)) ?? true;
  const endings: (() => unknown)[] = [];

  /** Ours and the bare one in turns, and each as often first, so that neither a busy neighbour nor what one leaves behind favours one. */
  async function compare(
    name: string,
    aim: string | undefined,
    ours: () => Promise<Measurement>,
    bare?: () => Promise<Measurement>,
    rounds = ROUNDS,
  ) {
    if (!wanted(name)) return;
    const mine: Measurement[] = [];
    const theirs: Measurement[] = [];
    const pair: [() => Promise<Measurement>, Measurement[]][] = [[ours, mine]];
    if (bare) pair.unshift([bare, theirs]);
    for (let round = -WARM_UPS; round < rounds; round += 1)
      for (const [measure, kept] of round % 2 === 0 ? pair : pair.toReversed()) {
        const measurement = await measure();
        if (round >= 0) kept.push(measurement);
      }
    const line = { name, aim, ours: median(mine), bare: theirs.length > 0 ? median(theirs) : undefined };
    lines.push(line);
    console.log(row(line));
    const { lastError } = line.ours;
    if (lastError) console.log(`the last error: ${lastError}`);
    return line.ours;
  }

  /** The closed loop, and beside it clients who come whether or not those before have been served. */
  async function compareOpen(
    what: string,
    once: () => Promise<unknown>,
    aim?: string,
    bare?: () => Promise<Measurement>,
  ) {
    const closed = await compare(`${what}, 16 concurrent`, aim, () => closedLoop(16, SECONDS, once), bare);
    const name = `${what}, open loop`;
    if (!wanted(name)) return;
    const { perSecond } = closed ?? (await closedLoop(16, SECONDS, once));
    await compare(name, undefined, () => openLoop(OPEN_SHARE * perSecond, SECONDS, once));
  }

  try {
    const headers = await headersOf(api, {
      ...credentials.clients.merchant,
      organizationId: credentials.organizationId,
    });
    const frictionless = () => payAtOnce(api, headers);
    const status = (paymentId: string) =>
      call(api, 'GET', `/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`, headers);

    const engine = await startChild('bare-engine.js', platform.temporalAddress);
    endings.push(() => engine.child.send('stop'));
    const bareEngine =
      (shape: BareOrder['shape'], concurrency: number, durationMs = SECONDS) =>
      () =>
        ask<Measurement>(engine.child, { shape, concurrency, durationMs } satisfies BareOrder);

    const hasAllFlows = (process.env.PAYMENT_FLOWS ?? 'all') === 'all';
    const kinds = [
      { what: 'frictionless payments', client: () => frictionless, shape: 'oneStep', aim: hasAllFlows ? '0.6' : '2.5' },
      {
        what: '3-D Secure payments',
        client: () => challenger(api, simulator, headers),
        shape: 'twoSteps',
        aim: hasAllFlows ? '0.6' : '0.7',
      },
    ] as const;
    let isCompiled = false;
    for (const { what, client, shape, aim } of kinds) {
      const closed = (concurrency: number, once = client()) =>
        compare(
          `${what}, ${concurrency} concurrent`,
          aim,
          () => closedLoop(concurrency, SECONDS, once),
          bareEngine(shape, concurrency),
        );
      if (wantsAny(what)) {
        await bareEngine(shape, 16, COMPILED_MS)();
        await closedLoop(16, COMPILED_MS, client());
        isCompiled = true;
      }
      await closed(1);
      await compareOpen(what, client(), aim, bareEngine(shape, 16));
      await closed(64);
      const [many, few] = [client(), client()];
      await compare(
        `${what}, 64 concurrent beside 16 of ours`,
        '1.0',
        () => closedLoop(64, SECONDS, many),
        () => closedLoop(16, SECONDS, few),
        CLOSE * ROUNDS,
      );
    }

    const shop = {
      pay: (members: object) => pay(api, headers, '4000000000003220', members),
      press: (action?: { url: string }) => confirm(simulator, action),
    };
    await compare('callback to notification, 50 payments in flight', undefined, () =>
      callbackToNotification(shop, admin, 50, 4 * SECONDS),
    );

    if (wantsAny('status reads')) {
      const [{ made }] = (await admin.raw('SELECT count(*)::integer AS made FROM payments')).rows;
      await repeat(TO_READ - made, 16, frictionless);
    }
    await admin.raw('CREATE TABLE bench_payments AS SELECT * FROM payments');
    await admin.raw('ALTER TABLE bench_payments ADD PRIMARY KEY (id)');
    await admin.raw('CREATE TABLE bench_inbox (id text PRIMARY KEY, raw bytea NOT NULL)');
    const bareServer = await startChild<{ port: number }>('bare-server.js', platform.adminUrl);
    endings.push(() => bareServer.child.send('stop'));
    const bare = new Pool(`http://127.0.0.1:${bareServer.first.port}`, { connections: 80 });
    endings.push(() => bare.close());
    const ids: string[] = (await admin('payments').limit(TO_READ).select('id')).map((payment) => payment.id);
    const anyId = () => ids[Math.floor(Math.random() * ids.length)]!;
    await compareOpen(
      'status reads',
      () => status(anyId()),
      '0.8',
      () => closedLoop(16, SECONDS, () => call(bare, 'GET', `/${anyId()}`, {})),
    );

    const receive = () => postSigned(api, '/callbacks/processor_a', credentials.processorSecrets.a!, strayCallback());
    const insert = () => postSigned(bare, '/', BARE_SECRET, strayCallback());
    await compare(
      'callback receipt, 16 concurrent',
      '0.6',
      () => closedLoop(16, SECONDS, receive),
      () => closedLoop(16, SECONDS, insert),
    );
    if (wantsAny('callback receipt at') && !isCompiled) await closedLoop(16, COMPILED_MS, frictionless);
    await compare('callback receipt at 200/s while payments run', 'p99 < 50 ms', async () => {
      const payments = closedLoop(4, SECONDS, frictionless);
      const receipts = await openLoop(200, SECONDS, receive);
      await payments;
      return receipts;
    });

    // They match nothing, and the workers look now and then for what they are about.
    await admin('callback_inbox').where({ state: 'unmatched' }).delete();

    const page = await compareLinks({ api, bare, headers, durationMs: SECONDS }, compare);
    if (wantsAny('slow phone')) facts.push(await measureFirstLoad(page));

    const database = openDatabase(platform.databaseUrls, 16, 'bench');
    endings.push(() => database.close());
    const ledger = new Ledger();
    await admin.raw(PLAIN_TRANSFER);
    const account = () => `bench-${Math.floor(Math.random() * 200)}`;
    const { tenantId } = credentials;
    const transfer = () =>
      ledger.bookAlone(database, tenantId, 'EUR', [
        {
          phase: 'posted',
          debit: { kind: 'bank_clearing', owner: account() },
          credit: { kind: 'merchant_payable', owner: account() },
          amountMinor: 100n,
          cause: causeOf('transfer', `trf_${randomUUID()}`, 'settle'),
        },
      ]);
    const plain = () => admin.raw('SELECT bench_transfer(?, ?, ?, ?)', [account(), account(), 100, randomUUID()]);
    await closedLoop(16, 1_000, transfer);
    await compare(
      'ledger transfers, 16 concurrent',
      '0.8',
      () => closedLoop(16, SECONDS, transfer),
      () => closedLoop(16, SECONDS, plain),
    );

    const admins = {
      ...headers,
      authorization: await bearerOf(api, credentials.clients.tenantAdmin),
      tenantid: tenantId,
    };
    // After the receipts: Postgres counts and cleans these tables for a while.
    const createBulk = () =>
      call(api, 'POST', '/customer/1.0.0/createBulk', { ...admins, token: randomUUID() }, JSON.stringify(people()));
    await admin.raw(PLAIN_CUSTOMERS);
    const insertMany = () =>
      admin('bench_customers').insert(
        people().map((person) => ({ id: randomUUID(), tenant_id: tenantId, profile: JSON.stringify(person) })),
      );
    await compare(
      `bulk creation of ${BULK} customers, rows`,
      '0.3',
      async () => perRow(await closedLoop(1, SECONDS, createBulk)),
      async () => perRow(await closedLoop(1, SECONDS, insertMany)),
    );

    // Last: Postgres and the workers have something to do for a while after a million entries.
    const place = { api, headers: admins, tenantId, admin, database };
    if (wantsAny('transfers') || wantsAny('statement') || wantsAny('account information')) {
      const wallets = await openWallets(place);
      await compareTransfers(wallets, compare, SECONDS, bareEngine('oneStep', 16));
      if (wantsAny('statement'))
        facts.push(await measureStatement(place, wallets.customerId, platform.pidOf('tillway-api')));
      if (wantsAny('account information'))
        await compareAccountInformation(place, wallets.otherCustomerId, compare, SECONDS);
    }

    if (wantsAny('open banking tokens'))
      await compareTokens(credentials.authUrl, credentials.tpp, admin, compare, SECONDS);

    if (wantsAny('bank statement')) facts.push(await measureStatementLines({ api, headers, admins }));

    for (const fact of facts) console.log(fact);
    const strange = names?.filter((name) => !known.has(name)) ?? [];
    if (strange.length > 0)
      throw new Error(`there is no line "${strange.join('", "')}", but:\n${[...known].join('\n')}`);
    const versions = `${machine} ${await describePostgres(admin)}, median of ${ROUNDS} interleaved rounds of ${SECONDS / 1000} s each after ${WARM_UPS} to warm up.`;
    console.log(versions);
    if (!ONLY && !names) publish('bench', tableOf(versions, lines, facts));
  } finally {
    for (const end of endings) await end();
    await Promise.all([admin.destroy(), api.close(), simulator.close()]);
    await platform.stop();
  }
}

function row({ name, ours, bare, aim }: Line): string {
  const figures = (m: Measurement) =>
    `${m.perSecond.toFixed(m.perSecond < 100 ? 1 : 0)}/s | ${m.p50.toFixed(1)} | ${m.p99.toFixed(1)}`;
  const ratio = bare ? (ours.perSecond / bare.perSecond).toFixed(2) : '';
  const errors = ours.errors > 0 ? ` (${ours.errors} errors)` : '';
  return `| ${name}${errors} | ${figures(ours)} | ${bare ? figures(bare) : ' | | '} | ${ratio} | ${aim ?? ''} |`;
}

function tableOf(about: string, lines: Line[], facts: string[]): string[] {
  return [
    `${new Date().toISOString().slice(0, 10)}, ${about}`,
    '',
    '| what | ours | p50 ms | p99 ms | bare | p50 ms | p99 ms | ratio | aim |',
    '|---|---|---|---|---|---|---|---|---|',
    ...lines.map(row),
    ...facts.flatMap((fact) => ['', fact]),
  ];
}

/** `npm run bench` measures throughput; with a name, what is named. */
const NAMED: Record<string, (args: string[]) => Promise<void>> = {
  growth,
  restart,
  console: measureConsole,
  fairness: measureFairness,
  indexes: measureIndexes,
  line: measureLines,
  cost: measureCost,
  flames: drawFlames,
  peers: comparePeers,
};
const [name, ...args] = process.argv.slice(2);
const named = name === undefined ? () => measureLines() : NAMED[name];
if (!named) throw new Error(`npm run bench knows ${Object.keys(NAMED).join(', ')}, not ${name}`);

named(args).catch((error: Error) => {
  console.error(`bench: ${error.stack}`);
  process.exitCode = 1;
});
