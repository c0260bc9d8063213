import { DomainError } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { PaymentRow } from '../../money/payments/payment';

/** The amount of a body in minor units. The payment says the currency. */
export function amountOf(body: { amount?: string }): ((payment: PaymentRow) => bigint) | undefined {
  const { amount } = body;
  if (amount === undefined) return undefined;
  return (payment) => {
    try {
      return parseAmount(amount, payment.currency);
    } catch (error) {
      const message = (error as Error).message;
      throw new DomainError('invalid_request', `amount ${message}`, { details: [{ field: 'amount', message }] });
    }
  };
}
