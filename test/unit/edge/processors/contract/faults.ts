import { ProcessorUnavailable } from '../../../../../src/domain/connector';
import type { Bench } from './bench';
import { firstAnswer } from './means';

/** What a connector makes of a processor that is away, slow, or loses its own answers. */
export function describeFaults(bench: Bench): void {
  const first = firstAnswer(bench.usual.instrument.kind);
  const once = [{ requests: 2 }];

  describe('faults', () => {
    it('a connection refused charged nothing, but answers no question', async () => {
      const nobody = bench.spec.create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 2_000 });
      expect((await nobody.authorize(bench.order())).kind).toBe('not_charged');
      expect((await nobody.inquirePayment('pay_1')).kind).toBe('unknown');
      expect((await nobody.inquireRefund('ref_1')).kind).toBe('unknown');
      await expect(nobody.settlementReport('b1')).rejects.toThrow(ProcessorUnavailable);
    });

    it('a host that does not exist charged nothing', async () => {
      const nowhere = bench.spec.create({ baseUrl: 'http://nowhere.invalid', timeoutMs: 5_000 });
      expect((await nowhere.authorize(bench.order())).kind).toBe('not_charged');
    });

    it.each(['drop', 'close_before'])('%s: unknown, nothing charged, and the same key works later', async (fault) => {
      const request = bench.order();
      await bench.inject('authorize', fault, request.reference);
      expect((await bench.impatient.authorize(request)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('not_found');
      expect((await bench.connector.authorize(request)).kind).toBe(first);
      expect(await bench.chargesOf(request.reference)).toMatchObject(once);
    });

    it.each(['close_after', 'status_500'])('%s: unknown, charged once whatever follows', async (fault) => {
      const request = bench.order();
      await bench.inject('authorize', fault, request.reference);
      expect((await bench.connector.authorize(request)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe(first);
      expect((await bench.connector.authorize(request)).kind).toBe(first);
      expect(await bench.chargesOf(request.reference)).toMatchObject(once);
    });

    it('a processor that processes twice charges once', async () => {
      const request = bench.order();
      await bench.inject('authorize', 'duplicate', request.reference);
      expect((await bench.connector.authorize(request)).kind).toBe(first);
      expect(await bench.chargesOf(request.reference)).toMatchObject(once);
    });

    it.each(['close_after', 'status_500'])('a refund with %s happens once', async (fault) => {
      const request = await bench.paid();
      await bench.inject('refund', fault, request.reference);
      const refund = bench.refundOf(request, 1_000n);
      expect((await bench.connector.refund(refund)).kind).toBe('unknown');
      expect((await bench.connector.refund(refund)).kind).toBe('refunded');
      expect(await bench.chargesOf(request.reference)).toMatchObject([{ captured: '10.00', refunded: '10.00' }]);
    });

    it('a question that gets no answer leaves the outcome unknown', async () => {
      const request = bench.order();
      await bench.connector.authorize(request);
      await bench.inject('inquiry', 'status_500', request.reference);
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('unknown');
    });
  });
}
