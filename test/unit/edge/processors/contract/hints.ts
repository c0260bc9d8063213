import { ProcessorUnavailable } from '../../../../../src/domain/connector';
import type { Bench } from './bench';

/** Callbacks that nobody signed: what is true is asked of the processor. */
export function describeHints(bench: Bench): void {
  const hint = (reference: string, type: 'failed' | 'captured' | 'charged_back') => ({
    eventId: `hint_${reference}`,
    reference,
    type,
    processorStatus: type,
  });
  const confirm: NonNullable<Bench['connector']['confirm']> = (event) => bench.connector.confirm!(event);

  describe('unsigned callbacks', () => {
    it('cannot make a payment fail that did not', async () => {
      const { reference, money } = await bench.paid();
      expect(await confirm(hint(reference, 'failed'))).toMatchObject({ reference, type: 'captured', money });
    });

    it('cannot make a payment succeed that did not', async () => {
      const request = bench.cardOrder('4000000000000002');
      await bench.connector.authorize(request);
      expect((await confirm(hint(request.reference, 'captured')))?.type).toBe('failed');
    });

    it('say nothing about what the processor does not know', async () => {
      expect(await confirm(hint('pay_nobody', 'captured'))).toBeUndefined();
    });

    it('wait while the processor cannot be asked', async () => {
      const away = bench.spec.create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 1_000 });
      await expect(away.confirm!(hint('pay_1', 'captured'))).rejects.toThrow(ProcessorUnavailable);
    });
  });
}
