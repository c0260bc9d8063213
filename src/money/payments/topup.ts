import { TypeID } from 'typeid-js';
import { idFromUuid } from '../../domain/ids';
import { divideHalfEven } from '../../domain/money';
import { endedWithoutMoney } from '../../domain/states/payment';
import { type FeeTerms, feeOf } from '../fees/fee';
import type { PaymentRow } from './payment';

/** One row of `topups`: what a payment for a wallet has beside the payment. Amounts are minor units of `currency`. */
export interface TopupRow {
  id: string;
  tenant_id: string;
  customer_id: string;
  payment_id: string;
  currency: string;
  fee_terms: StoredTerms | null;
  /** On the amount asked for; from the capture on, on what was captured. */
  fee_minor: bigint;
  /** What refunds have given back of the fee, those under way included. */
  fee_returned_minor: bigint;
  /** The part that is still in `customer_incoming`. */
  incoming_minor: bigint;
  created_by: string;
  /** The organization that has sold it by a link. */
  seller_id: string | null;
  created_at: Date;
}

/** Fee terms as JSON keeps them: amounts as decimal text. */
type StoredTerms = { [Name in keyof FeeTerms]: FeeTerms[Name] extends bigint | undefined ? string : FeeTerms[Name] };

/** A top-up with its payment, as everybody sees it. */
export interface Topup {
  topup: TopupRow;
  payment: PaymentRow;
}

/** A top-up and its payment are one thing under two names: their ids carry the same UUID. */
export function paymentIdOf(topupId: string): string {
  return idFromUuid('payment', TypeID.fromString(topupId).toUUID());
}

export function topupIdOf(paymentId: string): string {
  return idFromUuid('topup', TypeID.fromString(paymentId).toUUID());
}

/** The fee on what was captured, by the terms that the top-up was accepted under; at most all of it. */
export function feeOnCapture({ fee_terms }: TopupRow, capturedMinor: bigint): bigint {
  if (!fee_terms) return 0n;
  const { fixedMinor, minimumMinor, maximumMinor, ...rest } = fee_terms;
  const fee = feeOf(
    {
      ...rest,
      fixedMinor: BigInt(fixedMinor),
      minimumMinor: BigInt(minimumMinor),
      ...(maximumMinor === undefined ? {} : { maximumMinor: BigInt(maximumMinor) }),
    },
    capturedMinor,
  );
  return fee < capturedMinor ? fee : capturedMinor;
}

/**
 * What a refund gives back of the fee: the share of all that is refunded by then, half to even, less what went back
 * before. The refund that completes a top-up returns the rest, to the minor unit, whatever was declined between.
 */
export function feeReturnedBy(topup: TopupRow, capturedMinor: bigint, refundedByThenMinor: bigint): bigint {
  const share = divideHalfEven(topup.fee_minor * refundedByThenMinor, capturedMinor);
  const back = share - topup.fee_returned_minor;
  return back > 0n ? back : 0n;
}

/** What reaches the wallet: of the amount asked for, then of what was captured. Nothing where no money was taken. */
export function netMinor({ topup, payment }: Topup): bigint {
  if (endedWithoutMoney(payment.status)) return 0n;
  return (payment.captured_minor || payment.amount_minor) - topup.fee_minor;
}
