import { createHmac, randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthorizeRequest, Connector, RawCallback } from '../../../../src/domain/connector';
import { createConnectorA } from '../../../../src/edge/processors/a';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../../../src/sandbox/simulator/app';
import { CallbackSink } from '../../edge/processors/callback-sink';

const SECRET = 'secret of processor a';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
const receiverOf = (connector: Connector, name: string) => connector.receivers.find((one) => one.name === name);

let home: string;
let sink: CallbackSink;
let simulator: Simulator;
let url: string;
let connector: Connector;

async function startSimulator(options: Partial<SimulatorOptions> = {}): Promise<void> {
  simulator = createSimulator({
    home,
    publicUrl: sink.url,
    secrets: { a: SECRET },
    settlementEveryMs: 3_600_000,
    chargebackAfterMs: 3_600_000,
    ...options,
  });
  url = await simulator.start();
  connector = createConnectorA({ baseUrl: `${url}/a`, apiKey: apiKeyFor(SECRET), timeoutMs: 5_000 });
}

async function restartSimulator(options: Partial<SimulatorOptions> = {}): Promise<void> {
  await simulator.stop();
  await startSimulator(options);
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'tillway-simulator-'));
  sink = new CallbackSink();
  await sink.start();
  await startSimulator();
});

afterEach(async () => {
  await simulator.stop();
  await sink.stop();
  rmSync(home, { recursive: true });
});

function order(number: string, overrides: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
  const reference = `pay_${randomUUID()}`;
  return {
    reference,
    idempotencyKey: `payment/${reference}/authorize`,
    money: EUR(1_000n),
    capture: true,
    threeDS: 'auto',
    instrument: {
      kind: 'card',
      card: { number, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2040', cvv: '737' },
    },
    ...overrides,
  };
}

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/sim/processors/a${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

async function problemOf(response: Response) {
  return (await response.json()) as { error: { code: string; message: string } };
}

async function challenged(overrides: Partial<AuthorizeRequest> = {}) {
  const request = order('4000000000003220', { descriptor: 'Tea & <Cake>', ...overrides });
  const answer = await connector.authorize(request);
  if (answer.kind !== 'challenge') throw new Error(`no challenge but ${answer.kind}`);
  return { request, page: answer.action.url as string };
}

const choose = (page: string, outcome: string) =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' });

describe('books', () => {
  it('survive a restart, idempotency and settlement included', async () => {
    const settled = order('4111111111111111');
    await connector.authorize(settled);
    const refund = {
      paymentReference: settled.reference,
      refundReference: 'ref_1',
      idempotencyKey: 'r',
      money: EUR(300n),
    };
    await connector.refund(refund);
    const before = await control('GET', `/charges?reference=${settled.reference}`);
    await restartSimulator({ settlementEveryMs: 20 });
    expect(await control('GET', `/charges?reference=${settled.reference}`)).toEqual(before);
    expect((await connector.authorize(settled)).kind).toBe('captured');
    expect((await connector.refund(refund)).kind).toBe('refunded');
    const [raw] = await sink.expect('processor_a', 'SETTLEMENT_READY');
    const event = receiverOf(connector, 'processor_a')?.parse(raw as RawCallback);
    await restartSimulator();
    const report = await connector.settlementReport(event?.batchId as string);
    expect(report.lines.map(({ kind }) => kind)).toEqual(['capture', 'refund']);
    expect(await control('GET', `/charges?reference=${settled.reference}`)).toMatchObject({
      body: { data: [{ captured: '10.00', refunded: '3.00', requests: 2 }] },
    });
  });

  it('survive a last line that was cut short', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    await simulator.stop();
    appendFileSync(join(home, 'simulator', 'journal.jsonl'), '{"save":[["charge",{"id":"pa_');
    await startSimulator();
    expect((await connector.inquirePayment(request.reference)).kind).toBe('captured');
  });

  it('hold no card number and no CVV', async () => {
    await connector.authorize(order('4111111111111111'));
    await connector.authorize(order('4000000000000002'));
    const folder = join(home, 'simulator');
    const written = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join();
    expect(written).toContain('1111');
    expect(written).not.toMatch(/4111111111111111|4000000000000002|737"/);
  });

  it('show a payment charged under two keys as two charges', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    await connector.authorize({ ...request, idempotencyKey: 'another' });
    expect((await control('GET', `/charges?reference=${request.reference}`)).body.data).toHaveLength(2);
  });

  it('list charges page by page, newest first', async () => {
    const requests = [order('4111111111111111'), order('4111111111111111'), order('4000000000000002')];
    for (const request of requests) await connector.authorize(request);
    const first = await control('GET', '/charges?limit=2');
    const second = await control('GET', `/charges?limit=2&cursor=${first.body.nextCursor}`);
    const references = [...first.body.data, ...second.body.data].map(({ reference }) => reference);
    expect(references).toEqual(requests.map(({ reference }) => reference).reverse());
    expect(first.body.data[0]).toMatchObject({ status: 'failed', captured: '0.00' });
    expect(second.body.nextCursor).toBeNull();
  });
});

describe('challenge page', () => {
  it('is a plain form that says what is paid, and nothing of the card but its end', async () => {
    const { page } = await challenged();
    const response = await fetch(page);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).toContain('name="viewport"');
    expect(html).toContain('Tea &amp; &lt;Cake&gt;');
    expect(html).toMatch(/10\.00 EUR/);
    expect(html).toContain('ending in 3220');
    expect(html.match(/type="submit" name="outcome" value="(authenticated|failed)"/g)).toHaveLength(2);
    expect(html).not.toContain('<script');
    expect(html).not.toContain('4000000000003220');
  });

  it('sends the payer back, and the first choice counts', async () => {
    const { page, request } = await challenged({ returnUrl: 'https://shop.example/back?cart=7' });
    const first = await choose(page, 'authenticated');
    expect(first.status).toBe(303);
    expect(first.headers.get('location')).toBe(`https://shop.example/back?cart=7&paymentId=${request.reference}`);
    expect((await choose(page, 'failed')).status).toBe(303);
    const sent = sink.about('3ds', request.reference);
    expect(sent).toHaveLength(1);
    expect(receiverOf(connector, '3ds')?.parse(sent[0] as RawCallback).type).toBe('authenticated');
    expect((await fetch(page)).status).toBe(410);
  });

  it('goes nowhere but to the web', async () => {
    const { page } = await challenged({ returnUrl: 'javascript:alert(1)' });
    const response = await choose(page, 'failed');
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Refused');
  });

  it('refuses what is not one of its buttons, and pages that are not there', async () => {
    const { page } = await challenged();
    expect((await choose(page, 'maybe')).status).toBe(400);
    expect((await fetch(`${url}/a/challenge/acs_0`)).status).toBe(404);
    expect((await choose(`${url}/a/challenge/acs_0`, 'authenticated')).status).toBe(404);
  });

  it('ends a payment whose payer did not come in time', async () => {
    await restartSimulator({ challengeTtlMs: 0 });
    const { page, request } = await challenged();
    expect((await choose(page, 'authenticated')).status).toBe(410);
    expect((await connector.inquirePayment(request.reference)).kind).toBe('authentication_failed');
    expect(sink.about('3ds', request.reference)).toEqual([]);
  });

  it('leaves a payment challenged until the merchant side goes on', async () => {
    const { page, request } = await challenged();
    await choose(page, 'authenticated');
    expect((await connector.inquirePayment(request.reference)).kind).toBe('challenge');
  });
});

