import { formatAmount, type Money } from '../../domain/money';

/** What is said of money that payers send themselves, which may be less or more than was asked for. */

/** Describes a payment of which only a part has arrived. */
export function partlyArrived(received: Money, asked: Money): string {
  return `${written(received)} of ${written(asked)} has arrived; waiting for the rest.`;
}

/** Describes an overpaid captured payment. Undefined when no more arrived than was captured. */
export function excessReturned(received: Money | undefined, captured: Money): string | undefined {
  if (!received || received.amountMinor <= captured.amountMinor) return undefined;
  const excess = { ...captured, amountMinor: received.amountMinor - captured.amountMinor };
  return `Approved and captured. The payer sent ${written(received)}; the processor returns the excess of ${written(excess)}.`;
}

function written({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}
