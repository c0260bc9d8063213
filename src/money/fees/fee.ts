import { divideHalfEven } from '../../domain/money';
import type { Operation } from '../../domain/operation';

/** Who pays the fee. A top-up has only the customer on both sides, so its fee is taken out of the amount. */
export const PAYERS = ['sender', 'recipient'] as const;
export type Payer = (typeof PAYERS)[number];

/** What an operation costs; all amounts in minor units of the operation's currency. */
export interface FeeTerms {
  fixedMinor: bigint;
  /** Hundredths of a percent of the amount. */
  basisPoints: number;
  minimumMinor: bigint;
  maximumMinor?: bigint;
  payer: Payer;
}

/** A fee as it is charged. */
export interface Fee {
  feeMinor: bigint;
  payer: Payer;
  /** The terms it was computed by; null where the tenant charges nothing for the operation. */
  terms: FeeTerms | null;
  /** What leaves the sender: the amount, and the fee where the sender pays it. */
  totalMinor: bigint;
  /** What reaches the recipient: the amount, less the fee where the recipient pays it. */
  netMinor: bigint;
}

/** The fee of an amount: fixed part and share, the share rounded half to even, within minimum and maximum. */
export function feeOf({ fixedMinor, basisPoints, minimumMinor, maximumMinor }: FeeTerms, amountMinor: bigint): bigint {
  const fee = fixedMinor + divideHalfEven(amountMinor * BigInt(basisPoints), 10_000n);
  if (fee < minimumMinor) return minimumMinor;
  return maximumMinor !== undefined && fee > maximumMinor ? maximumMinor : fee;
}

/** What an operation on an amount costs by these terms, and what leaves and arrives. */
export function feeBy(operation: Operation, terms: FeeTerms | null, amountMinor: bigint): Fee {
  const feeMinor = terms ? feeOf(terms, amountMinor) : 0n;
  const payer = operation === 'topup' ? 'recipient' : (terms?.payer ?? 'sender');
  return {
    feeMinor,
    payer,
    terms,
    totalMinor: payer === 'sender' ? amountMinor + feeMinor : amountMinor,
    netMinor: payer === 'recipient' ? amountMinor - feeMinor : amountMinor,
  };
}
