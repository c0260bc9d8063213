import type { Callback, CallbackEffect } from '../../../domain/callback';
import type { ProcessorId } from '../../../domain/connector';
import { type EventAbout, isAbout } from '../../../domain/event-subject';
import type { CallbackView } from '../../../domain/flows';
import { endedWithoutMoney } from '../../../domain/states/payment';
import { findAttempt, traceOf } from '../attempt';
import { lockPayment, type PaymentRow } from '../payment';
import { recordArrival, takenMinor } from '../receipt';
import { becauseOf } from '../timeline-causes';
import { isOfAnotherAmount } from './callback';
import { done, hearLateRefundCallback } from './late-refund';
import type { Returning } from './return-receipt';

/** What each event says about money that came too late: it was taken, or is only held. Null: nothing about money. */
const SAYS: Record<EventAbout<'payment'>, 'taken' | 'held' | null> = {
  captured: 'taken',
  settled: 'taken',
  transfer_received: 'taken',
  authorized: 'held',
  authenticated: null,
  authentication_failed: null,
  voided: null,
  failed: null,
  pending: null,
  processing: null,
  unknown: null,
};

/**
 * Why a callback about a payment that has ended changes nothing: its processor says what is booked already. Undefined where it
 * may say more, or something else.
 */
export function nothingNew(payment: PaymentRow, { event, processor }: Callback): string | undefined {
  if (!isAbout('payment', event.type) || event.type === 'transfer_received') return undefined;
  if (event.money && isOfAnotherAmount(payment, event.money)) return undefined;
  const isUnexpected = processor !== payment.processor || endedWithoutMoney(payment.status);
  return isUnexpected && SAYS[event.type] ? undefined : `the payment is ${payment.status}`;
}

/** What a callback does whose flow has ended: late money is booked and given back, everything else is kept. */
export async function hearLateCallback(deps: Returning, callback: Callback): Promise<CallbackEffect<CallbackView>> {
  const { system } = deps.database;
  const { event, reference, processor } = callback;
  if (reference.startsWith('ref_')) return hearLateRefundCallback(deps, callback);
  const payment: PaymentRow = await system('payments').where({ id: reference }).first();
  if (isAbout('refund', event.type)) return done('flagged', 'a refund that nobody asked for');
  const nothing = nothingNew(payment, callback);
  if (nothing) return done('ignored', nothing);
  const says = isAbout('payment', event.type) ? SAYS[event.type] : null;
  const isTransfer = event.type === 'transfer_received';
  if (event.money && !isTransfer && isOfAnotherAmount(payment, event.money))
    return done('flagged', 'amount or currency differs from ours');
  const isUnexpected = processor !== payment.processor || endedWithoutMoney(payment.status);
  if (!says || !isUnexpected) return done(isTransfer ? 'flagged' : 'ignored', `the payment is ${payment.status}`);
  const total = isTransfer ? await totalAt(deps, payment, processor) : null;
  if (total === undefined)
    return {
      view: {
        state: 'applied',
        detail: 'the processor is asked how much it has in all',
        askAgainMs: deps.timers.inquiryFirstMs,
      },
    };
  const isNew = await deps.database.tenant(payment.tenant_id, async (trx) => {
    const current = await lockPayment(trx, payment.id);
    const money = event.money ?? { amountMinor: current.amount_minor, currency: current.currency };
    const unbooked = total === null ? money.amountMinor : total - (await takenMinor(trx, payment.id, processor));
    if (unbooked <= 0n || money.amountMinor <= 0n) return false;
    await recordArrival(trx, deps.ledger, current, {
      processor,
      processorReference: event.processorReference,
      money: unbooked < money.amountMinor ? { ...money, amountMinor: unbooked } : money,
      isTaken: says === 'taken',
      transferId: isTransfer ? (event.transferId ?? event.eventId) : undefined,
      detail:
        processor === current.processor
          ? 'Money arrived after this payment had ended; it is being returned.'
          : `Processor ${processor} took money after all, although another one serves this payment; it is being returned.`,
      cause: becauseOf.callback(callback),
    });
    return true;
  });
  return isNew
    ? done('applied', 'late money is on its way back')
    : done(total === 0n ? 'flagged' : 'ignored', 'the processor has no money that is not booked');
}

/**
 * All that a processor has taken for a payment, in minor units; undefined where it does not say now. It may have told of a
 * transfer before it announces it, or have given it back meanwhile.
 */
async function totalAt(
  { database, connectors }: Returning,
  payment: PaymentRow,
  processor: ProcessorId,
): Promise<bigint | undefined> {
  const attempt = await database.tenant(payment.tenant_id, (trx) => findAttempt(trx, payment, processor));
  const answer = await connectors.get(processor).inquirePayment(payment.id, traceOf(payment, attempt));
  if (answer.kind === 'captured') return answer.money.amountMinor;
  return answer.kind === 'unknown' || answer.kind === 'pending' ? undefined : 0n;
}
