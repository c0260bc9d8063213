import { randomUUID } from 'node:crypto';
import { formatAmount } from '../../../../../src/domain/money';
import { type Bench, stringOfBigint } from './bench';
import { firstAnswer } from './means';

/** What every connector does with a payment, whatever it was paid with. */
export function describeOperations(bench: Bench): void {
  const { manualCapture, partialRefund } = bench.capabilities;
  const { currency } = bench.usual;
  const first = firstAnswer(bench.usual.instrument.kind);
  const money = (amountMinor: bigint) => ({ amountMinor, currency });
  const written = (amountMinor: bigint) => formatAmount(amountMinor, currency);

  describe('idempotency', () => {
    it('charges once for one key, however often it is sent', async () => {
      const request = bench.order();
      const answers = await Promise.all(Array.from({ length: 5 }, () => bench.connector.authorize(request)));
      expect(answers[0]?.kind).toBe(first);
      expect(new Set(answers.map((answer) => JSON.stringify(answer, stringOfBigint))).size).toBe(1);
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ amount: written(1_000n), requests: 5 }]);
    });

    it('does not take another request under a used key for an answer', async () => {
      const request = bench.order();
      await bench.connector.authorize(request);
      const other = { ...bench.order(), idempotencyKey: request.idempotencyKey };
      expect((await bench.connector.authorize(other)).kind).toBe('unknown');
      expect(await bench.chargesOf(other.reference)).toEqual([]);
    });
  });

  if (manualCapture) describeManualCapture(bench);

  describe('after the capture', () => {
    it('tells that a captured payment was not voided', async () => {
      const { reference } = await bench.paid();
      const answer = await bench.connector.void({ reference, idempotencyKey: `${reference}/v` });
      expect(answer).toMatchObject({ kind: 'refused', standing: { kind: 'captured' } });
    });

    it('tells that a captured payment is captured', async () => {
      const { reference } = await bench.paid();
      const capture = { reference, idempotencyKey: `${reference}/c`, money: money(1_000n) };
      expect(await bench.connector.capture(capture)).toMatchObject({ kind: 'captured', money: money(1_000n) });
      expect(await bench.chargesOf(reference)).toMatchObject([{ captured: written(1_000n) }]);
    });

    it('refunds, once per key and reference, and never more than was captured', async () => {
      const request = await bench.paid();
      const amountMinor = partialRefund ? 600n : 1_000n;
      const refund = bench.refundOf(request, amountMinor);
      expect(await bench.connector.refund(refund)).toMatchObject({ kind: 'refunded', money: money(amountMinor) });
      expect(await bench.connector.refund(refund)).toMatchObject({ kind: 'refunded', money: money(amountMinor) });
      const again = { ...refund, idempotencyKey: `${refund.idempotencyKey}/another` };
      expect((await bench.connector.refund(again)).kind).toBe('refunded');
      expect((await bench.connector.refund(bench.refundOf(request, 600n))).kind).toBe('refund_declined');
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ refunded: written(amountMinor) }]);
      expect(await bench.connector.inquireRefund(refund.refundReference)).toMatchObject({
        kind: 'refunded',
        money: money(amountMinor),
      });
      expect(await bench.connector.inquirePayment(request.reference)).toMatchObject({
        kind: 'captured',
        money: money(1_000n),
      });
    });

    it('does not know what it was never told', async () => {
      expect(await bench.connector.inquirePayment(`pay_${randomUUID()}`)).toEqual({ kind: 'not_found' });
      expect(await bench.connector.inquireRefund(`ref_${randomUUID()}`)).toEqual({ kind: 'not_found' });
      const capture = { reference: `pay_${randomUUID()}`, idempotencyKey: 'n', money: money(1n) };
      expect(await bench.connector.capture(capture)).toEqual({ kind: 'not_found' });
    });
  });

  describe('settlement', () => {
    it('reports every movement of a payment once', async () => {
      const request = await bench.paid();
      const refund = bench.refundOf(request, partialRefund ? 400n : 1_000n);
      await bench.connector.refund(refund);
      const lines = await settledLines(bench, request.reference, 2);
      lines.sort((one, other) => one.kind.localeCompare(other.kind));
      expect(lines).toEqual([
        expect.objectContaining({
          kind: 'capture',
          reference: request.reference,
          money: money(1_000n),
          feeMinor: bench.spec.feeMinor,
        }),
        expect.objectContaining({
          kind: 'refund',
          reference: refund.refundReference,
          money: refund.money,
          feeMinor: 0n,
        }),
      ]);
      expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(2);
    });

    it('lists its batches from a time on, oldest first', async () => {
      const since = new Date(Date.now() - 60_000).toISOString();
      const { reference } = await bench.paid();
      for (;;) {
        const batches = await bench.connector.settlementBatches(since);
        const reports = await Promise.all(batches.map((batchId) => bench.connector.settlementReport(batchId)));
        const times = reports.map(({ closedAt }) => closedAt);
        expect(times).toEqual([...times].sort());
        if (reports.some(({ lines }) => lines.some((line) => line.reference === reference))) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await bench.connector.settlementBatches('2999-01-01T00:00:00.000Z')).toEqual([]);
    });

    it.each(['', '{}', '[]', '{"batches":[{"batchId":1}],"hasMore":false}'])('no list of batches: %s', async (body) => {
      const list = bench.asking({ body }).settlementBatches('2026-01-01T00:00:00.000Z');
      await expect(list).rejects.toThrow('settlement list');
    });

    it('has no report of a batch that is not there', async () => {
      await expect(bench.connector.settlementReport('nothing')).rejects.toThrow('settlement report');
    });
  });
}

