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

/** What the tenant owes an organization. A debit balance: the organization owes the tenant. */
export function payableTo(organizationId: string): AccountRef {
  return { kind: 'merchant_payable', owner: organizationId };
}

/** What a seller holds for the wallets that it has sold top-ups for: a debit balance. */
export function sellerFloatOf(organizationId: string): AccountRef {
  return { kind: 'seller_float', owner: organizationId };
}

/** What is held back of an organization's money for refunds and disputes to come. May not fall below zero. */
export function reserveOf(organizationId: string): AccountRef {
  return { kind: 'merchant_reserve', owner: organizationId };
}

/** Money on a tenant's own account at a bank. A debit balance: it is the tenant's. `accountId`: of `bank_accounts`. */
export function bankAccountOf(accountId: string): AccountRef {
  return { kind: 'bank_account', owner: accountId };
}

/** What is on its way to an organization's account. May not fall below zero. */
export function payoutClearingOf(organizationId: string): AccountRef {
  return { kind: 'payout_clearing', owner: organizationId };
}
