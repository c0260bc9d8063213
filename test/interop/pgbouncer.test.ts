import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { ensureDatabase } from '../../src/sandbox/runtime/postgres';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  challenge,
  type Json,
  outOfBalance,
  send,
  signedByA,
  until,
} from '../e2e/client';
import { auditOf } from '../faults/inside';
import { type PgBouncer, pgbouncer, startPgBouncer } from '../setup/pgbouncer';
import { type Services, startPostgres } from '../setup/services';
import { type Stack, startStack } from '../setup/stack';

/** A platform whose pools go through PgBouncer in transaction mode: two statements rarely meet the same session. */

const behindPgBouncer = pgbouncer ? describe : describe.skip;
if (!pgbouncer) console.warn('PgBouncer is not installed: its tests are skipped (apt-get install pgbouncer)');

const DATABASE = 'pooled';
/** For each login; the processes of the platform hold several times as many. */
const CONNECTIONS = 3;

behindPgBouncer('behind PgBouncer in transaction mode', () => {
  let postgres: Services;
  let pooler: PgBouncer;
  let stack: Stack;
  let actors: Actors;

  const direct = (name: string) => {
    const url = new URL(postgres.env[name]!);
    url.pathname = `/${DATABASE}`;
    return url.toString();
  };

  beforeAll(async () => {
    postgres = await startPostgres(0);
    await ensureDatabase(postgres.env.TEST_DATABASE_ADMIN_URL!, DATABASE);
    const logins = ['APP', 'SYSTEM', 'OPS'].map((role) => direct(`TEST_DATABASE_${role}_URL`));
    pooler = await startPgBouncer(pgbouncer!, logins, CONNECTIONS);
    const [app, system, ops] = logins.map(pooler.through);
    const env = {
      DATABASE_URL: app,
      DATABASE_SYSTEM_URL: system,
      DATABASE_OPS_URL: ops,
      DATABASE_DIRECT_URL: logins[0],
      DATABASE_ADMIN_URL: direct('TEST_DATABASE_ADMIN_URL'),
      TILLWAY_WORKERS: '2',
      // A first answer comes by NOTIFY or not at all: no flow runs in the API, and no request gives up waiting.
      API_EMBEDDED_WORKER: 'false',
      API_FIRST_ANSWER_MS: '600000',
    };
    stack = await startStack({ env });
    actors = await actorsOf(stack.credentials);
  }, 240_000);
  afterAll(async () => {
    await stack?.remove();
    await pooler?.stop();
    await postgres?.stop();
  });

  test('payments, captures and refunds get their first answers', async () => {
    const { merchant } = actors;
    const authorized = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    const { body } = await merchant.capture(authorized.paymentId);
    expect(body.data).toMatchObject({ transactionStatus: 'captured', amounts: { captured: '10.00' } });
    const refunded = await merchant.refund(authorized.paymentId, { amount: '4.00' });
    expect(refunded.body.data).toMatchObject({
      transactionStatus: 'partially_refunded',
      amounts: { refunded: '4.00' },
    });
  });

  test('many payments at once share few connections', async () => {
    // Fewer connections than payments: what finds none in time is answered 503, and is tried again as a merchant would.
    const paid = (): Promise<Json> =>
      until('the payment is taken', async () => {
        const { status, body } = await actors.merchant.pay(CARDS.visa);
        return status !== 503 && body.data;
      });
    const payments = await Promise.all(Array.from({ length: 40 }, paid));
    expect(new Set(payments.map(({ paymentId }) => paymentId)).size).toBe(40);

    const ofPlatform = (rows: { database: string }[]) => rows.filter(({ database }) => database === DATABASE);
    const pools = ofPlatform(await pooler.show('POOLS'));
    expect(pools).toHaveLength(3);
    for (const pool of pools) expect(pool).toMatchObject({ pool_mode: 'transaction' });
    const clients = ofPlatform(await pooler.show('CLIENTS'));
    const servers = ofPlatform(await pooler.show('SERVERS'));
    expect(servers.length).toBeLessThanOrEqual(3 * CONNECTIONS);
    expect(clients.length).toBeGreaterThan(servers.length);
  });

  test('what listens and holds locks goes past it', async () => {
    const owner = new Client({ connectionString: direct('TEST_DATABASE_ADMIN_URL') });
    await owner.connect();
    const { rows } = await owner.query(
      `SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND application_name IN ('tillway-listen', 'tillway-api-instance')
        GROUP BY 1 ORDER BY 1`,
    );
    const locks = await owner.query(
      `SELECT count(*)::int AS n FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND application_name = 'tillway-api-instance'`,
    );
    await owner.end();
    // The API hears first answers, each worker hears what is to be delivered.
    expect(rows).toEqual([
      { name: 'tillway-api-instance', n: 1 },
      { name: 'tillway-listen', n: 3 },
    ]);
    expect(locks.rows).toEqual([{ n: 1 }]);
    const pooled = (await pooler.show('CLIENTS')).map(({ application_name }) => application_name);
    expect(pooled).not.toContain('tillway-listen');
    expect(pooled).not.toContain('tillway-api-instance');
  });

  test('callbacks move payments', async () => {
    const { merchant, ops } = actors;
    const waiting = (await merchant.pay(CARDS.challenge)).body.data;
    expect(waiting.transactionStatus).toBe('requires_action');
    await challenge(waiting.action.url, 'authenticated');
    await merchant.until(waiting.paymentId, ...CAPTURED);
    const inbox = await until('the callback is dealt with', async () => {
      const { body } = await ops.get(`/ops/1.0.0/callbacks?reference=${waiting.paymentId}`);
      return body.data.length > 0 && body.data.every(({ state }: { state: string }) => state !== 'stored') && body.data;
    });
    expect(inbox.map(({ state }: { state: string }) => state)).toContain('applied');

    const forged = signedByA('not the secret', { eventId: `evt-${randomUUID()}`, reference: waiting.paymentId });
    expect((await send(`${stack.apiUrl}/callbacks/processor_a`, forged)).status).toBe(401);
  });

  test('a repeated request gets the answer of the first, also when both come at once', async () => {
    const { merchant } = actors;
    const order = merchant.order(CARDS.visa);
    const pay = (key: string) => merchant.post('/payments/h2h/1', order, { 'idempotency-key': key });
    const key = randomUUID();
    const first = await pay(key);
    const second = await pay(key);
    expect(first.status).toBe(201);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');

    const { paymentId } = await merchant.paid(CARDS.visa);
    const refundKey = randomUUID();
    const refund = () =>
      until('the refund is answered', async () => {
        const reply = await merchant.refund(paymentId, { amount: '1.00' }, refundKey);
        return reply.status !== 409 && reply.status !== 503 && reply;
      });
    const replies = await Promise.all(Array.from({ length: 8 }, refund));
    expect(new Set(replies.map(({ body }) => body.data.refund.refundId)).size).toBe(1);
    expect(await merchant.refunds(paymentId)).toHaveLength(1);
  });

  test('one tenant sees nothing of the other', async () => {
    const { merchant } = actors;
    const other = (await actorsOf(stack.credentials, stack.credentials.other)).merchant;
    const [mine, theirs] = await Promise.all([merchant.paid(CARDS.visa), other.paid(CARDS.visa)]);
    const looks = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const [reader, paymentId] = n % 2 ? [merchant, theirs.paymentId] : [other, mine.paymentId];
        return (await reader.get(`/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`)).status;
      }),
    );
    expect(new Set(looks)).toEqual(new Set([404]));
    expect((await merchant.status(mine.paymentId)).paymentId).toBe(mine.paymentId);
  });

  test('and the books are in order', async () => {
    const [differences, audit] = await Promise.all([outOfBalance(actors), auditOf(stack)]);
    expect([differences, audit.findings]).toEqual([[], []]);
    expect(audit.compared).toBeGreaterThan(40);
  });
});
