/**
 * Why a payer need not authenticate, although the tenant asks for it: a low value (RTS, Delegated Regulation (EU) 2018/389,
 * article 16), or a payment that the merchant initiates under an agreement that its payer has authenticated.
 */
export const EXEMPTIONS = ['low_value', 'merchant_initiated'] as const;
export type Exemption = (typeof EXEMPTIONS)[number];
