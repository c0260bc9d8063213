import fc from 'fast-check';
import { divideHalfEven, formatAmount } from '../../../../src/domain/money';
import { OPERATIONS } from '../../../../src/domain/operation';
import { type FeeTerms, feeBy, feeOf } from '../../../../src/money/fees/fee';

const amount = fc.bigInt({ min: 1n, max: 9_223_372_036_854_775_807n });
const small = fc.bigInt({ min: 0n, max: 1_000_000n });
const terms: fc.Arbitrary<FeeTerms> = fc
  .record({
    fixedMinor: small,
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    minimumMinor: small,
    over: fc.option(small, { nil: undefined }),
    payer: fc.constantFrom('sender' as const, 'recipient' as const),
  })
  .map(({ over, ...rest }) => ({ ...rest, ...(over !== undefined && { maximumMinor: rest.minimumMinor + over }) }));
const share = (basisPoints: number): FeeTerms => ({ fixedMinor: 0n, basisPoints, minimumMinor: 0n, payer: 'sender' });

test.each([
  // 2.5 %: the halves of 0.5, 1.5, 2.5 go to the even neighbour.
  [20n, 250, 0n],
  [60n, 250, 2n],
  [100n, 250, 2n],
  [140n, 250, 4n],
  [101n, 250, 3n],
  [99n, 250, 2n],
  [1n, 5_000, 0n],
  [3n, 5_000, 2n],
  [1n, 5_001, 1n],
  [1n, 4_999, 0n],
])('%s minor units at %s basis points cost %s', (amountMinor, basisPoints, fee) => {
  expect(feeOf(share(basisPoints), amountMinor)).toBe(fee);
});

test('the same share in currencies with no, two and three decimals', () => {
  const shown = (text: bigint, currency: string) => formatAmount(feeOf(share(290), text), currency);
  expect([shown(1_000n, 'JPY'), shown(1_000n, 'EUR'), shown(10_000n, 'KWD')]).toEqual(['29', '0.29', '0.290']);
});

test('a share is never off by more than half a minor unit, and a tie is even', () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (amountMinor, basisPoints) => {
      const fee = feeOf(share(basisPoints), amountMinor);
      const off = 2n * (fee * 10_000n - amountMinor * BigInt(basisPoints));
      expect(off >= -10_000n && off <= 10_000n).toBe(true);
      if (off === 10_000n || off === -10_000n) expect(fee % 2n).toBe(0n);
    }),
    { numRuns: 2_000 },
  );
});

test('rounding half to even is exact for whole quotients and symmetric between them', () => {
  fc.assert(
    fc.property(small, fc.bigInt({ min: 1n, max: 1_000_000n }), small, (quotient, divisor, extra) => {
      expect(divideHalfEven(quotient * divisor, divisor)).toBe(quotient);
      const rest = extra % divisor;
      const rounded = divideHalfEven(quotient * divisor + rest, divisor);
      expect(rounded - quotient).toBe(2n * rest > divisor || (2n * rest === divisor && quotient % 2n === 1n) ? 1n : 0n);
    }),
  );
});

test('a fee keeps within minimum and maximum, and never falls when the amount grows', () => {
  fc.assert(
    fc.property(terms, amount, amount, (given, one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      const fees = [feeOf(given, less), feeOf(given, more)] as const;
      expect(fees[0] <= fees[1]).toBe(true);
      for (const fee of fees) {
        expect(fee >= given.minimumMinor).toBe(true);
        if (given.maximumMinor !== undefined) expect(fee <= given.maximumMinor).toBe(true);
      }
    }),
  );
});

test('what leaves the sender is what arrives and the fee, whoever pays it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...OPERATIONS), fc.option(terms), amount, (operation, given, amountMinor) => {
      const { feeMinor, totalMinor, netMinor, payer } = feeBy(operation, given, amountMinor);
      expect(totalMinor).toBe(netMinor + feeMinor);
      expect(payer === 'sender' ? netMinor : totalMinor).toBe(amountMinor);
      if (operation === 'topup') expect(totalMinor).toBe(amountMinor);
      if (!given) expect(feeMinor).toBe(0n);
    }),
  );
});
