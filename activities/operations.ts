import type { ProviderAnswer } from '../src/domain/connector';
import { DomainError } from '../src/domain/errors';
import type { CancelOrder, CaptureOrder, PaymentInput, PaymentView } from '../src/domain/flows';
import { isClosed } from '../src/domain/states/payment';
import { type OperationRow, type PaymentRow, traceOf } from '../src/money/payments/payment';
import type { Dependencies } from './dependencies';
import { lockPayment, type PaymentSettling } from './payment-settling';

/** Captures and voids: written down before they are sent, one at a time per payment. */
export function operationActivities(deps: Dependencies, { settle, readView }: PaymentSettling) {
  const { database } = deps;

  /** Captures an authorized payment, in part if so ordered; the rest is released. */
  async function capturePayment(input: PaymentInput, order: CaptureOrder): Promise<PaymentView> {
    const opened = await openOperation(input, order.operationId, 'capture', (payment) => {
      const amountMinor = order.amountMinor ?? payment.authorized_minor;
      if (amountMinor > payment.authorized_minor)
        throw new DomainError('capture_exceeds_authorized', 'the amount exceeds what was authorized');
      return amountMinor;
    });
    return carryOut(input, opened);
  }

  /** Cancels a payment that is not captured: voids it at the provider and releases the hold. */
  async function cancelPayment(input: PaymentInput, order: CancelOrder): Promise<PaymentView> {
    const opened = await openOperation(input, order.operationId, 'void', (payment) => payment.amount_minor);
    return carryOut(input, opened);
  }

  async function carryOut(
    input: PaymentInput,
    { payment, operation }: { payment: PaymentRow; operation: OperationRow },
    tries = 0,
  ): Promise<PaymentView> {
    if (operation.status !== 'pending') return readView(input);
    const answer = await send(payment, operation);
    return settle(input.paymentId, input.tenantId, answer, operation.kind, { tries, operation });
  }

  /** Writes down what is about to be asked of the provider. The same operation id finds what it wrote before. */
  async function openOperation(
    { paymentId, tenantId }: PaymentInput,
    operationId: string,
    kind: 'capture' | 'void',
    amountFor: (payment: PaymentRow) => bigint,
  ): Promise<{ payment: PaymentRow; operation: OperationRow }> {
    return database.tenant(tenantId, async (trx) => {
      const payment = await lockPayment(trx, paymentId);
      const known: OperationRow | undefined = await trx('payment_operations').where({ id: operationId }).first();
      if (known) return { payment, operation: known };
      const busy = await trx('payment_operations').where({ payment_id: paymentId, status: 'pending' }).first('kind');
      if (busy) throw new DomainError('invalid_state', `a ${busy.kind} of this payment is still running`);
      const allowed = kind === 'capture' ? payment.status === 'authorized' : !isClosed(payment.status);
      if (!allowed)
        throw new DomainError(
          'invalid_state',
          `a payment that is ${payment.status} cannot be ${kind === 'capture' ? 'captured' : 'cancelled'}`,
        );
      const [operation]: OperationRow[] = await trx('payment_operations')
        .insert({
          id: operationId,
          tenant_id: tenantId,
          payment_id: paymentId,
          kind,
          amount_minor: amountFor(payment),
          status: 'pending',
          cause: kind,
        })
        .returning('*');
      return { payment, operation: operation! };
    });
  }

  async function send(payment: PaymentRow, operation: OperationRow): Promise<ProviderAnswer> {
    const connector = deps.connectors.get(payment.processor);
    const call = {
      idempotencyKey: `payment/${payment.id}/${operation.id}`,
      reference: payment.id,
      trace: traceOf(payment),
    };
    if (operation.kind === 'void') return connector.void(call);
    return connector.capture({ ...call, money: { amountMinor: operation.amount_minor, currency: payment.currency } });
  }

  return { capturePayment, cancelPayment, carryOut };
}

export type OperationActivities = ReturnType<typeof operationActivities>;
