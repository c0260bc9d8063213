import type { Callback, CallbackEffect } from '../../domain/callback';
import { isAbout } from '../../domain/event-subject';
import type { DisputeInput, DisputeView } from '../../domain/flows';
import type { Ledger } from '../ledger/ledger';
import { lockPayment } from '../payments/payment';
import { becauseOf } from '../payments/timeline-causes';
import { lookUpDisputeView, readDisputeView, type Viewing } from './flow-view';
import { hear } from './processor-report';

/** Applies one callback of the case. Each step is booked once, however often it is told. */
export async function hearDisputeCallback(
  deps: Viewing & { ledger: Ledger },
  input: DisputeInput,
  callback: Callback,
): Promise<CallbackEffect<DisputeView>> {
  const { database, ledger, timers } = deps;
  const { event, reference } = callback;
  const word = event.type;
  if (!isAbout('dispute', word))
    return { view: await readDisputeView(deps, input), end: 'ignored', detail: 'says nothing new of the dispute' };
  const owner = await database.system('payments').where({ id: reference }).first('tenant_id');
  const { outcome, detail, dispute } = await database.tenant(owner.tenant_id, async (trx) => {
    const payment = await lockPayment(trx, reference);
    const known = await trx('disputes')
      .where({ processor: input.processor, case_id: input.caseId })
      .forUpdate()
      .first();
    const { money, reason } = event;
    const said = { ...input, word, money, reason, cause: becauseOf.callback(callback) };
    return hear(trx, ledger, payment, known, said, timers.disputeEvidenceTtlMs);
  });
  const view = dispute ? await lookUpDisputeView(deps, dispute) : await readDisputeView(deps, input);
  return { view, end: outcome, detail };
}
