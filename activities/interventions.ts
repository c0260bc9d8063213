import type { Knex } from 'knex';
import type { ProviderAnswer } from '../src/domain/connector';
import { DomainError } from '../src/domain/errors';
import type { Intervention, OperatorResolution, PaymentInput, PaymentView } from '../src/domain/flows';
import type { Money } from '../src/domain/money';
import { isClosed } from '../src/domain/states/payment';
import { appendAuditLine } from '../src/foundation/audit-log/audit-log';
import { changeFor } from '../src/money/payments/outcome';
import type { PaymentRow } from '../src/money/payments/payment';
import type { Dependencies } from './dependencies';
import type { OperationActivities } from './operations';
import { lockPayment, type PaymentSettling } from './payment-settling';
import type { PaymentActivities } from './payments';

/** What ops may do with a payment by signal. */
export function interventionActivities(
  { database }: Dependencies,
  { viewIn, readView, record, endOperation, outcomeContext }: PaymentSettling,
  { cancelPayment }: OperationActivities,
  { inquirePayment }: PaymentActivities,
) {
  /** Does what ops ask for, once who and why stand in the audit log and in the timeline. */
  async function intervene(input: PaymentInput, order: Intervention, operationId: string): Promise<PaymentView> {
    const view = await database.tenant(input.tenantId, async (trx) => {
      const payment = await lockPayment(trx, input.paymentId);
      const problem = await noteIntervention(trx, payment, order);
      return problem ? viewIn(trx, payment) : undefined;
    });
    if (view) return view;
    switch (order.kind) {
      case 'retry_now':
        return inquirePayment(input, 0);
      case 'cancel':
        // What the payment's state does not allow changes nothing; the flow goes on.
        return cancelPayment(input, { operationId }).catch((error: unknown) => {
          if (error instanceof DomainError) return readView(input);
          throw error;
        });
      case 'resolve_unknown':
        return resolvePayment(input, order);
    }
  }

  /** Answers why the intervention cannot be taken, if so. */
  async function noteIntervention(
    trx: Knex.Transaction,
    payment: PaymentRow,
    order: Intervention,
  ): Promise<string | undefined> {
    const complete = typeof order.operator === 'string' && order.operator !== '' && Boolean(order.reason);
    const fits = order.kind !== 'resolve_unknown' || (payment.unknown_since !== null && order.outcome in OUTCOMES);
    const problem = !complete ? 'operator and reason are required' : fits ? undefined : 'its outcome is not unknown';
    const refused = isClosed(payment.status) ? `it is ${payment.status}` : problem;
    await appendAuditLine(trx, {
      tenantId: payment.tenant_id,
      actor: `${order.operator}`,
      action: `payment.${order.kind}`,
      target: payment.id,
      result: refused ? 'refused' : 'accepted',
      detail: { reason: `${order.reason}`, refused },
    });
    if (refused) return refused;
    await trx('payment_events').insert({
      payment_id: payment.id,
      tenant_id: payment.tenant_id,
      from_status: payment.status,
      to_status: payment.status,
      result_code: payment.result_code,
      cause: `operator ${order.operator}: ${order.kind}`,
      detail: order.reason,
    });
    return undefined;
  }

  function resolvePayment(input: PaymentInput, order: OperatorResolution): Promise<PaymentView> {
    return database.tenant(input.tenantId, async (trx) => {
      const payment = await lockPayment(trx, input.paymentId);
      if (isClosed(payment.status)) return viewIn(trx, payment);
      const amountMinor = payment.authorized_minor || payment.amount_minor;
      const answer = OUTCOMES[order.outcome](payment, { amountMinor, currency: payment.currency });
      const change = changeFor(payment, answer, outcomeContext(`operator ${order.operator}`));
      const moved = await record(trx, payment, change);
      await endOperation(trx, moved, answer, false);
      return viewIn(trx, moved);
    });
  }

  return { intervene };
}

/** What ops may state about a payment whose provider does not tell. */
const OUTCOMES: Record<OperatorResolution['outcome'], (payment: PaymentRow, money: Money) => ProviderAnswer> = {
  captured: (payment, money) => ({ kind: 'captured', providerReference: payment.provider_reference ?? '', money }),
  nothing_charged: () => ({ kind: 'not_charged', detail: 'established by an operator' }),
};
