import type { ProcessorEvent, RawCallback } from '../../../../../src/domain/connector';
import type { AuthorizeAnswer } from '../../../../../src/domain/processor-answers';
import { RESULT } from '../../../../../src/domain/result-codes';
import { type Bench, EUR, stringOfBigint } from './bench';
import { type CardKind, cardInstrument } from './means';

/** Cards, and cards out of wallet tokens: the outcome comes at once, unless 3-D Secure stands in between. */
export function describeCards(bench: Bench, kind: CardKind): void {
  const order: Bench['cardOrder'] = (number, overrides) =>
    bench.cardOrder(number, { instrument: cardInstrument(kind, number), ...overrides });

  describe(`authorize, ${kind}`, () => {
    it('captures at once', async () => {
      const request = order('4111111111111111');
      expect(await bench.connector.authorize(request)).toMatchObject({ kind: 'captured', money: EUR(1_000n) });
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: '10.00', requests: 1 }]);
    });

    if (bench.capabilities.manualCapture)
      it('authorizes only, when asked to', async () => {
        const request = order('4111111111111111', { capture: false });
        expect(await bench.connector.authorize(request)).toMatchObject({ kind: 'authorized', money: EUR(1_000n) });
        expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: '0.00', status: 'authorized' }]);
      });

    it.each([
      ['JPY', 1_000n, '1000'],
      ['KWD', 1_234n, '1.234'],
    ])('keeps the decimals of %s', async (currency, amountMinor, written) => {
      const request = order('4111111111111111', { money: { amountMinor, currency } });
      const answer = await bench.connector.authorize(request);
      expect(answer).toMatchObject({ kind: 'captured', money: { amountMinor, currency } });
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ amount: written, captured: written }]);
    });

    it.each([
      ['4000000000000002', RESULT.declined],
      ['4000000000009995', RESULT.insufficientFunds],
      ['4000000000000069', RESULT.expiredCard],
      ['4000000000000127', RESULT.cvvMismatch],
      ['4000000000009987', RESULT.lostOrStolenCard],
      ['4111111111111112', RESULT.invalidPaymentData],
    ])('declines %s with %i', async (number, code) => {
      expect(await bench.connector.authorize(order(number))).toMatchObject({ kind: 'declined', code });
    });

    it('declines a card past its date', async () => {
      const instrument = cardInstrument(kind, '4111111111111111', '2020');
      const answer = await bench.connector.authorize(order('4111111111111111', { instrument }));
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.expiredCard });
    });

    it('never repeats card data', async () => {
      for (const answer of [
        { status: 500, body: '5454545454545454' },
        { status: 422, body: '{"card":"5454545454545454"}' },
      ]) {
        const said = await bench.asking(answer).authorize(order('5454545454545454'));
        expect(JSON.stringify(said, stringOfBigint)).not.toContain('5454545454545454');
      }
    });

    it('charges and never answers: found by asking, and told late', async () => {
      const request = order('4000000000006975');
      expect((await bench.impatient.authorize(request)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('captured');
      expect(await bench.event(request.reference, 'captured')).toMatchObject({ money: EUR(1_000n) });
    });

    it('closes the connection and charges nothing', async () => {
      const request = order('4000000000000119');
      expect((await bench.connector.authorize(request)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('not_found');
      expect(await bench.chargesOf(request.reference)).toEqual([]);
    });

    it('tells later that a refund is declined', async () => {
      const request = order('4000000000005126');
      await bench.connector.authorize(request);
      const refund = bench.refundOf(request, 1_000n);
      expect((await bench.connector.refund(refund)).kind).toBe('pending');
      await bench.event(refund.refundReference, 'refund_declined');
      expect((await bench.connector.inquireRefund(refund.refundReference)).kind).toBe('refund_declined');
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ refunded: '0.00' }]);
    });

    it('is told of the chargeback that follows', async () => {
      const request = order('4000000000000259');
      await bench.connector.authorize(request);
      expect(await bench.event(request.reference, 'charged_back')).toMatchObject({ money: EUR(1_000n) });
    });
  });
}

