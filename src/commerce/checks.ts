import type { Check } from '../money/books-check/check';
import { BANK_CHECKS } from './bank-transfers/bank-checks';
import { STOCK_CHECKS } from './orders/stock-checks';
import { PAYOUT_CHECKS } from './payouts/payout-checks';

/** What must hold on this shelf, for `auditBooks`: whoever audits hands it in with the books. */
export const COMMERCE_CHECKS: readonly Check[] = [...STOCK_CHECKS, ...PAYOUT_CHECKS, ...BANK_CHECKS];
