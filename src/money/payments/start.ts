import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';
import type { PaymentRow, RefundRow } from './payment';
import { topupIdOf } from './topup';

export interface StartOptions {
  /** Hand the first task to the worker of this process. */
  eager?: boolean;
  /** Start a flow anew whose earlier run was lost: the step it begins with finds what was done. */
  again?: boolean;
}

/** The flow of a payment: under its own id, or that of the top-up that it is. */
export function flowOf({ id, beneficiary }: Pick<PaymentRow, 'id' | 'beneficiary'>): { type: string; id: string } {
  return beneficiary === 'wallet'
    ? { type: WORKFLOW.topup, id: workflowId.topup(topupIdOf(id)) }
    : { type: WORKFLOW.payment, id: workflowId.payment(id) };
}

/** Starts a payment's flow, once however often it is called. Throws WorkflowExecutionAlreadyStartedError once it has ended. */
export async function startPayment(
  engine: Engine,
  payment: PaymentRow,
  { eager = false, again = false }: StartOptions = {},
): Promise<void> {
  const { type, id } = flowOf(payment);
  const name = type === WORKFLOW.topup ? 'top-up' : `${payment.kind} payment`;
  await engine.client.workflow.start(type, {
    workflowId: id,
    taskQueue: engine.taskQueue,
    args: [{ paymentId: payment.id, tenantId: payment.tenant_id }],
    requestEagerStart: eager,
    workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `${name} of ${formatAmount(payment.amount_minor, payment.currency)} ${payment.currency}`,
    memo: { requestId: payment.request_id },
    typedSearchAttributes: searchAttributes({
      tenant: payment.tenant_id,
      organization: payment.organization_id,
      customer: payment.customer_id,
      status: payment.status,
      kind: type === WORKFLOW.topup ? type : payment.kind,
      provider: payment.processor,
      merchantTransactionId: payment.merchant_transaction_id,
    }),
  });
}

/** Starts a refund's flow, once however often it is called. Throws WorkflowExecutionAlreadyStartedError once it has ended. */
export async function startRefund(
  engine: Engine,
  refund: RefundRow,
  { eager = false, again = false }: StartOptions = {},
): Promise<void> {
  await engine.client.workflow.start(WORKFLOW.refund, {
    workflowId: workflowId.refund(refund.id),
    taskQueue: engine.taskQueue,
    args: [{ refundId: refund.id, paymentId: refund.payment_id, tenantId: refund.tenant_id }],
    requestEagerStart: eager,
    workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `refund of ${formatAmount(refund.amount_minor, refund.currency)} ${refund.currency} on ${refund.payment_id}`,
    typedSearchAttributes: searchAttributes({
      tenant: refund.tenant_id,
      organization: refund.organization_id,
      status: refund.status,
      kind: 'refund',
    }),
  });
}
