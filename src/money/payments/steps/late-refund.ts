import type { Callback, CallbackEffect } from '../../../domain/callback';
import { type EventAbout, isAbout } from '../../../domain/event-subject';
import type { CallbackView } from '../../../domain/flows';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import type { Database } from '../../../foundation/db/database';
import type { Ledger } from '../../ledger/ledger';
import { lockPayment, type RefundRow } from '../payment';
import { correctRefund, isOfAnotherAmount } from '../refund-outcome';
import { becauseOf } from '../timeline-causes';
import { readRefund } from './refund';
import { askAboutRefund, type Sending } from './send';

interface Correcting extends Sending {
  database: Database;
  ledger: Ledger;
}

/** What each event says became of a refund. */
const SAYS: Record<EventAbout<'refund'>, 'succeeded' | 'declined'> = {
  refunded: 'succeeded',
  refund_declined: 'declined',
};

/**
 * What a callback does to a refund that has ended. A processor that says the opposite of what we hold is asked: what it
 * confirms is booked, and what it does not confirm is for ops.
 */
export async function hearLateRefundCallback(
  deps: Correcting,
  callback: Callback,
): Promise<CallbackEffect<CallbackView>> {
  const { type } = callback.event;
  const said = isAbout('refund', type) ? SAYS[type] : undefined;
  const refund: RefundRow = await deps.database.system('refunds').where({ id: callback.reference }).first();
  if (!said || refund.status === said) return done('ignored', `the refund is ${refund.status}`);
  const known = await deps.database.tenant(refund.tenant_id, (trx) => readRefund(trx, refund));
  const answer = await askAboutRefund(deps, known);
  switch (answer?.kind) {
    case 'unknown':
    case 'pending':
      return {
        view: {
          state: 'applied',
          detail: `the refund is ${refund.status} here, and the processor is asked`,
          askAgainMs: deps.timers.inquiryFirstMs,
        },
      };
    case 'refunded':
      if (isOfAnotherAmount(refund, answer.money))
        return review(deps, refund, 'the processor made the refund with another amount or currency than ours');
      return settle(deps, refund, 'succeeded', callback);
    case 'refund_declined':
      return settle(deps, refund, 'declined', callback);
    default:
      return review(deps, refund, `the processor says ${said}, and does not know the refund`);
  }
}

const unconfirmed = (said: string) =>
  done('ignored', `the processor says ${said}, and does not confirm it when it is asked`);

async function settle(
  deps: Correcting,
  known: RefundRow,
  truth: 'succeeded' | 'declined',
  callback: Callback,
): Promise<CallbackEffect<CallbackView>> {
  if (truth === known.status) return unconfirmed(truth === 'succeeded' ? 'declined' : 'succeeded');
  const corrected = await deps.database.tenant(known.tenant_id, async (trx) => {
    const payment = await lockPayment(trx, known.payment_id);
    const refund: RefundRow = await trx('refunds').where({ id: known.id }).forUpdate().first();
    if (refund.status === truth) return true;
    return correctRefund(trx, deps.ledger, { payment, refund }, truth, becauseOf.callback(callback));
  });
  if (corrected) return done('applied', `the refund is ${truth}, as the processor confirms`);
  return review(deps, known, `the processor says ${truth}, which cannot be booked on a refund that is ${known.status}`);
}

/** Nothing is booked; ops find the refund, and why. */
async function review(
  { database }: Correcting,
  refund: RefundRow,
  detail: string,
): Promise<CallbackEffect<CallbackView>> {
  await database.tenant(refund.tenant_id, async (trx) => {
    await trx('refunds')
      .where({ id: refund.id })
      .update({ review_since: trx.raw('coalesce(review_since, clock_timestamp())') });
    await appendAuditLine(trx, {
      tenantId: refund.tenant_id,
      actor: 'system',
      action: 'refund.contradicted',
      target: refund.id,
      result: 'accepted',
      detail: { reason: detail },
    });
  });
  return done('flagged', detail);
}

/** Nothing more is to be done with a late callback. */
export function done(state: 'applied' | 'ignored' | 'flagged', detail: string): CallbackEffect<CallbackView> {
  return { view: { state, detail }, end: state, detail };
}
