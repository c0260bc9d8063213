import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESULT } from '../../src/domain/result-codes';
import type {
  AuthorizeRequest,
  Connector,
  DisputeAnswer,
  DisputeCapability,
  ProcessorId,
  ProviderAnswer,
  ProviderEvent,
  RawCallback,
} from '../../src/providers/connector';
import { ProviderUnavailable } from '../../src/providers/connector';
import { createSimulator, type Simulator } from '../../src/simulator/app';
import { CallbackSink } from './callback-sink';
import { ScriptedProvider } from './scripted-provider';

/** What the suite has to know of one provider: how it is reached, and what its answers look like on the wire. */
export interface ConnectorSpec {
  processor: ProcessorId;
  /** Its callback secret. */
  secret: string;
  create(options: { baseUrl: string; timeoutMs: number }): Connector;
  /** Answers about the payment `pay_1` of 10.00 EUR, and what each must mean. */
  paymentAnswers: WireAnswer[];
  /** Answers about the refund `ref_1` of 4.00 EUR. */
  refundAnswers: WireAnswer[];
  /** Answers about the dispute `case_1` of 10.00 EUR; absent where the provider has no dispute API. */
  disputeAnswers?: {
    title: string;
    status?: number;
    body: string;
    means: Partial<DisputeAnswer> & Pick<DisputeAnswer, 'kind'>;
  }[];
  callbacks: WireCallback[];
  /** Rightly signed, and unreadable. */
  malformedCallbacks: { title: string; receiver: string; raw: (secret: string) => RawCallback }[];
}

export interface WireAnswer {
  title: string;
  status?: number;
  body: string;
  means: Partial<ProviderAnswer> & { kind: ProviderAnswer['kind'] };
}

export interface WireCallback {
  title: string;
  receiver: string;
  raw: (secret: string) => RawCallback;
  means: Partial<ProviderEvent>;
}

const CARD = { holder: 'A Buyer', expiryMonth: '12', expiryYear: '2040', cvv: '123' };
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