describe('callbacks', () => {
  it('tell of authentication without a challenge', async () => {
    for (const [number, type] of [
      ['4000000000003055', 'authenticated'],
      ['4000000000003097', 'authentication_failed'],
    ] as const) {
      const request = order(number);
      await connector.authorize(request);
      const [raw] = await sink.expect('processor_a3ds', request.reference);
      const receiver = receiverOf(connector, 'processor_a3ds');
      expect(receiver?.verify(raw as RawCallback, SECRET)).toBe(true);
      expect(receiver?.parse(raw as RawCallback)).toMatchObject({
        type,
        reference: request.reference,
        money: EUR(1_000n),
      });
    }
  });

  it('are not sent about what was answered at once', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    const marker = order('4000000000003055');
    await connector.authorize(marker);
    await sink.expect('processor_a3ds', marker.reference);
    expect(sink.about('processor_a', request.reference)).toEqual([]);
  });

  it('are sent again until they are answered with 200, with the same event id', async () => {
    sink.status = 503;
    const request = order('4000000000003055');
    await connector.authorize(request);
    await sink.expect('processor_a3ds', request.reference);
    sink.status = 200;
    const tries = await sink.expect('processor_a3ds', request.reference, 2);
    expect(new Set(tries.map(({ query }) => query)).size).toBe(1);
  });

  it('survive a restart', async () => {
    sink.status = 503;
    const request = order('4000000000003055');
    await connector.authorize(request);
    await sink.expect('processor_a3ds', request.reference);
    await simulator.stop();
    const tried = sink.about('processor_a3ds', request.reference).length;
    sink.status = 200;
    await startSimulator();
    await sink.expect('processor_a3ds', request.reference, tried + 1);
  });

  it('a chargeback and a declined refund still come after a restart', async () => {
    const disputed = order('4000000000000259');
    await connector.authorize(disputed);
    const refunded = order('4000000000005126');
    await connector.authorize(refunded);
    await connector.refund({
      paymentReference: refunded.reference,
      refundReference: 'ref_later',
      idempotencyKey: 'later',
      money: EUR(1_000n),
    });
    await restartSimulator({ chargebackAfterMs: 0, refundDeclineMs: 0, settlementEveryMs: 20 });
    await sink.expect('processor_a-chargeback', disputed.reference);
    await sink.expect('processor_a-refund', 'ref_later');
    expect((await control('GET', `/charges?reference=${disputed.reference}`)).body.data).toMatchObject([
      { status: 'charged_back' },
    ]);
    await restartSimulator({ chargebackAfterMs: 0, refundDeclineMs: 0 });
    expect(sink.about('processor_a-chargeback', disputed.reference)).toHaveLength(1);
  });

  it.each([
    ['duplicate', 2],
    ['close_after', 2],
    ['status_500', 2],
    ['close_before', 1],
    ['delay', 1],
    ['reorder', 1],
  ])('%s arrives %i times', async (fault, count) => {
    const request = order('4000000000003055');
    await control('POST', '/faults', { on: 'callback', fault, reference: request.reference, delayMs: 1 });
    await connector.authorize(request);
    const marker = order('4000000000003055');
    await connector.authorize(marker);
    await sink.expect('processor_a3ds', marker.reference);
    expect(await sink.expect('processor_a3ds', request.reference, count)).toHaveLength(count);
  });

  it('reorder lets the next one pass', async () => {
    const first = order('4000000000003055');
    const second = order('4000000000003055');
    await control('POST', '/faults', { on: 'callback', fault: 'reorder', reference: first.reference });
    await connector.authorize(first);
    await connector.authorize(second);
    await sink.expect('processor_a3ds', first.reference);
    const references = sink.received.map(({ query }) => new URLSearchParams(query).get('reference'));
    expect(references).toEqual([second.reference, first.reference]);
  });

  it('drop loses one for good', async () => {
    const request = order('4000000000003055');
    await control('POST', '/faults', { on: 'callback', fault: 'drop', reference: request.reference });
    await connector.authorize(request);
    const marker = order('4000000000003055');
    await connector.authorize(marker);
    await sink.expect('processor_a3ds', marker.reference);
    await restartSimulator();
    expect(sink.about('processor_a3ds', request.reference)).toEqual([]);
  });
});

