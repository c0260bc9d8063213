import type { Knex } from 'knex';
import { DomainError } from '../../../domain/errors';
import type { Intervention, OperatorResolution, PaymentInput, PaymentView } from '../../../domain/flows';
import type { Money } from '../../../domain/money';
import type { AuthorizeAnswer } from '../../../domain/processor-answers';
import { isClosed } from '../../../domain/states/payment';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import { endIntervention, orderedBy } from '../intervention';
import { lockPayment, type PaymentRow } from '../payment';
import { becauseOf } from '../timeline-causes';
import type { Authorizing } from './authorize';
import { type Booking, bookLocked, bookResolution } from './book-answer';
import { cancelPayment } from './capture-and-void';
import { paymentViewIn, readPaymentView } from './flow-view';
import { inquirePayment } from './inquire';

/** Does what ops ask for, once who and why stand in the audit log and in the timeline. */
export async function intervene(
  deps: Authorizing,
  input: PaymentInput,
  order: Intervention,
  operationId: string,
): Promise<PaymentView> {
  const refused = await deps.database.tenant(input.tenantId, async (trx) => {
    const payment = await lockPayment(trx, input.paymentId);
    return (await noteIntervention(trx, payment, order, operationId)) ? paymentViewIn(trx, deps, payment) : undefined;
  });
  if (refused) return refused;
  switch (order.kind) {
    case 'retry_now':
      return inquirePayment(deps, input, 0);
    case 'cancel':
      // What the payment's state does not allow changes nothing; the flow goes on.
      return cancelPayment(deps, input, { operationId }).catch((error: unknown) => {
        if (error instanceof DomainError) return readPaymentView(deps, input);
        throw error;
      });
    case 'resolve_unknown':
      return resolvePayment(deps, input, order);
  }
}

/** Answers why the intervention cannot be taken, if so. `step`: of this order, the same at each repeat. */
async function noteIntervention(
  trx: Knex.Transaction,
  payment: PaymentRow,
  order: Intervention,
  step: string,
): Promise<string | undefined> {
  const { ordered, row } = await orderedBy(trx, order, step);
  if (ordered === 'repeat') return undefined;
  if (ordered === 'taken') return 'it was carried out before';
  const complete = typeof order.operator === 'string' && order.operator !== '' && Boolean(order.reason);
  const fits = order.kind !== 'resolve_unknown' || (payment.unknown_since !== null && order.outcome in OUTCOMES);
  const problem = !complete ? 'operator and reason are required' : fits ? undefined : 'its outcome is not unknown';
  const refused = isClosed(payment.status) ? `it is ${payment.status}` : problem;
  if (row) await endIntervention(trx, row, step, refused);
  await appendAuditLine(trx, {
    tenantId: payment.tenant_id,
    actor: `${order.operator}`,
    action: `payment.${order.kind}`,
    target: payment.id,
    result: refused ? 'refused' : 'accepted',
    detail: { reason: `${order.reason}`, refused, ...(row ? { interventionId: row.id } : { sentTo: 'engine' }) },
  });
  if (refused) return refused;
  await trx('payment_events').insert({
    payment_id: payment.id,
    tenant_id: payment.tenant_id,
    from_status: payment.status,
    to_status: payment.status,
    result_code: payment.result_code,
    cause: becauseOf.operator(order.operator, order.kind),
    detail: order.reason,
  });
  return undefined;
}

function resolvePayment(deps: Booking, input: PaymentInput, order: OperatorResolution): Promise<PaymentView> {
  return bookLocked(deps, input, 0, async (trx, payment) => {
    if (isClosed(payment.status)) return payment;
    const amountMinor = payment.authorized_minor || payment.amount_minor;
    const money = { amountMinor, currency: payment.currency };
    const answer = OUTCOMES[order.outcome](money, order.processorReference ?? '');
    return bookResolution(trx, deps, payment, answer, becauseOf.operator(order.operator));
  });
}

/** What ops may state about a payment whose processor does not tell. */
const OUTCOMES: Record<OperatorResolution['outcome'], (money: Money, processorReference: string) => AuthorizeAnswer> = {
  captured: (money, processorReference) => ({ kind: 'captured', processorReference, money }),
  nothing_charged: () => ({ kind: 'not_charged', detail: 'established by an operator' }),
};
