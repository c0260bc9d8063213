import { RESULT } from '../../../../../src/domain/result-codes';
import type { Bench } from './bench';
import type { Means } from './means';

/** Collections from an account: nobody acts, and the money comes when the collection is due. */
export function describeDebit(bench: Bench, means: Means): void {
  const money = (amountMinor: bigint) => ({ amountMinor, currency: means.currency });

  describe(`${means.title}`, () => {
    it('is accepted, and collected later', async () => {
      const request = bench.order(means);
      const accepted = await bench.connector.authorize(request);
      expect(accepted).toMatchObject({ kind: 'pending', detail: expect.any(String), expectedBy: expect.any(String) });
      expect(await bench.event(request.reference, 'captured')).toMatchObject({ money: money(1_000n) });
      expect(await bench.connector.inquirePayment(request.reference)).toMatchObject({
        kind: 'captured',
        money: money(1_000n),
      });
    });

    it.each([
      [1_002n, RESULT.declined],
      [1_095n, RESULT.insufficientFunds],
    ])('is declined by amount: %s', async (amountMinor, code) => {
      const answer = await bench.connector.authorize(bench.order(means, { money: money(amountMinor) }));
      expect(answer).toMatchObject({ kind: 'declined', code });
    });

    it('is charged, and never answered: found by asking, and told late', async () => {
      const request = bench.order(means, { money: money(1_075n) });
      expect((await bench.impatient.authorize(request)).kind).toBe('unknown');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('captured');
      await bench.event(request.reference, 'captured');
    });
  });
}
