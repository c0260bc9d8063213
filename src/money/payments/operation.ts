import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { RESULT } from '../../domain/result-codes';
import { isClosed } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import type { Ledger } from '../ledger/ledger';
import type { Noting } from './noting';
import { end } from './outcome';
import { lockPayment, type OperationRow, type PaymentRow } from './payment';
import { applyChange } from './transition';

export interface OperationOrder {
  /** Chosen by who orders it; the same order twice is one operation. */
  operationId: string;
  kind: OperationRow['kind'];
  /** What is to be captured, in minor units; absent: all that was authorized. */
  amountFor?: (payment: PaymentRow) => bigint;
  note?: Noting;
}

interface Rule {
  isAllowed: (payment: PaymentRow) => boolean;
  done: string;
}

const RULES: Record<OperationRow['kind'], Rule> = {
  capture: { isAllowed: ({ status }) => status === 'authorized', done: 'captured' },
  void: { isAllowed: ({ status }) => !isClosed(status), done: 'cancelled' },
};

/**
 * Writes down what is about to be asked of the processor, before anything is sent: from here on it is carried out, whoever
 * dies. A payment that was never sent is cancelled at once, and never will be. Throws `not_found`, `invalid_state` and
 * `capture_exceeds_authorized`.
 */
export function orderOperation(
  { database, ledger }: { database: Database; ledger: Ledger },
  { tenantId, paymentId }: { tenantId: string; paymentId: string },
  order: OperationOrder,
): Promise<{ payment: PaymentRow; operation: OperationRow }> {
  return database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const known: OperationRow | undefined = await trx('payment_operations').where({ id: order.operationId }).first();
    if (known) return { payment, operation: known };
    const amountMinor = await checked(trx, payment, order);
    const isUnsent = payment.status === 'initiated' && payment.attempts === 0;
    const [operation]: OperationRow[] = await trx('payment_operations')
      .insert({
        id: order.operationId,
        tenant_id: tenantId,
        payment_id: paymentId,
        kind: order.kind,
        processor: payment.attempts > 0 ? payment.processor : null,
        amount_minor: amountMinor,
        status: isUnsent ? 'succeeded' : 'pending',
        cause: order.kind,
      })
      .returning('*');
    await order.note?.(trx, payment, { operationId: order.operationId });
    if (isUnsent) return { payment: await cancelUnsent(trx, ledger, payment), operation: operation! };
    // Whoever has read the payment before and decides now, such as on an answer that has just come, reads it again.
    await trx('payments')
      .where({ id: paymentId })
      .update({ version: payment.version + 1 });
    return { payment: { ...payment, version: payment.version + 1 }, operation: operation! };
  });
}

/**
 * Writes down that a payment is voided because its time is up, before that is sent. Undefined where it has ended meanwhile,
 * or somebody else's operation is under way: that one decides.
 */
export function orderExpiry(
  database: Database,
  { tenantId, paymentId }: { tenantId: string; paymentId: string },
): Promise<OperationRow | undefined> {
  return database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const busy = await pendingOperation(trx, paymentId);
    if (busy || isClosed(payment.status)) return busy?.cause === 'expiry' ? busy : undefined;
    const [operation]: OperationRow[] = await trx('payment_operations')
      .insert({
        id: newId('cancellation'),
        tenant_id: tenantId,
        payment_id: paymentId,
        kind: 'void',
        processor: payment.processor,
        amount_minor: payment.amount_minor,
        status: 'pending',
        cause: 'expiry' satisfies OperationRow['cause'],
      })
      .returning('*');
    return operation;
  });
}

/** Why a payment, of which `busy` is under way, takes no such operation now; undefined where it does. */
export function refusalOf(
  payment: PaymentRow,
  kind: OperationRow['kind'],
  busy: OperationRow | undefined,
): DomainError | undefined {
  if (busy) return new DomainError('invalid_state', `a ${busy.kind} of this payment is still running`);
  const { isAllowed, done } = RULES[kind];
  if (isAllowed(payment)) return undefined;
  return new DomainError('invalid_state', `a payment that is ${payment.status} cannot be ${done}`);
}

/** The amount of an order that the payment allows. */
async function checked(
  trx: Knex.Transaction,
  payment: PaymentRow,
  { kind, amountFor }: OperationOrder,
): Promise<bigint> {
  const refusal = refusalOf(payment, kind, await pendingOperation(trx, payment.id));
  if (refusal) throw refusal;
  if (kind === 'void') return payment.amount_minor;
  const amountMinor = amountFor?.(payment) ?? payment.authorized_minor;
  if (amountMinor > payment.authorized_minor)
    throw new DomainError('capture_exceeds_authorized', 'the amount exceeds what was authorized');
  return amountMinor;
}

function cancelUnsent(trx: Knex.Transaction, ledger: Ledger, payment: PaymentRow): Promise<PaymentRow> {
  const detail = 'Cancelled before anything was sent.';
  return applyChange(trx, ledger, payment, end(payment, 'cancelled', RESULT.cancelled, detail, 'void'), {
    forgetCvv: payment.card_id !== null,
    announce: true,
  });
}

/** The capture or void that has no answer yet. */
export function pendingOperation(trx: Knex.Transaction, paymentId: string): Promise<OperationRow | undefined> {
  return trx('payment_operations').where({ payment_id: paymentId, status: 'pending' }).first();
}
