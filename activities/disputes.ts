import { Inbox, moneyOf } from '../src/callbacks/inbox';
import { notFound } from '../src/domain/errors';
import { newId } from '../src/domain/ids';
import { RESULT } from '../src/domain/result-codes';
import { statusAfterCapture } from '../src/domain/states/payment';
import * as bookings from '../src/payments/bookings';
import { applyChange } from '../src/payments/transition';
import type { DisputeInput, DisputeView } from '../workflows/contract';
import type { Dependencies } from './dependencies';
import { lockPayment } from './payments';

/** The steps of a dispute: the money goes back with the chargeback and returns when the dispute is won. */
export function disputeActivities(deps: Dependencies) {
  const inbox = new Inbox(deps.database.system);

  /** Applies one callback of the case. Each step is booked once, however often it is told. */
  async function applyDisputeCallback({ processor, caseId }: DisputeInput, inboxId: string): Promise<DisputeView> {
    const row = await inbox.read(inboxId);
    if (!row) throw notFound('callback');
    const owner = await deps.database.system('payments').where({ id: row.reference }).first('tenant_id');
    const cause = `callback ${row.processor}/${row.event_id}`;
    const view = await deps.database.tenant(owner.tenant_id, async (trx): Promise<DisputeView> => {
      const payment = await lockPayment(trx, row.reference);
      const known = await trx('disputes').where({ processor, case_id: caseId }).forUpdate().first();
      const amounts = {
        capturedMinor: payment.captured_minor,
        refundedMinor: payment.refunded_minor,
        settled: payment.settled_at !== null,
      };
      if (!known) {
        const money = moneyOf(row.event) ?? { amountMinor: payment.captured_minor, currency: payment.currency };
        const left =
          payment.captured_minor - payment.refunded_minor - payment.refund_reserved_minor - payment.charged_back_minor;
        if (row.event.type !== 'charged_back' || money.currency !== payment.currency || money.amountMinor > left)
          return { status: 'flagged', detail: 'a chargeback that does not fit what was captured' };
        const id = newId('dispute');
        await trx('disputes').insert({
          id,
          tenant_id: payment.tenant_id,
          organization_id: payment.organization_id,
          payment_id: payment.id,
          processor,
          case_id: caseId,
          currency: payment.currency,
          amount_minor: money.amountMinor,
          reason: row.event.reason ?? null,
          status: 'open',
        });
        const chargedBackMinor = payment.charged_back_minor + money.amountMinor;
        await applyChange(trx, deps.ledger, payment, {
          to: statusAfterCapture({ ...amounts, chargedBackMinor }),
          resultCode: RESULT.chargedBack,
          detail: 'The payer’s bank charged the payment back.',
          cause,
          columns: { charged_back_minor: chargedBackMinor },
          transfers: [bookings.chargeback(payment, id, money.amountMinor, false)],
        });
        return { status: 'open', detail: 'charged back' };
      }
      if (known.status === 'won' || known.status === 'lost') return { status: known.status, detail: 'ended already' };
      if (row.event.type === 'charged_back' || row.event.type === 'pending')
        return { status: 'open', detail: 'known already' };
      const won = row.event.type === 'chargeback_won';
      const chargedBackMinor = payment.charged_back_minor - (won ? known.amount_minor : 0n);
      await trx('disputes')
        .where({ id: known.id })
        .update({ status: won ? 'won' : 'lost', updated_at: trx.fn.now() });
      const to = statusAfterCapture({ ...amounts, chargedBackMinor });
      await applyChange(trx, deps.ledger, payment, {
        to,
        resultCode:
          to === 'charged_back' ? RESULT.chargedBack : payment.refunded_minor > 0n ? RESULT.refunded : RESULT.approved,
        detail: won ? 'The dispute was won; the money is back.' : 'The dispute was lost.',
        cause,
        columns: { charged_back_minor: chargedBackMinor },
        transfers: won ? [bookings.chargeback(payment, known.id, known.amount_minor, true)] : [],
      });
      return { status: won ? 'won' : 'lost', detail: won ? 'the money is back' : 'the money stays with the payer' };
    });
    await inbox.mark(inboxId, view.status === 'flagged' ? 'flagged' : 'applied', view.detail);
    return view;
  }

  return { applyDisputeCallback };
}
