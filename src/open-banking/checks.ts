import type { Check } from '../money/books-check/check';
import { BANK_PAYMENT_CHECKS } from './payments/payment-checks';

/** What must hold for what third parties initiate. */
export const OPEN_BANKING_CHECKS: readonly Check[] = BANK_PAYMENT_CHECKS;
