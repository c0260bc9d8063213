/** What fees are charged for and limits are set on. */
export const OPERATIONS = ['topup', 'p2p', 'link', 'bank_transfer'] as const;
export type Operation = (typeof OPERATIONS)[number];
