import type { Knex } from 'knex';
import type { DomainError } from '../../domain/errors';
import { pendingOperation, refusalOf } from './operation';
import { type PaymentRow, untouchedMinor } from './payment';
import { refusalOfRefund } from './refunds';

export const ACTS = ['capture', 'cancel', 'refund'] as const;

/** What a merchant may do with a payment now, by the rules that the act itself is held to. */
export interface Act {
  act: (typeof ACTS)[number];
  /** The most that it can be about, in minor units of the payment's currency. Absent: it is not possible. */
  mostMinor?: bigint;
  refusal?: DomainError;
}

/** Each act with its limit, or with the error that it would answer. It may have changed by the time of the act. */
export async function actsOn(trx: Knex.Transaction, payment: PaymentRow): Promise<Act[]> {
  const busy = await pendingOperation(trx, payment.id);
  return [
    actOf('capture', refusalOf(payment, 'capture', busy), payment.authorized_minor),
    actOf('cancel', refusalOf(payment, 'void', busy), payment.amount_minor),
    actOf('refund', refusalOfRefund(payment), untouchedMinor(payment)),
  ];
}

function actOf(act: Act['act'], refusal: DomainError | undefined, mostMinor: bigint): Act {
  return refusal ? { act, refusal } : { act, mostMinor };
}
