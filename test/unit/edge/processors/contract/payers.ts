import { formatAmount } from '../../../../../src/domain/money';
import type { AuthorizeAnswer } from '../../../../../src/domain/processor-answers';
import { RESULT } from '../../../../../src/domain/result-codes';
import { type Bench, pageOf } from './bench';
import type { Means } from './means';

/** Kinds whose payer does something elsewhere: on a page, in an app, at a bank, in a shop, on a chain. */
export function describePayer(bench: Bench, means: Means): void {
  const { currency, instrument } = means;
  const money = (amountMinor: bigint) => ({ amountMinor, currency });
  const ordered = async (amountMinor = 1_000n) => {
    const request = bench.order(means, { money: money(amountMinor), returnUrl: 'https://shop.example/back?cart=1' });
    return { request, asked: await bench.connector.authorize(request) };
  };
  const isSent = instrument.kind === 'bank_transfer' || instrument.kind === 'crypto';

  describe(`${means.title}`, () => {
    it('waits for its payer, and tells what there is to do', async () => {
      const { request, asked } = await ordered();
      if (asked.kind !== 'payer_action') throw new Error(`no action but ${JSON.stringify(asked)}`);
      const { action } = asked;
      expect(Date.parse(action.expiresAt)).toBeGreaterThan(Date.now());
      expect(asked.detail).toMatch(/^[A-Z].*\.$/);
      if (action.type === 'redirect') expect(action.url).toMatch(/^[a-z]+:/);
      if (action.type === 'qr') expect(action.fields?.payload).toBeTruthy();
      if (action.type === 'instructions') expect(Object.keys(action.fields ?? {}).length).toBeGreaterThan(0);
      const page = await fetch(pageOf(asked));
      expect(page.status).toBe(200);
      expect(await page.text()).toContain(formatAmount(1_000n, currency));
      expect(await bench.connector.inquirePayment(request.reference)).toEqual(asked);
      const charges = await bench.chargesOf(request.reference);
      expect(charges).toMatchObject([{ status: 'requires_action', captured: formatAmount(0n, currency), requests: 1 }]);
    });

    it('is paid', async () => {
      const { request, asked } = await ordered();
      const page = await bench.press(asked, 'authenticated');
      expect(page).toEqual({
        status: 303,
        location: `https://shop.example/back?cart=1&paymentId=${request.reference}`,
      });
      const paid = await bench.inquiredUntil(request.reference, 'captured');
      expect(paid).toMatchObject({ money: money(1_000n) });
      await told(request.reference, asked);
      const amount = formatAmount(1_000n, currency);
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: amount }]);
    });

    it('is refused by its payer', async () => {
      const { request, asked } = await ordered();
      expect((await bench.press(asked, 'failed')).status).toBe(303);
      const answer = await bench.connector.inquirePayment(request.reference);
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.declined });
      expect((await bench.event(request.reference, 'failed')).code).toBe(RESULT.declined);
    });

    it.each([
      [1_002n, RESULT.declined],
      [1_095n, RESULT.insufficientFunds],
    ])('is declined by amount: %s', async (amountMinor, code) => {
      expect((await ordered(amountMinor)).asked).toMatchObject({ kind: 'declined', code });
    });

    it('is charged, and never answered: found by asking, and told late', async () => {
      const request = bench.order(means, { money: money(1_075n) });
      expect((await bench.impatient.authorize(request)).kind).toBe('unknown');
      const found = await bench.connector.inquirePayment(request.reference);
      expect(found).toMatchObject({ kind: 'captured', money: money(1_075n) });
      expect(await bench.event(request.reference, 'captured')).toMatchObject({ money: money(1_075n) });
    });

    it('ends with a closed connection, and nothing charged', async () => {
      const { request, asked } = await ordered(1_019n);
      expect(asked.kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('not_found');
      expect(await bench.chargesOf(request.reference)).toEqual([]);
    });

    it('is cancelled while it waits, once and for all', async () => {
      const { request, asked } = await ordered();
      const call = { reference: request.reference, idempotencyKey: `payment/${request.reference}/void` };
      expect((await bench.connector.void(call)).kind).toBe('voided');
      expect((await bench.connector.void(call)).kind).toBe('voided');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('voided');
      // Nobody can keep a payer from sending money.
      expect((await fetch(pageOf(asked))).status).toBe(isSent ? 200 : 410);
    });

    it('runs out of time', async () => {
      const request = bench.order(means);
      expect((await bench.hasty.authorize(request)).kind).toBe('payer_action');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await bench.hasty.inquirePayment(request.reference)).kind).toBe('voided');
    });

    if (isSent) describeSending(bench, ordered, money);
  });

  /** Something that makes our side ask, if it does not say the outcome itself. */
  async function told(reference: string, asked: AuthorizeAnswer): Promise<void> {
    const account = asked.kind === 'payer_action' ? asked.action.fields?.iban : undefined;
    await bench.event(account ?? reference, 'captured', 'transfer_received');
  }
}

type Ordered = () => Promise<{ request: ReturnType<Bench['order']>; asked: AuthorizeAnswer }>;

/** What only transfers do: bring too little, too much, or come too late. */
function describeSending(bench: Bench, ordered: Ordered, money: (amountMinor: bigint) => object): void {
  it('waits for the rest when too little came, and says how much', async () => {
    const { request, asked } = await ordered();
    await bench.press(asked, 'underpaid');
    const partly = await bench.connector.inquirePayment(request.reference);
    expect(partly).toMatchObject({ kind: 'payer_action', detail: expect.stringContaining('5.00') });
    expect(partly).toMatchObject({ detail: expect.stringContaining('10.00') });
    await bench.press(partly, 'authenticated');
    expect(await bench.inquiredUntil(request.reference, 'captured')).toMatchObject({ money: money(1_000n) });
  });

  it('takes what was asked for when too much came, and says that the rest goes back', async () => {
    const { request, asked } = await ordered();
    await bench.press(asked, 'overpaid');
    const paid = await bench.inquiredUntil(request.reference, 'captured');
    expect(paid).toMatchObject({ money: money(1_000n), detail: expect.stringContaining('1.00') });
    expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: '10.00' }]);
  });

  it.each([
    ['authenticated', 1_000n],
    ['underpaid', 500n],
    ['overpaid', 1_100n],
  ])('comes too late (%s), and can be given back whole', async (outcome, amountMinor) => {
    const { request, asked } = await ordered();
    await bench.connector.void({ reference: request.reference, idempotencyKey: `${request.reference}/void` });
    await bench.press(asked, outcome);
    const account = asked.kind === 'payer_action' ? asked.action.fields?.iban : undefined;
    const received = await bench.event(account ?? request.reference, 'transfer_received');
    expect(received).toMatchObject({ money: money(amountMinor) });
    const refund = bench.refundOf(request, amountMinor);
    expect(await bench.connector.refund(refund)).toMatchObject({ kind: 'refunded', money: money(amountMinor) });
  });
}