function describeManualCapture(bench: Bench): void {
  const { currency } = bench.usual;
  const money = (amountMinor: bigint) => ({ amountMinor, currency });

  describe('after the authorization', () => {
    it('captures a part once', async () => {
      const { reference } = await bench.paid({ capture: false });
      const capture = { reference, idempotencyKey: `payment/${reference}/capture`, money: money(400n) };
      expect(await bench.connector.capture(capture)).toMatchObject({ kind: 'captured', money: money(400n) });
      expect(await bench.connector.capture(capture)).toMatchObject({ kind: 'captured', money: money(400n) });
      expect(await bench.chargesOf(reference)).toMatchObject([{ captured: '4.00' }]);
      expect(await bench.connector.inquirePayment(reference)).toMatchObject({ kind: 'captured', money: money(400n) });
    });

    it('does not capture more than was authorized', async () => {
      const { reference } = await bench.paid({ capture: false });
      const answer = await bench.connector.capture({ reference, idempotencyKey: 'm', money: money(1_001n) });
      expect(answer.kind).toBe('refused');
      expect(await bench.chargesOf(reference)).toMatchObject([{ captured: '0.00', status: 'authorized' }]);
    });

    it('voids, and then does not capture', async () => {
      const { reference } = await bench.paid({ capture: false });
      const call = { reference, idempotencyKey: `payment/${reference}/void` };
      expect((await bench.connector.void(call)).kind).toBe('voided');
      expect((await bench.connector.void(call)).kind).toBe('voided');
      const capture = { reference, idempotencyKey: `${call.idempotencyKey}/c`, money: money(1_000n) };
      const refused = await bench.connector.capture(capture);
      expect(refused).toMatchObject({ kind: 'refused', standing: { kind: 'voided' } });
      expect((await bench.connector.inquirePayment(reference)).kind).toBe('voided');
    });

    it('captures once, whatever becomes of the answer', async () => {
      const { reference } = await bench.paid({ capture: false });
      await bench.inject('capture', 'close_after', reference);
      const capture = { reference, idempotencyKey: `${reference}/c`, money: money(1_000n) };
      expect((await bench.connector.capture(capture)).kind).toBe('unknown');
      expect((await bench.connector.capture(capture)).kind).toBe('captured');
      expect(await bench.chargesOf(reference)).toMatchObject([{ captured: '10.00' }]);
    });
  });
}

async function settledLines(bench: Bench, paymentReference: string, count: number) {
  const lines = [];
  const seen = new Set<string>();
  while (lines.length < count) {
    for (const { batchId } of bench.events()) {
      if (!batchId || seen.has(batchId)) continue;
      seen.add(batchId);
      const report = await bench.connector.settlementReport(batchId);
      expect(report.batchId).toBe(batchId);
      lines.push(...report.lines.filter((line) => line.paymentReference === paymentReference));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return lines;
}
