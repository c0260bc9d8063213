import type { BodyOf, RecordOf } from '../server/api';

export type Fee = RecordOf<'/wallet/1.0.0/fees'>;
export type Limit = RecordOf<'/wallet/1.0.0/limits'>;
export type Operation = Fee['operation'];

const OPERATION_ORDER: Record<Operation, number> = { topup: 0, p2p: 1, link: 2, bank_transfer: 3 };
/** Every operation; a new one of the API does not compile before it stands here. */
export const OPERATIONS = Object.keys(OPERATION_ORDER) as Operation[];

/** What somebody has written about a fee, as text. */
export interface FeeText {
  operation: Operation;
  currency: string;
  fixed: string;
  basisPoints: string;
  minimum: string;
  maximum: string;
  payer: 'sender' | 'recipient';
  from: string;
}

/** What is the same in a quote and in a new version. What was left empty is left out. */
export function termsOf({ fixed, basisPoints, minimum, maximum, payer }: FeeText) {
  return {
    ...(fixed && { fixed }),
    // Not a number yet: the API names what is wrong with it.
    ...(basisPoints && { basisPoints: Number(basisPoints) }),
    ...(minimum && { minimum }),
    ...(maximum && { maximum }),
    payer,
  } satisfies Partial<BodyOf<'/wallet/1.0.0/fees', 'put'>>;
}
