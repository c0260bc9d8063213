import type { PaymentInput, PaymentView } from '../src/domain/flows';
import { evenWhenCancelled } from './flow';
import { runPayment } from './payment';

/** One top-up: the payment that puts money into a customer's wallet, with the same steps, signals and updates. */
export function topup(input: PaymentInput): Promise<PaymentView> {
  return evenWhenCancelled(() => runPayment(input));
}
