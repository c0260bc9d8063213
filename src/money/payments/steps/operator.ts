import type { Knex } from 'knex';
import { DomainError } from '../../../domain/errors';
import type { Intervention, PaymentInput, PaymentView } from '../../../domain/flows';
import type { Money } from '../../../domain/money';
import type { AuthorizeAnswer } from '../../../domain/processor-answers';
import { isClosed } from '../../../domain/states/payment';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import {
  endIntervention,
  type InterventionAct,
  type InterventionRow,
  noteSentToEngine,
  ORDER_IT,
  orderedBy,
} from '../intervention';
import { lockPayment, type PaymentRow } from '../payment';
import { becauseOf } from '../timeline-causes';
import { topupIdOf } from '../topup';
import type { Authorizing } from './authorize';
import { type Booking, bookLocked, bookResolution } from './book-answer';
import { cancelPayment } from './capture-and-void';
import { paymentViewIn, readPaymentView } from './flow-view';
import { inquirePayment } from './inquire';

/**
 * Does what operators have ordered about a payment, once who and why stand in the audit log and in the timeline. `note`
 * calls for it; one that was sent to the engine directly is recorded, and has the processor asked at most.
 */
export async function intervene(
  deps: Authorizing,
  input: PaymentInput,
  note: Intervention,
  operationId: string,
): Promise<PaymentView> {
  const found = await deps.database.tenant(input.tenantId, async (trx) => {
    const payment = await lockPayment(trx, input.paymentId);
    const taken = await takeOrder(trx, payment, note, operationId);
    return 'refused' in taken ? { view: await paymentViewIn(trx, deps, payment) } : taken;
  });
  if ('view' in found) return found.view;
  switch (note.kind) {
    case 'retry_now':
      return inquirePayment(deps, input, 0);
    case 'cancel':
      // What the payment's state does not allow changes nothing; the flow goes on.
      return cancelPayment(deps, input, { operationId }).catch((error: unknown) => {
        if (error instanceof DomainError) return readPaymentView(deps, input);
        throw error;
      });
    case 'resolve_unknown':
      return found.order ? resolvePayment(deps, input, found.order) : readPaymentView(deps, input);
  }
}

/** What has to be ordered for each thing that a note can call for. */
const ACTS: Record<Intervention['kind'], InterventionAct> = {
  retry_now: 'ask_again',
  cancel: 'cancel',
  resolve_unknown: 'resolve',
};

/**
 * The order that a note names, or why nothing is done. `step`: of this note, the same at each repeat. Without an order,
 * only the processor is asked: that tells what is true, whoever wants to know.
 */
async function takeOrder(
  trx: Knex.Transaction,
  payment: PaymentRow,
  note: Intervention,
  step: string,
): Promise<{ order?: InterventionRow } | { refused: string }> {
  const { id, tenant_id: tenantId } = payment;
  const subjectIds = [id, topupIdOf(id)];
  const found = await orderedBy(trx, note, { subjectIds, acts: [ACTS[note.kind]], step });
  if (found.ordered === 'taken') return { refused: 'it was carried out before' };
  if (found.ordered === 'repeat') return { order: found.row };
  const ended = isClosed(payment.status) ? `it is ${payment.status}` : undefined;
  const about = { tenantId, action: `payment.${note.kind}`, target: id };
  if (found.ordered === 'none') {
    const refused = ended ?? (note.kind === 'retry_now' ? undefined : ORDER_IT);
    await noteSentToEngine(trx, about, note, refused);
    return refused ? { refused } : {};
  }
  const { row } = found;
  const unfit = note.kind === 'resolve_unknown' && (payment.unknown_since === null || !outcomeOf(row));
  const refused = ended ?? (unfit ? 'its outcome is not unknown' : undefined);
  await endIntervention(trx, row, step, refused);
  await appendAuditLine(trx, {
    ...about,
    actor: row.ordered_by,
    result: refused ? 'refused' : 'accepted',
    detail: { reason: row.reason, refused, interventionId: row.id },
  });
  if (refused) return { refused };
  await trx('payment_events').insert({
    payment_id: id,
    tenant_id: tenantId,
    from_status: payment.status,
    to_status: payment.status,
    result_code: payment.result_code,
    cause: becauseOf.operator(row.ordered_by, note.kind),
    detail: row.reason,
  });
  return { order: row };
}

function resolvePayment(deps: Booking, input: PaymentInput, order: InterventionRow): Promise<PaymentView> {
  return bookLocked(deps, input, 0, async (trx, payment) => {
    const outcome = outcomeOf(order);
    if (isClosed(payment.status) || !outcome) return payment;
    const amountMinor = payment.authorized_minor || payment.amount_minor;
    const money = { amountMinor, currency: payment.currency };
    const answer = OUTCOMES[outcome](money, order.processor_reference ?? '');
    return bookResolution(trx, deps, payment, answer, becauseOf.operator(order.ordered_by));
  });
}

type Outcome = 'captured' | 'nothing_charged';

/** What operators may state about a payment whose processor does not tell. */
const OUTCOMES: Record<Outcome, (money: Money, processorReference: string) => AuthorizeAnswer> = {
  captured: (money, processorReference) => ({ kind: 'captured', processorReference, money }),
  nothing_charged: () => ({ kind: 'not_charged', detail: 'established by an operator' }),
};

function outcomeOf({ outcome }: InterventionRow): Outcome | undefined {
  return outcome && outcome in OUTCOMES ? (outcome as Outcome) : undefined;
}
