import type { Knex } from 'knex';
import type { PaymentTrace, ProcessorId } from '../../domain/connector';
import type { AttemptStatus } from '../../domain/states/attempt';
import type { PaymentRow } from './payment';

/**
 * One row of `payment_attempts`: a payment at one processor. Its authorization is this row; captures, voids, refunds and
 * receipts have rows of their own that name it.
 */
export interface AttemptRow {
  payment_id: string;
  processor: ProcessorId;
  tenant_id: string;
  /** The order in which the processors of a payment were tried, from 1. */
  number: number;
  status: AttemptStatus;
  detail: string;
  /** What the processor calls the payment. */
  processor_reference: string | null;
  /** How often the authorization was sent. */
  sends: number;
  /** When it was sent last; null: nobody asked for it. */
  sent_at: Date | null;
  /** When its processor, which did not know it, is asked whether it has charged late. */
  ask_again_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The attempt of a payment at a processor, by default the one that serves it. Undefined: it was never sent there. */
export function findAttempt(
  trx: Knex.Transaction,
  { id, processor: serving }: Pick<PaymentRow, 'id' | 'processor'>,
  processor: ProcessorId = serving,
): Promise<AttemptRow | undefined> {
  return trx('payment_attempts').where({ payment_id: id, processor }).first();
}

/** Where to look for a payment at a processor that cannot be asked by our id of it alone. */
export function traceOf(payment: PaymentRow, attempt: AttemptRow | undefined): PaymentTrace {
  return {
    processorReference: attempt?.processor_reference || undefined,
    sentAt: attempt?.sent_at ?? payment.created_at,
  };
}

/**
 * Writes down how a payment stands at a processor that has, or had, money for it without our asking. An attempt that is made
 * by this was never sent.
 */
export async function noteStanding(
  trx: Knex.Transaction,
  { id, tenant_id }: Pick<PaymentRow, 'id' | 'tenant_id'>,
  { processor, status, reference, detail }: Standing,
): Promise<void> {
  await trx.raw(
    `INSERT INTO payment_attempts AS a (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends)
     SELECT :id, :processor, :tenant_id, 1 + count(*), :status, :detail, :reference, 0 FROM payment_attempts
     WHERE payment_id = :id
     ON CONFLICT (payment_id, processor) DO UPDATE SET status = excluded.status, detail = excluded.detail,
       processor_reference = coalesce(excluded.processor_reference, a.processor_reference), updated_at = clock_timestamp()`,
    { id, tenant_id, processor, status, detail, reference: reference ?? null },
  );
}

interface Standing {
  processor: ProcessorId;
  status: Extract<AttemptStatus, 'captured' | 'authorized' | 'voided'>;
  reference?: string;
  detail: string;
}
