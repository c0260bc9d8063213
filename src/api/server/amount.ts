import { refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { PaymentRow } from '../../money/payments/payment';

/** The amount of a body in minor units. The payment says the currency. */
export function amountOf(body: { amount?: string }): ((payment: PaymentRow) => bigint) | undefined {
  const { amount } = body;
  return amount === undefined ? undefined : (payment) => amountIn('amount', amount, payment.currency);
}

/** The amount in the member `field`, in minor units. Throws `invalid_request` if the currency has other decimals. */
export function amountIn(field: string, text: string, currency: string): bigint {
  try {
    return parseAmount(text, currency);
  } catch (error) {
    refuse(field, (error as Error).message);
  }
}
