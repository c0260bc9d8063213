import type { AccountRef } from './ledger';

/** The tenant in whose books money lies that no tenant can be told from: the platform itself. A migration makes it. */
export const PLATFORM_TENANT = 'ten_platform';

/** The customer's available money; what is held of it is on its way out. May not fall below zero. */
export function walletOf(customerId: string): AccountRef {
  return { kind: 'customer_wallet', owner: customerId };
}

/** Captured for the customer's wallet and not settled yet. May not fall below zero. */
export function incomingOf(customerId: string): AccountRef {
  return { kind: 'customer_incoming', owner: customerId };
}

/** What the customer owes the tenant: a debit balance. */
export function owedBy(customerId: string): AccountRef {
  return { kind: 'customer_receivable', owner: customerId };
}

/** What the tenant earned in fees. */
export function feeIncomeOf(tenantId: string): AccountRef {
  return { kind: 'fee_income', owner: tenantId };
}