describe('callbacks on order', () => {
  it.each([
    ['authorized', 'processor_a', 'authorized'],
    ['captured', 'processor_a', 'captured'],
    ['settled', 'processor_a', 'settled'],
    ['failed', 'processor_a', 'failed'],
    ['refunded', 'processor_a-refund', 'refunded'],
    ['charged_back', 'processor_a-chargeback', 'charged_back'],
    ['chargeback_won', 'processor_a-chargeback', 'chargeback_won'],
    ['chargeback_lost', 'processor_a-chargeback', 'chargeback_lost'],
  ])('%s goes to %s, also for a payment nobody knows', async (event, name, type) => {
    const { status, body } = await control('POST', '/callbacks', { reference: 'pay_unknown', event });
    expect(status).toBe(201);
    expect(body.responses).toEqual([{ status: 200 }]);
    const [raw] = sink.about(name, 'pay_unknown');
    expect(receiverOf(connector, name)?.verify(raw as RawCallback, SECRET)).toBe(true);
    expect(receiverOf(connector, name)?.parse(raw as RawCallback)).toMatchObject({
      type,
      reference: 'pay_unknown',
      money: EUR(100n),
    });
  });

  it('answers a request that can be sent again as it is', async () => {
    const { body } = await control('POST', '/callbacks', {
      reference: 'pay_1',
      event: 'captured',
      amount: '1000',
      currency: 'JPY',
    });
    const { method, url: target, headers, body: text } = body.request;
    expect(await fetch(target, { method, headers, body: text })).toMatchObject({ status: 200 });
    const [first, second] = sink.about('processor_a', 'pay_1');
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['x-signature']).toBe(createHmac('sha256', SECRET).update(text).digest('hex'));
    expect(JSON.parse(text)).toMatchObject({ amount: '1000', currency: 'JPY' });
  });

  it('repeats one event at once', async () => {
    const { body } = await control('POST', '/callbacks', { reference: 'pay_1', event: 'captured', repeat: 50 });
    expect(body.responses).toHaveLength(50);
    const ids = sink.about('processor_a', 'pay_1').map((raw) => JSON.parse(raw.body.toString()).eventId);
    expect(ids).toHaveLength(50);
    expect(new Set(ids).size).toBe(1);
  });

  it('forges: wrong signature, and nothing in the books', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    sink.status = 401;
    const forged = { reference: request.reference, event: 'charged_back', forge: true };
    expect((await control('POST', '/callbacks', forged)).body.responses).toEqual([{ status: 401 }]);
    const [raw] = sink.about('processor_a-chargeback', request.reference);
    expect(receiverOf(connector, 'processor_a-chargeback')?.verify(raw as RawCallback, SECRET)).toBe(false);
    expect((await control('GET', `/charges?reference=${request.reference}`)).body.data).toMatchObject([
      { status: 'captured' },
    ]);
  });

  it('books a chargeback and its reversal, both settled', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    await control('POST', '/callbacks', { reference: request.reference, event: 'charged_back' });
    const charges = () => control('GET', `/charges?reference=${request.reference}`);
    expect((await charges()).body.data).toMatchObject([{ status: 'charged_back' }]);
    await control('POST', '/callbacks', { reference: request.reference, event: 'chargeback_won' });
    expect((await charges()).body.data).toMatchObject([{ status: 'captured' }]);
    await restartSimulator({ settlementEveryMs: 10 });
    const [raw] = await sink.expect('processor_a', 'SETTLEMENT_READY');
    const { batchId } = JSON.parse((raw as RawCallback).body.toString());
    const { lines } = await connector.settlementReport(batchId);
    expect(lines.map(({ kind }) => kind)).toEqual(['capture', 'chargeback', 'chargeback_reversal']);
  });

  it.each([
    ['omit_line', [], []],
    ['extra_line', ['10.00', '10.00'], [15n, 15n]],
    ['wrong_amount', ['11.00'], [15n]],
    ['wrong_fee', ['10.00'], [22n]],
  ])('misreports on demand: %s; the books stay right', async (fault, amounts, fees) => {
    const request = order('4111111111111111');
    await restartSimulator({ settlementEveryMs: 200 });
    const ordered = await control('POST', '/faults', { on: 'settlement', fault, reference: request.reference });
    expect(ordered.status).toBe(201);
    await connector.authorize(order('4111111111111111'));
    await connector.authorize(request);
    const charge = async () => (await control('GET', `/charges?reference=${request.reference}`)).body.data[0];
    while ((await charge()).status !== 'settled') await sleep(20);
    const batches = await connector.settlementBatches(new Date(0).toISOString());
    const reports = await Promise.all(batches.map((batchId) => connector.settlementReport(batchId)));
    const lines = reports.flatMap((report) => report.lines).filter(({ reference }) => reference === request.reference);
    expect(lines.map(({ money }) => `${Number(money.amountMinor) / 100}.00`)).toEqual(amounts);
    expect(lines.map(({ feeMinor }) => feeMinor)).toEqual(fees);
    expect((await control('GET', `/charges?reference=${request.reference}`)).body.data).toMatchObject([
      { captured: '10.00' },
    ]);
  });

  it('says so when nobody answers', async () => {
    await sink.stop();
    const { status, body } = await control('POST', '/callbacks', { reference: 'pay_1', event: 'captured' });
    expect(status).toBe(201);
    expect(body.responses).toEqual([{ status: null, error: 'ECONNREFUSED' }]);
    await sink.start();
  });

  it('reports the refund when it is asked by the payment', async () => {
    const request = order('4111111111111111');
    await connector.authorize(request);
    await connector.refund({
      paymentReference: request.reference,
      refundReference: 'ref_9',
      idempotencyKey: 'r9',
      money: EUR(250n),
    });
    const { body } = await control('POST', '/callbacks', { reference: request.reference, event: 'refunded' });
    expect(JSON.parse(body.request.body)).toMatchObject({ reference: 'ref_9', amount: '2.50', status: 'REFUNDED' });
  });
});

