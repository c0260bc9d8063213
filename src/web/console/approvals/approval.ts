import type { RecordOf } from '../server/api';

export type Approval = RecordOf<'/approvals/1.0.0/approvals'>;
export type Kind = Approval['kind'];

/** Every kind; a new one of the API does not compile before it stands here. */
const KIND_ORDER: Record<Kind, number> = { item: 0, payment_link: 1, document: 2, customer: 3, payout_account: 4 };
export const KINDS = Object.keys(KIND_ORDER) as Kind[];
