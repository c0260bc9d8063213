import fc from 'fast-check';
import { countTowards } from '../../../../src/commerce/bank-transfers/entry';
import type { BankTransferRequestRow } from '../../../../src/commerce/bank-transfers/request';

const request = (amountMinor: bigint, status: BankTransferRequestRow['status'] = 'open') =>
  ({ amount_minor: amountMinor, received_minor: 0n, status }) as BankTransferRequestRow;

const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });

test('whatever comes in whatever parts: what is not kept goes back, and no more than was asked for is kept', () => {
  fc.assert(
    fc.property(amount, fc.array(amount, { maxLength: 20 }), (wanted, parts) => {
      let now = request(wanted);
      let back = 0n;
      for (const part of parts) {
        const count = countTowards(now, part);
        now = count.request;
        back += count.excessMinor;
      }
      const came = parts.reduce((sum, part) => sum + part, 0n);
      const kept = came - back;
      const isPaid = came >= wanted;
      expect(kept).toBe(isPaid ? wanted : came);
      expect(now.status).toBe(isPaid ? 'paid' : 'open');
      // The database refuses any other.
      expect(now.status === 'paid').toBe(now.received_minor >= now.amount_minor);
    }),
  );
});

test('what ended takes nothing, and leaves it to the flow of its payment', () => {
  fc.assert(
    fc.property(amount, amount, (wanted, part) => {
      expect(countTowards(request(wanted, 'closed'), part)).toMatchObject({
        status: 'late',
        excessMinor: 0n,
        request: { received_minor: 0n, status: 'closed' },
      });
    }),
  );
});
