import type { ProcessorEvent } from '../../domain/connector';
import { RESULT, type ResultCode } from '../../domain/result-codes';

/** The words of a processor, and what each of them means to us. */

/** How a payment stands. `challenge` is 3-D Secure, `payer_action` everything else that the payer has to do. */
export type PaymentMeaning =
  | 'authorized'
  | 'captured'
  | 'challenge'
  | 'payer_action'
  | 'declined'
  | 'authentication_failed'
  | 'voided';

export type RefundMeaning = 'refunded' | 'refund_declined';

export interface Decline {
  code: ResultCode;
  detail: string;
  /** For want of authentication alone. */
  soft?: boolean;
}

/** The issuer wants the payer to authenticate. The code is for those whose payer cannot be asked. */
export const SOFT_DECLINE: Decline = {
  code: RESULT.authenticationFailed,
  detail: 'The issuer wants the payer to authenticate.',
  soft: true,
};

/** Looks a word up. Undefined for a word that is not in the table. */
export function meanings<Meaning>(table: Record<string, Meaning>): (word: unknown) => Meaning | undefined {
  // A map, because the table itself would also find a word such as "constructor".
  const known = new Map<unknown, Meaning>(Object.entries(table));
  return (word) => known.get(word);
}

/** Looks up what an event is. An unknown word means that something goes on: pending. */
export function eventTypes(table: Record<string, ProcessorEvent['type']>): (word: string) => ProcessorEvent['type'] {
  const known = meanings(table);
  return (word) => known(word) ?? 'pending';
}

/** Looks up why a payment was declined. An unknown reason is a plain decline. */
export function declines(plainDetail: string, table: Record<string, Decline>): (reason: string | undefined) => Decline {
  const known = meanings(table);
  return (reason) => known(reason) ?? { code: RESULT.declined, detail: plainDetail };
}