/** 3-D Secure of cards: the challenge comes back to us, or the processor goes on by itself. */
export function describeThreeDS(bench: Bench): void {
  const order: Bench['cardOrder'] = (number, overrides) => bench.cardOrder(number, overrides);
  const comesBack = () => bench.connector.completeAuthentication !== undefined;

  /** What the payer's answer makes of the payment. */
  const finish = async (answer: AuthorizeAnswer, reference: string, outcome: string): Promise<AuthorizeAnswer> => {
    expect(answer.kind).toBe('challenge');
    const page = await bench.press(answer, outcome);
    expect([200, 303]).toContain(page.status);
    if (!comesBack()) return bench.connector.inquirePayment(reference);
    const { cres } = await challengeAnswered(reference);
    const completion = { reference, idempotencyKey: `payment/${reference}/authentication`, cres: cres as string };
    const completed = await bench.connector.completeAuthentication!(completion);
    expect((await bench.connector.completeAuthentication!(completion)).kind).toBe(completed.kind);
    return completed;
  };

  const challengeAnswered = async (reference: string): Promise<ProcessorEvent> => {
    const [raw] = await bench.sink.expect('3ds', reference);
    const receiver = bench.connector.receivers.find(({ name }) => name === '3ds');
    expect(receiver?.verify(raw as RawCallback, bench.spec.secret)).toBe(true);
    return receiver?.parse(raw as RawCallback) as ProcessorEvent;
  };

  describe('3-D Secure', () => {
    it.each([
      ['authenticated', 'captured'],
      ['failed', 'authentication_failed'],
    ] as const)('a payer who %s', async (outcome, kind) => {
      const request = order('4000000000003220', { returnUrl: 'https://shop.example/back?cart=1' });
      const challenged = await bench.connector.authorize(request);
      expect((await finish(challenged, request.reference, outcome)).kind).toBe(kind);
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe(kind);
      const told = comesBack() && kind === 'captured' ? 'authenticated' : kind;
      expect(await bench.event(request.reference, told)).toMatchObject({ reference: request.reference });
    });

    it('declines after the challenge', async () => {
      const request = order('4000008400001629');
      const answer = await finish(await bench.connector.authorize(request), request.reference, 'authenticated');
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.declined });
    });

    it('captures nothing on a challenge response the issuer did not make', async () => {
      const request = order('4000000000003220');
      expect((await bench.connector.authorize(request)).kind).toBe('challenge');
      const forged = { transStatus: 'Y', reference: request.reference };
      const cres = Buffer.from(JSON.stringify(forged)).toString('base64url');
      const completion = { reference: request.reference, idempotencyKey: 'f', cres };
      const { completeAuthentication } = bench.connector;
      // Nor does it end the payment: its payer may still authenticate.
      if (completeAuthentication) expect((await completeAuthentication(completion)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('challenge');
    });

    it('knows nothing about a payment whose challenge response did not get through', async () => {
      const nobody = bench.spec.create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 2_000 });
      const completion = { reference: 'pay_1', idempotencyKey: 'n', cres: 'e30' };
      if (comesBack()) expect((await nobody.completeAuthentication?.(completion))?.kind).toBe('unknown');
    });

    it('is abandoned', async () => {
      const request = order('4000000000003220');
      expect((await bench.hasty.authorize(request)).kind).toBe('challenge');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await bench.hasty.inquirePayment(request.reference)).kind).toBe('authentication_failed');
    });

    it('asks for a challenge on a plain card when it is required', async () => {
      const request = order('5555555555554444', { threeDS: 'required' });
      expect((await bench.connector.authorize(request)).kind).toBe('challenge');
    });

    it('asks for none when it is switched off, or the payer is not there', async () => {
      const switchedOff = order('4000000000003220', { threeDS: 'none' });
      expect((await bench.connector.authorize(switchedOff)).kind).toBe('captured');
      const recurring = { initial: false, originalReference: 'pay_0' };
      expect((await bench.connector.authorize(order('4000000000003220', { recurring }))).kind).toBe('captured');
    });

    it('a payer whose issuer wants it after all is asked, and charged once', async () => {
      const money = EUR(2_500n);
      const request = order('4000002760003184', { money, threeDS: 'none', exemption: 'low_value' });
      const declined = await bench.connector.authorize(request);
      expect(declined).toMatchObject({ kind: 'soft_declined', processorReference: expect.any(String) });
      expect(await bench.connector.authorize(request)).toEqual(declined);
      expect(await bench.connector.inquirePayment(request.reference)).toEqual(declined);
      const { processorReference } = declined as { processorReference: string };
      const again: typeof request = {
        ...{ ...request, exemption: undefined, threeDS: 'required' },
        ...{ idempotencyKey: `${request.idempotencyKey}/authenticated`, softDeclined: { processorReference } },
      };
      const challenged = await bench.connector.authorize(again);
      expect((await finish(challenged, request.reference, 'authenticated')).kind).toBe('captured');
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: '25.00', amount: '25.00' }]);
    });

    it('a payer who is not there is not asked', async () => {
      const recurring = { initial: false, originalReference: 'pay_0' };
      const answer = await bench.connector.authorize(order('4000002760003184', { recurring }));
      expect(answer.kind).toBe('soft_declined');
    });

    it('goes through without a challenge, or fails without one', async () => {
      expect((await bench.connector.authorize(order('4000000000003055'))).kind).toBe('captured');
      expect((await bench.connector.authorize(order('4000000000003097'))).kind).toBe('authentication_failed');
    });
  });
}