describe('control endpoints', () => {
  it('order, list and clear faults', async () => {
    const { status, body } = await control('POST', '/faults', {
      on: 'authorize',
      fault: 'delay',
      times: 2,
      delayMs: 1,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ on: 'authorize', fault: 'delay', times: 2, delayMs: 1, remaining: 2 });
    await connector.authorize(order('4111111111111111'));
    expect((await control('GET', '/faults')).body.data).toMatchObject([{ remaining: 1 }]);
    await connector.authorize(order('4111111111111111'));
    expect((await control('GET', '/faults')).body.data).toEqual([]);
    await control('POST', '/faults', { on: 'inquiry', fault: 'drop' });
    expect((await control('DELETE', '/faults')).status).toBe(204);
    expect((await control('GET', '/faults')).body.data).toEqual([]);
  });

  it.each([
    ['/faults', { on: 'nothing', fault: 'delay' }, ['on']],
    ['/faults', { on: 'authorize', fault: 'explode', times: 0 }, ['fault', 'times']],
    ['/faults', { on: 'authorize', fault: 'delay', colour: 'red' }, ['colour']],
    ['/faults', [], ['']],
    ['/callbacks', { event: 'captured' }, ['reference']],
    ['/callbacks', { reference: 'pay_1', event: 'exploded' }, ['event']],
    ['/callbacks', { reference: 'pay_1', event: 'captured', amount: '1.0' }, ['amount']],
    ['/callbacks', { reference: 'pay_1', event: 'captured', currency: 'XYZ' }, ['currency']],
    ['/callbacks', '{', ['']],
  ])('%s refuses %j', async (path, body, fields) => {
    const answer = await control('POST', path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_request');
    expect(answer.body.error.details.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('answers JSON where there is nothing', async () => {
    const other = await fetch(`${url}/sim/processors/z/charges`);
    expect([other.status, (await problemOf(other)).error.message]).toEqual([404, 'this processor is not simulated']);
    const nowhere = await fetch(`${url}/nowhere`);
    expect([nowhere.status, (await problemOf(nowhere)).error.code]).toEqual([404, 'not_found']);
    const wrong = await fetch(`${url}/health`, { method: 'POST' });
    expect([wrong.status, (await problemOf(wrong)).error.code]).toEqual([405, 'method_not_allowed']);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
  });
});

describe('processor A', () => {
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/a/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${apiKeyFor(SECRET)}`, ...init.headers },
    });

  it('answers nobody without its key', async () => {
    const response = await fetch(`${url}/a/v1/payments/pay_1`);
    expect([response.status, (await problemOf(response)).error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each(['', '{', '[]', '{}', '{"reference":"pay_1","amount":10,"currency":"EUR","capture":true,"card":{}}'])(
    'refuses the order %j without repeating it',
    async (body) => {
      const response = await ask('/payments', { method: 'POST', body });
      expect([response.status, (await problemOf(response)).error.code]).toEqual([422, 'INVALID_REQUEST']);
    },
  );

  it('refuses a body that is too large', async () => {
    const response = await ask('/payments', {
      method: 'POST',
      body: JSON.stringify({ descriptor: 'x'.repeat(70_000) }),
    });
    expect(response.status).toBe(413);
  });

  it('verifies a card with a zero amount and captures nothing', async () => {
    const request = order('4111111111111111', { money: EUR(0n) });
    expect((await connector.authorize(request)).kind).toBe('authorized');
  });

  it('reorder lets the next call pass', async () => {
    const first = order('4111111111111111');
    const second = order('4111111111111111');
    await control('POST', '/faults', { on: 'authorize', fault: 'reorder', reference: first.reference });
    const slow = connector.authorize(first);
    while ((await control('GET', '/faults')).body.data.length > 0) await new Promise(setImmediate);
    await connector.authorize(second);
    await slow;
    const { data } = (await control('GET', '/charges')).body;
    expect(data.map(({ reference }: { reference: string }) => reference)).toEqual([first.reference, second.reference]);
  });
});

describe('the page of the third-party provider', () => {
  it.each([
    ['?code=a-code&state=first', 'You have confirmed.', 'code: a-code'],
    ['?error=access_denied&state=first', 'You have not confirmed.', 'error: access_denied'],
  ])('says what the bank has sent: %s', async (query, first, sent) => {
    const response = await fetch(`${url}/tpp/callback${query}`);
    const lines = (await response.text()).split('\n');
    expect([lines[0], lines.includes(sent), lines.includes('state: first')]).toEqual([first, true, true]);
  });

  it('shows nothing as markup', async () => {
    const response = await fetch(`${url}/tpp/callback?code=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
