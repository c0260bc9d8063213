import { payableTo, sellerFloatOf } from './accounts';
import { floatCause } from './causes';
import type { Movement } from './ledger';

/**
 * What a seller of wallet money gets for it: each movement into or out of the wallet moves as much between the tenant and
 * the seller, in the same phase. So the seller holds what lies in the wallets that it has sold for, whatever becomes of a
 * top-up: refunds and chargebacks take from both what they take from the wallet.
 */
export function withSellerFloat(sellerId: string | null, movements: readonly Movement[]): Movement[] {
  if (sellerId === null) return [...movements];
  const [float, payable] = [sellerFloatOf(sellerId), payableTo(sellerId)];
  return movements.flatMap((movement) => {
    const isIn = movement.credit.kind === 'customer_wallet';
    const isOut = movement.debit.kind === 'customer_wallet';
    if (isIn === isOut) return [movement];
    const sides = isIn ? { debit: float, credit: payable } : { debit: payable, credit: float };
    const shared = { ...sides, amountMinor: movement.amountMinor, cause: floatCause(movement.cause) };
    const mirrored: Movement =
      'pendingCause' in movement
        ? { ...shared, phase: movement.phase, pendingCause: floatCause(movement.pendingCause) }
        : { ...shared, phase: movement.phase };
    return [movement, mirrored];
  });
}