/** Why a payer need not authenticate, as the issuer is told. */
export function describeExemptions(bench: Bench): void {
  const ask = async (overrides: Parameters<Bench['cardOrder']>[1]) => {
    const request = bench.cardOrder('4111111111111111', { threeDS: 'none', ...overrides });
    const answer = await bench.connector.authorize(request);
    return { answer, charges: await bench.chargesOf(request.reference) };
  };
  const later = { initial: false, originalReference: 'pay_0' };

  describe('exemptions', () => {
    it.each([
      ['low_value', { money: EUR(3_000n) }],
      ['merchant_initiated', { recurring: later, money: EUR(90_000n) }],
    ] as const)('%s reaches the processor', async (exemption, overrides) => {
      const { answer, charges } = await ask({ exemption, ...overrides });
      expect(answer.kind).toBe('captured');
      expect(charges).toMatchObject([{ exemption }]);
    });

    it('none is told of where none is asked for', async () => {
      expect((await ask({})).charges).toEqual([expect.not.objectContaining({ exemption: expect.anything() })]);
    });

    it.each([
      ['more than 30 euros', 'low_value', { money: EUR(3_001n) }],
      ['another currency', 'low_value', { money: { amountMinor: 100n, currency: 'USD' } }],
      ['no later payment of a series', 'merchant_initiated', {}],
      ['3-D Secure all the same', 'low_value', { threeDS: 'required' }],
    ] as const)('the processor refuses what does not fit: %s', async (_title, exemption, overrides) => {
      const { answer, charges } = await ask({ exemption, ...overrides });
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.invalidPaymentData });
      expect(charges).toEqual([]);
    });

    it('the one that the issuer did not accept is kept with the payment', async () => {
      const request = bench.cardOrder('4000002760003184', { threeDS: 'none', exemption: 'low_value' });
      await bench.connector.authorize(request);
      const again = { ...request, exemption: undefined, threeDS: 'required', softDeclined: {} } as const;
      const { kind } = await bench.connector.authorize({ ...again, idempotencyKey: `${request.idempotencyKey}/2` });
      expect(kind).toBe('challenge');
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ refusedExemption: 'low_value' }]);
    });
  });
}
