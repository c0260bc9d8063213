/** The states of an item of the inventory. Only an approved one can be ordered. */
export const ITEM_STATUSES = ['pending_approval', 'approved', 'rejected'] as const;

export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** What a tenant admin may decide. */
export const ITEM_DECISIONS = ['approved', 'rejected'] as const;

export type ItemDecision = (typeof ITEM_DECISIONS)[number];