/** The one suite every connector runs: against the real simulator over HTTP, and against a provider that may say anything. */
export function describeConnector(spec: ConnectorSpec): void {
  const { processor, secret } = spec;
  const home = mkdtempSync(join(tmpdir(), 'tillway-connector-'));
  const sink = new CallbackSink();
  const scripted = new ScriptedProvider();
  let simulator: Simulator;
  let simulatorUrl: string;
  let connector: Connector;
  let impatient: Connector;

  beforeAll(async () => {
    await sink.start();
    await scripted.start();
    simulator = createSimulator({
      home,
      publicUrl: sink.url,
      secrets: { [processor]: secret },
      settlementEveryMs: 50,
      chargebackAfterMs: 50,
      refundDeclineMs: 50,
      lateOutcomeMs: 50,
      disputeDecisionAfterMs: 50,
    });
    simulatorUrl = await simulator.start();
    connector = spec.create({ baseUrl: `${simulatorUrl}/${processor}`, timeoutMs: 5_000 });
    impatient = spec.create({ baseUrl: `${simulatorUrl}/${processor}`, timeoutMs: 300 });
  });

  afterAll(async () => {
    await simulator.stop();
    await scripted.stop();
    await sink.stop();
    rmSync(home, { recursive: true });
  });

  const order = (number: string, overrides: Partial<AuthorizeRequest> = {}): AuthorizeRequest => {
    const reference = `pay_${randomUUID()}`;
    return {
      reference,
      idempotencyKey: `payment/${reference}/authorize`,
      money: EUR(1_000n),
      capture: true,
      threeDS: 'auto',
      instrument: { kind: 'card', card: { number, ...CARD } },
      ...overrides,
    };
  };

  const refundOf = (paymentReference: string, amountMinor: bigint) => {
    const refundReference = `ref_${randomUUID()}`;
    return {
      paymentReference,
      refundReference,
      idempotencyKey: `refund/${refundReference}`,
      money: EUR(amountMinor),
    };
  };

  const inject = async (on: string, fault: string, reference: string) => {
    const response = await fetch(`${simulatorUrl}/sim/processors/${processor}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ on, fault, reference }),
    });
    expect(response.status).toBe(201);
  };

  const chargesOf = async (reference: string) => {
    const url = `${simulatorUrl}/sim/processors/${processor}/charges?reference=${reference}`;
    return ((await (await fetch(url)).json()) as { data: Record<string, unknown>[] }).data;
  };

  /** Presses a button on the payer's page; answers the event our receiver makes of what the issuer then sends. */
  const answerChallenge = async (answer: ProviderAnswer, reference: string, outcome: string) => {
    if (answer.kind !== 'challenge') throw new Error(`no challenge but ${answer.kind}`);
    const page = await fetch(answer.action.url as string, {
      method: 'POST',
      body: new URLSearchParams({ outcome }),
      redirect: 'manual',
    });
    expect([200, 303]).toContain(page.status);
    const [raw] = await sink.expect('3ds', reference);
    const receiver = connector.receivers.find(({ name }) => name === '3ds');
    expect(receiver?.verify(raw as RawCallback, secret)).toBe(true);
    return receiver?.parse(raw as RawCallback) as ProviderEvent;
  };

  describe('authorize', () => {
    it('captures at once', async () => {
      const request = order('4111111111111111');
      expect(await connector.authorize(request)).toMatchObject({ kind: 'captured', money: EUR(1_000n) });
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 1 }]);
    });

    it('authorizes only, when asked to', async () => {
      const request = order('4111111111111111', { capture: false });
      expect(await connector.authorize(request)).toMatchObject({ kind: 'authorized', money: EUR(1_000n) });
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '0.00', status: 'authorized' }]);
    });

    it.each([
      ['JPY', 1_000n, '1000'],
      ['KWD', 1_234n, '1.234'],
    ])('keeps the decimals of %s', async (currency, amountMinor, written) => {
      const request = order('4111111111111111', { money: { amountMinor, currency } });
      expect(await connector.authorize(request)).toMatchObject({ kind: 'captured', money: { amountMinor, currency } });
      expect(await chargesOf(request.reference)).toMatchObject([{ amount: written, captured: written }]);
    });

    it.each([
      ['4000000000000002', RESULT.declined],
      ['4000000000009995', RESULT.insufficientFunds],
      ['4000000000000069', RESULT.expiredCard],
      ['4000000000000127', RESULT.cvvMismatch],
      ['4000000000009987', RESULT.lostOrStolenCard],
      ['4111111111111112', RESULT.invalidPaymentData],
    ])('declines %s with %i', async (number, code) => {
      expect(await connector.authorize(order(number))).toMatchObject({ kind: 'declined', code });
    });

    it('declines a card past its date', async () => {
      const request = order('4111111111111111', {
        instrument: { kind: 'card', card: { number: '4111111111111111', ...CARD, expiryYear: '2020' } },
      });
      expect(await connector.authorize(request)).toMatchObject({ kind: 'declined', code: RESULT.expiredCard });
    });

    it('charges once for one key, however often it is sent', async () => {
      const request = order('4111111111111111');
      const answers = await Promise.all(Array.from({ length: 5 }, () => connector.authorize(request)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer, stringOfBigint))).size).toBe(1);
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 5 }]);
    });

    it('does not take another request under a used key for an answer', async () => {
      const request = order('4111111111111111');
      await connector.authorize(request);
      const other = { ...order('4111111111111111'), idempotencyKey: request.idempotencyKey };
      expect((await connector.authorize(other)).kind).toBe('unknown');
      expect(await chargesOf(other.reference)).toEqual([]);
    });
  });

  describe('3-D Secure', () => {
    it.each([
      ['authenticated', 'authenticated', 'captured'],
      ['failed', 'authentication_failed', 'authentication_failed'],
    ])('a payer who %s', async (outcome, type, kind) => {
      const request = order('4000000000003220', { returnUrl: 'https://shop.example/back?cart=1' });
      const challenged = await connector.authorize(request);
      const event = await answerChallenge(challenged, request.reference, outcome);
      expect(event).toMatchObject({ type, reference: request.reference });
      const idempotencyKey = `payment/${request.reference}/authentication`;
      const completion = { reference: request.reference, idempotencyKey, cres: event.cres as string };
      expect((await connector.completeAuthentication!(completion)).kind).toBe(kind);
      expect((await connector.completeAuthentication!(completion)).kind).toBe(kind);
      expect((await connector.inquirePayment(request.reference)).kind).toBe(kind);
    });

    it('declines after the challenge', async () => {
      const request = order('4000008400001629');
      const event = await answerChallenge(await connector.authorize(request), request.reference, 'authenticated');
      const answer = await connector.completeAuthentication!({
        reference: request.reference,
        idempotencyKey: 'k',
        cres: event.cres as string,
      });
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.declined });
    });

    it('captures nothing on a challenge response the issuer did not make', async () => {
      const request = order('4000000000003220');
      expect((await connector.authorize(request)).kind).toBe('challenge');
      const cres = Buffer.from(JSON.stringify({ transStatus: 'Y', reference: request.reference })).toString(
        'base64url',
      );
      const answer = await connector.completeAuthentication!({
        reference: request.reference,
        idempotencyKey: 'f',
        cres,
      });
      expect(['captured', 'authorized']).not.toContain(answer.kind);
      expect((await connector.inquirePayment(request.reference)).kind).toBe('challenge');
    });

    it('asks for a challenge on a plain card when it is required', async () => {
      expect((await connector.authorize(order('5555555555554444', { threeDS: 'required' }))).kind).toBe('challenge');
    });

    it('asks for none when it is switched off, or the payer is not there', async () => {
      expect((await connector.authorize(order('4000000000003220', { threeDS: 'none' }))).kind).toBe('captured');
      const recurring = { initial: false, originalReference: 'pay_0' };
      expect((await connector.authorize(order('4000000000003220', { recurring }))).kind).toBe('captured');
    });

    it('goes through without a challenge, or fails without one', async () => {
      const frictionless = order('4000000000003055');
      expect((await connector.authorize(frictionless)).kind).toBe('captured');
      const failing = order('4000000000003097');
      expect((await connector.authorize(failing)).kind).toBe('authentication_failed');
    });
  });

  describe('after the authorization', () => {
    it('captures a part once', async () => {
      const request = order('4111111111111111', { capture: false });
      await connector.authorize(request);
      const capture = { reference: request.reference, idempotencyKey: 'c', money: EUR(400n) };
      capture.idempotencyKey = `payment/${request.reference}/capture`;
      expect(await connector.capture(capture)).toMatchObject({ kind: 'captured', money: EUR(400n) });
      expect(await connector.capture(capture)).toMatchObject({ kind: 'captured', money: EUR(400n) });
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '4.00' }]);
      expect(await connector.inquirePayment(request.reference)).toMatchObject({ kind: 'captured', money: EUR(400n) });
    });

    it('does not capture more than was authorized', async () => {
      const request = order('4111111111111111', { capture: false });
      await connector.authorize(request);
      const answer = await connector.capture({ reference: request.reference, idempotencyKey: 'm', money: EUR(1_001n) });
      expect(answer.kind).toBe('declined');
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '0.00', status: 'authorized' }]);
    });

    it('voids, and then does not capture', async () => {
      const request = order('4111111111111111', { capture: false });
      await connector.authorize(request);
      const call = { reference: request.reference, idempotencyKey: `payment/${request.reference}/void` };
      expect((await connector.void(call)).kind).toBe('voided');
      expect((await connector.void(call)).kind).toBe('voided');
      const capture = { reference: request.reference, idempotencyKey: `${call.idempotencyKey}/c`, money: EUR(1_000n) };
      expect((await connector.capture(capture)).kind).toBe('voided');
      expect((await connector.inquirePayment(request.reference)).kind).toBe('voided');
    });

    it('tells that a captured payment was not voided', async () => {
      const request = order('4111111111111111');
      await connector.authorize(request);
      expect((await connector.void({ reference: request.reference, idempotencyKey: 'v' })).kind).toBe('captured');
    });

    it('refunds parts, once per key, and never more than was captured', async () => {
      const request = order('4111111111111111');
      await connector.authorize(request);
      const part = refundOf(request.reference, 600n);
      expect(await connector.refund(part)).toMatchObject({ kind: 'refunded', money: EUR(600n) });
      expect(await connector.refund(part)).toMatchObject({ kind: 'refunded', money: EUR(600n) });
      expect((await connector.refund({ ...part, idempotencyKey: 'another' })).kind).toBe('refunded');
      expect((await connector.refund(refundOf(request.reference, 600n))).kind).toBe('refund_declined');
      expect(await chargesOf(request.reference)).toMatchObject([{ refunded: '6.00', status: 'partially_refunded' }]);
      expect(await connector.inquireRefund(part.refundReference)).toMatchObject({ kind: 'refunded', money: EUR(600n) });
    });

    it('tells later that a refund is declined', async () => {
      const request = order('4000000000005126');
      await connector.authorize(request);
      const refund = refundOf(request.reference, 1_000n);
      expect((await connector.refund(refund)).kind).toBe('pending');
      const events = await eventsAbout(refund.refundReference);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'refund_declined', reference: refund.refundReference }),
      );
      expect((await connector.inquireRefund(refund.refundReference)).kind).toBe('refund_declined');
      expect(await chargesOf(request.reference)).toMatchObject([{ refunded: '0.00' }]);
    });

    it('does not know what it was never told', async () => {
      expect(await connector.inquirePayment(`pay_${randomUUID()}`)).toEqual({ kind: 'not_found' });
      expect(await connector.inquireRefund(`ref_${randomUUID()}`)).toEqual({ kind: 'not_found' });
      const capture = { reference: `pay_${randomUUID()}`, idempotencyKey: 'n', money: EUR(1n) };
      expect(await connector.capture(capture)).toEqual({ kind: 'not_found' });
    });
  });

  describe('faults', () => {
    it('a connection refused charged nothing, but answers no question', async () => {
      const nobody = spec.create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 2_000 });
      expect((await nobody.authorize(order('4111111111111111'))).kind).toBe('not_charged');
      expect((await nobody.inquirePayment('pay_1')).kind).toBe('unknown');
      expect((await nobody.inquireRefund('ref_1')).kind).toBe('unknown');
      await expect(nobody.settlementReport('b1')).rejects.toThrow(ProviderUnavailable);
    });

    it('a host that does not exist charged nothing', async () => {
      const nowhere = spec.create({ baseUrl: 'http://nowhere.invalid', timeoutMs: 5_000 });
      expect((await nowhere.authorize(order('4111111111111111'))).kind).toBe('not_charged');
    });

    it.each(['drop', 'close_before'])('%s: unknown, nothing charged, and the same key works later', async (fault) => {
      const request = order('4111111111111111');
      await inject('authorize', fault, request.reference);
      expect((await impatient.authorize(request)).kind).toBe('unknown');
      expect((await connector.inquirePayment(request.reference)).kind).toBe('not_found');
      expect((await connector.authorize(request)).kind).toBe('captured');
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 2 }]);
    });

    it.each(['close_after', 'status_500'])('%s: unknown, charged once whatever follows', async (fault) => {
      const request = order('4111111111111111');
      await inject('authorize', fault, request.reference);
      expect((await connector.authorize(request)).kind).toBe('unknown');
      expect((await connector.inquirePayment(request.reference)).kind).toBe('captured');
      expect((await connector.authorize(request)).kind).toBe('captured');
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 2 }]);
    });

    it.each([
      ['capture', 'close_after'],
      ['refund', 'status_500'],
      ['refund', 'close_after'],
    ])('%s with %s happens once', async (on, fault) => {
      const request = order('4111111111111111', { capture: on !== 'capture' });
      await connector.authorize(request);
      await inject(on, fault, request.reference);
      const refund = refundOf(request.reference, 1_000n);
      const capture = { reference: request.reference, idempotencyKey: `${request.reference}/c`, money: EUR(1_000n) };
      const call = () => (on === 'capture' ? connector.capture(capture) : connector.refund(refund));
      expect((await call()).kind).toBe('unknown');
      expect((await call()).kind).toBe(on === 'capture' ? 'captured' : 'refunded');
      const refunded = on === 'capture' ? '0.00' : '10.00';
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', refunded }]);
    });

    it('a question that gets no answer leaves the outcome unknown', async () => {
      const request = order('4111111111111111');
      await connector.authorize(request);
      await inject('inquiry', 'status_500', request.reference);
      expect((await connector.inquirePayment(request.reference)).kind).toBe('unknown');
    });

    it('a provider that processes twice charges once', async () => {
      const request = order('4111111111111111');
      await inject('authorize', 'duplicate', request.reference);
      expect((await connector.authorize(request)).kind).toBe('captured');
      expect(await chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 2 }]);
    });

    it('charges and never answers: found by asking, and told late', async () => {
      const request = order('4000000000006975');
      expect((await impatient.authorize(request)).kind).toBe('unknown');
      expect((await connector.inquirePayment(request.reference)).kind).toBe('captured');
      expect(await eventsAbout(request.reference)).toContainEqual(expect.objectContaining({ type: 'captured' }));
    });

    it('closes the connection and charges nothing', async () => {
      const request = order('4000000000000119');
      expect((await connector.authorize(request)).kind).toBe('unknown');
      expect((await connector.inquirePayment(request.reference)).kind).toBe('not_found');
      expect(await chargesOf(request.reference)).toEqual([]);
    });
  });

  describe('every answer', () => {
    const ask = async ({ status = 200, body }: Pick<WireAnswer, 'status' | 'body'>, what: 'payment' | 'refund') => {
      scripted.answer = { status, body };
      const asking = spec.create({ baseUrl: scripted.url, timeoutMs: 5_000 });
      return what === 'payment' ? asking.inquirePayment('pay_1') : asking.inquireRefund('ref_1');
    };

    it.each(spec.paymentAnswers)('payment: $title', async (answer) => {
      expect(await ask(answer, 'payment')).toMatchObject(answer.means);
    });

    it.each(spec.refundAnswers)('refund: $title', async (answer) => {
      expect(await ask(answer, 'refund')).toMatchObject(answer.means);
    });

    it.each(['', 'null', '[]', '"CAPTURED"', '{', '<html>', '{"status":17}', '{}'])('unreadable: %s', async (body) => {
      expect((await ask({ body }, 'payment')).kind).toBe('unknown');
      expect((await ask({ body }, 'refund')).kind).toBe('unknown');
    });

    it.each([500, 502, 503, 504, 302, 409, 418])('status %i leaves the outcome unknown', async (status) => {
      expect((await ask({ status, body: '{}' }, 'payment')).kind).toBe('unknown');
      expect((await ask({ status, body: '{}' }, 'refund')).kind).toBe('unknown');
    });

    it('never repeats card data', async () => {
      for (const answer of [
        { status: 500, body: '5454545454545454' },
        { status: 422, body: '{"card":"5454545454545454"}' },
      ]) {
        scripted.answer = answer;
        const asking = spec.create({ baseUrl: scripted.url, timeoutMs: 5_000 });
        const said = await asking.authorize(order('5454545454545454'));
        expect(JSON.stringify(said, stringOfBigint)).not.toContain('5454545454545454');
      }
    });
  });

  describe('callbacks', () => {
    const receiverOf = (name: string) => {
      const receiver = connector.receivers.find((one) => one.name === name);
      if (!receiver) throw new Error(`no receiver ${name}`);
      return receiver;
    };

    it.each(spec.callbacks)('$receiver: $title', ({ receiver, raw, means }) => {
      const callback = raw(secret);
      expect(receiverOf(receiver).method).toBe(callback.method);
      expect(receiverOf(receiver).verify(callback, secret)).toBe(true);
      expect(receiverOf(receiver).parse(callback)).toMatchObject(means);
    });

    it.each(spec.callbacks)('$receiver: $title, forged, altered or unsigned', ({ receiver, raw }) => {
      const { verify } = receiverOf(receiver);
      const callback = raw(secret);
      expect(verify(raw('another secret'), secret)).toBe(false);
      expect(verify(callback, '')).toBe(false);
      expect(
        verify({ ...callback, body: Buffer.from(`${callback.body} `), query: `${callback.query}&x=1` }, secret),
      ).toBe(false);
      expect(verify({ ...callback, headers: {}, body: Buffer.alloc(0), query: '' }, secret)).toBe(false);
    });

    it.each(spec.malformedCallbacks)('$receiver: $title cannot be read', ({ receiver, raw }) => {
      const callback = raw(secret);
      expect(receiverOf(receiver).verify(callback, secret)).toBe(true);
      expect(() => receiverOf(receiver).parse(callback)).toThrow(
        expect.objectContaining({ code: 'malformed_callback' }),
      );
    });

    it('reads what the provider really sends about a chargeback', async () => {
      const request = order('4000000000000259');
      await connector.authorize(request);
      expect(await eventsAbout(request.reference)).toContainEqual(
        expect.objectContaining({ type: 'charged_back', reference: request.reference, money: EUR(1_000n) }),
      );
    });
  });

  const describeDisputes = spec.disputeAnswers ? describe : describe.skip;

  describeDisputes('disputes', () => {
    const disputes = () => connector.disputes as DisputeCapability;
    const charged = async (): Promise<{ reference: string; caseId: string }> => {
      const { reference } = await authorized();
      const body = JSON.stringify({ reference, event: 'charged_back' });
      await fetch(`${simulatorUrl}/sim/processors/${processor}/callbacks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const [event] = await eventsAbout(reference);
      return { reference, caseId: event?.caseId as string };
    };
    const authorized = async () => {
      const request = order('4111111111111111');
      await connector.authorize(request);
      return request;
    };
    const evidenceOn = (caseId: string, text: string) => ({
      caseId,
      evidenceReference: `dop_${randomUUID()}`,
      idempotencyKey: `dispute/${caseId}/${text}`,
      text,
      documents: [{ name: 'note.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') }],
    });
    const wordsAbout = async (reference: string, word: ProviderEvent['type']): Promise<ProviderEvent> => {
      for (;;) {
        const found = (await eventsAbout(reference)).find(({ type }) => type === word);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it('takes evidence once per key, and tells how it was decided', async () => {
      const { reference, caseId } = await charged();
      expect(await disputes().inquire(caseId)).toMatchObject({ kind: 'stands', stage: 'open', money: EUR(1_000n) });
      const evidence = evidenceOn(caseId, 'It was delivered.');
      expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'stands', stage: 'evidence_submitted' });
      expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'stands', stage: 'evidence_submitted' });
      expect(await wordsAbout(reference, 'chargeback_won')).toMatchObject({ caseId, money: EUR(1_000n) });
      expect(await disputes().inquire(caseId)).toMatchObject({ kind: 'stands', stage: 'won' });
      expect(await disputes().submitEvidence(evidenceOn(caseId, 'More.'))).toMatchObject({
        kind: 'refused',
        stage: 'won',
      });
    });

    it('presents a second time on evidence only, and decides after that', async () => {
      const { reference, caseId } = await charged();
      const call = { caseId, idempotencyKey: `dispute/${caseId}/present` };
      expect(await disputes().present(call)).toMatchObject({ kind: 'refused', stage: 'open' });
      await disputes().submitEvidence(evidenceOn(caseId, 'Please.'));
      expect(await disputes().present(call)).toMatchObject({ kind: 'stands', stage: 'presented' });
      expect(await wordsAbout(reference, 'second_presentment')).toMatchObject({ caseId, money: EUR(1_000n) });
      expect(await wordsAbout(reference, 'chargeback_lost')).toMatchObject({ caseId, money: EUR(1_000n) });
    });

    it('is given up', async () => {
      const { caseId } = await charged();
      const call = { caseId, idempotencyKey: `dispute/${caseId}/accept` };
      expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
      expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
    });

    it.each(['drop', 'close_before', 'close_after', 'status_500'])(
      '%s leaves it unknown, and the key works later',
      async (fault) => {
        const { reference, caseId } = await charged();
        await inject('dispute', fault, reference);
        const call = { caseId, idempotencyKey: `dispute/${caseId}/accept` };
        expect((await (impatient.disputes as DisputeCapability).accept(call)).kind).toBe('unknown');
        expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
      },
    );

    it('does not know what it was never told', async () => {
      expect(await disputes().inquire('case_0')).toEqual({ kind: 'not_found' });
    });

    it.each(spec.disputeAnswers ?? [])('$title', async ({ status = 200, body, means }) => {
      scripted.answer = { status, body };
      const asking = spec.create({ baseUrl: scripted.url, timeoutMs: 5_000 }).disputes as DisputeCapability;
      expect(await asking.inquire('case_1')).toMatchObject(means);
    });

    it.each(['', 'null', '[]', '{', '{}', '{"status":17}'])('unreadable: %s', async (body) => {
      scripted.answer = { status: 200, body };
      const asking = spec.create({ baseUrl: scripted.url, timeoutMs: 5_000 }).disputes as DisputeCapability;
      expect((await asking.inquire('case_1')).kind).toBe('unknown');
    });
  });

  describe('settlement', () => {
    it('reports every movement of a payment once', async () => {
      const request = order('4111111111111111', { money: EUR(1_000n) });
      await connector.authorize(request);
      const refund = refundOf(request.reference, 400n);
      await connector.refund(refund);
      const lines = [];
      const seen = new Set<string>();
      while (lines.length < 2) {
        for (const batchId of await announcedBatches()) {
          if (seen.has(batchId)) continue;
          seen.add(batchId);
          const report = await connector.settlementReport(batchId);
          expect(report.batchId).toBe(batchId);
          lines.push(...report.lines.filter(({ paymentReference }) => paymentReference === request.reference));
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      lines.sort((one, other) => one.kind.localeCompare(other.kind));
      expect(lines).toEqual([
        expect.objectContaining({ kind: 'capture', reference: request.reference, money: EUR(1_000n), feeMinor: 15n }),
        expect.objectContaining({ kind: 'refund', reference: refund.refundReference, money: EUR(400n), feeMinor: 0n }),
      ]);
      expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(2);
    });

    it('has no report of a batch that is not there', async () => {
      await expect(connector.settlementReport('nothing')).rejects.toThrow(ProviderUnavailable);
    });
  });

  /** What our receivers make of everything that arrived about a reference, once there is any. */
  async function eventsAbout(reference: string): Promise<ProviderEvent[]> {
    for (;;) {
      const events = readAll().filter((event) => event.reference === reference);
      if (events.length > 0) return events;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function announcedBatches(): Promise<string[]> {
    return readAll().flatMap(({ batchId }) => batchId ?? []);
  }

  function readAll(): ProviderEvent[] {
    return sink.received.flatMap((raw) => {
      const receiver = connector.receivers.find(({ name }) => raw.path === `/callbacks/${name}`);
      if (!receiver?.verify(raw, secret)) throw new Error(`a callback to ${raw.path} is not signed as it should be`);
      return receiver.parse(raw);
    });
  }
}

function stringOfBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
