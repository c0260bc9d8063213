import type { Callback, CallbackEffect } from '../../../domain/callback';
import { type EventAbout, isAbout } from '../../../domain/event-subject';
import type { CallbackView } from '../../../domain/flows';
import { endedWithoutMoney } from '../../../domain/states/payment';
import type { Database } from '../../../foundation/db/database';
import type { Ledger } from '../../ledger/ledger';
import * as bookings from '../bookings';
import type { PaymentChange } from '../change';
import { lockPayment, type PaymentRow, type RefundRow } from '../payment';
import { becauseOf, type TimelineCause } from '../timeline-causes';
import { applyChange } from '../transition';
import { isOfAnotherAmount } from './callback';
import { type LateMoney, type Sending, sendLateReturn } from './send';

export interface Returning extends Sending {
  database: Database;
  ledger: Ledger;
}

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

/** What a callback does whose flow has ended: late money is booked and given back, everything else is kept. */
export async function hearLateCallback(deps: Returning, callback: Callback): Promise<CallbackEffect<CallbackView>> {
  const { system } = deps.database;
  const { event, reference, processor } = callback;
  if (reference.startsWith('ref_')) {
    const refund: RefundRow = await system('refunds').where({ id: reference }).first();
    return done('ignored', `the refund is ${refund.status}`);
  }
  const payment: PaymentRow = await system('payments').where({ id: reference }).first();
  const says = isAbout('payment', event.type) ? SAYS[event.type] : null;
  const isTransfer = event.type === 'transfer_received';
  if (event.money && !isTransfer && isOfAnotherAmount(payment, event.money))
    return done('flagged', 'amount or currency differs from ours');
  const isUnexpected = processor !== payment.processor || endedWithoutMoney(payment.status);
  if (!says || !isUnexpected) return done(isTransfer ? 'flagged' : 'ignored', `the payment is ${payment.status}`);
  const money = event.money ?? { amountMinor: payment.amount_minor, currency: payment.currency };
  const late = { processor, processorReference: event.processorReference, money, isTaken: says === 'taken' };
  return returnLateMoney(deps, payment, late, becauseOf.callback(callback));
}

function done(state: CallbackView['state'], detail: string): CallbackEffect<CallbackView> {
  return { view: { state, detail }, end: state, detail };
}

/** Real money for a payment that ended without: into suspense, flagged, then back to the payer under a stable key. */
async function returnLateMoney(
  deps: Returning,
  payment: PaymentRow,
  late: LateMoney,
  cause: TimelineCause,
): Promise<CallbackEffect<CallbackView>> {
  await noteArrival(deps, payment, late, cause);
  const answer = await sendLateReturn(deps, payment, late);
  if (answer.kind === 'unknown' || answer.kind === 'pending' || answer.kind === 'not_charged') {
    const askAgainMs = deps.timers.inquiryFirstMs;
    return { view: { state: 'applied', detail: 'late money is on its way back', askAgainMs } };
  }
  if (answer.kind !== 'refunded' && answer.kind !== 'voided')
    return done('flagged', 'late money could not be returned; it lies in suspense');
  await noteReturn(deps, payment, late);
  return done('applied', 'late money returned');
}

const LATE_MONEY = 'late money';

function noteArrival(deps: Returning, payment: PaymentRow, late: LateMoney, cause: TimelineCause): Promise<void> {
  return note(deps, payment, ({ review_reason, processor }) => ({
    isDone: review_reason === LATE_MONEY,
    cause,
    detail:
      late.processor === processor
        ? 'Money arrived after this payment had ended; it is being returned.'
        : `Processor ${late.processor} took money after all, although another one serves this payment; it is being returned.`,
    columns: { review_reason: LATE_MONEY, review_since: new Date() },
    movements: late.isTaken ? bookings.lateMoney(payment, late.processor, late.money.amountMinor, false) : [],
  }));
}

function noteReturn(deps: Returning, payment: PaymentRow, late: LateMoney): Promise<void> {
  return note(deps, payment, ({ review_since }) => ({
    isDone: review_since === null,
    cause: 'late money returned',
    detail: 'Money that arrived after this payment had ended was returned.',
    columns: { review_since: null },
    movements: late.isTaken ? bookings.lateMoney(payment, late.processor, late.money.amountMinor, true) : [],
  }));
}

/** Books a step that leaves the payment where it ended, once. */
function note(
  { database, ledger }: Returning,
  { id, tenant_id }: PaymentRow,
  stepOf: (
    current: PaymentRow,
  ) => { isDone: boolean } & Pick<PaymentChange, 'cause' | 'detail' | 'columns' | 'movements'>,
): Promise<void> {
  return database.tenant(tenant_id, async (trx) => {
    const current = await lockPayment(trx, id);
    const { isDone, ...step } = stepOf(current);
    if (isDone) return;
    await applyChange(trx, ledger, current, { to: current.status, resultCode: current.result_code, ...step });
  });
}
