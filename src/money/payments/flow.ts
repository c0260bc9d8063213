import type { Knex } from 'knex';
import {
  type PaymentInput,
  type PaymentView,
  type ReceiptInput,
  type RefundInput,
  type SignalName,
  workflowId,
} from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import { isClosed, OPEN_STATUSES } from '../../domain/states/payment';
import type { Config } from '../../foundation/config/config';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, type StartOptions, signalFlow, signalRunning, startFlow } from '../../foundation/temporal/flows';
import { nextDue } from './due';
import type { PaymentRow, RefundRow } from './payment';
import type { ReceiptRow } from './receipt';
import { topupIdOf } from './topup';

const BATCH = 100;
/** Payments whose flows are woken in one round. */
const DUE_BATCH = 200;
/** Flows that are woken at a time: few enough that commands about other payments get through. */
const AT_ONCE = 8;

/**
 * Payments with an operation that nobody has sent yet. One whose flow never started has none: failAbandonedPayments ends
 * it, since nothing was sent and nothing charged.
 */
const withUnsentOperation = (beneficiary: PaymentRow['beneficiary']) => (system: Knex, firstAnswerMs: number) =>
  openPayments(system, beneficiary)
    .whereIn(
      'id',
      system('payment_operations')
        .where({ status: 'pending', sends: 0 })
        .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
        .select('payment_id'),
    )
    .limit(BATCH);

const openPayments = (system: Knex, beneficiary: PaymentRow['beneficiary']): Knex.QueryBuilder<object, PaymentRow[]> =>
  system('payments').where({ beneficiary }).whereIn('status', OPEN_STATUSES).where('attempts', '>', 0);

const describePayment = ({ amount_minor, currency }: PaymentRow, name: string) =>
  `${name} of ${formatAmount(amount_minor, currency)} ${currency}`;

const foundBy = (payment: PaymentRow, kind: string) => ({
  kind,
  tenant: payment.tenant_id,
  organization: payment.organization_id,
  customer: payment.customer_id,
  status: payment.status,
  provider: payment.processor,
  merchantTransactionId: payment.merchant_transaction_id,
});

/** One payment of a merchant, until it is captured or has ended without money. */
export const PAYMENT_FLOW: Flow<PaymentRow, PaymentInput> = {
  workflow: 'payment',
  queue: 'flows',
  id: ({ id }) => workflowId.payment(id),
  // A flow that comes late keeps its own time: a callback that was being heard without it may end the payment unseen by it.
  input: ({ id, tenant_id, has_flow }) => ({
    paymentId: id,
    tenantId: tenant_id,
    ...(has_flow && { isWokenWhenDue: true }),
  }),
  summary: (payment) => describePayment(payment, `${payment.kind} payment`),
  attributes: (payment) => foundBy(payment, payment.kind),
  object: ({ id }) => id,
  memo: ({ request_id }) => ({ requestId: request_id }),
  runs: 'once',
  signal: null,
  bring: (engine, system, payment) => wakePayment(engine, system, payment, 'proceed'),
  unheard: withUnsentOperation('merchant'),
  open: (system) => openPayments(system, 'merchant'),
  expected: (open) => open.where('has_flow', true),
};

/** The same for a payment into a customer's wallet, under the id of its top-up. */
export const TOPUP_FLOW: Flow<PaymentRow, PaymentInput> = {
  ...PAYMENT_FLOW,
  workflow: 'topup',
  id: ({ id }) => workflowId.topup(topupIdOf(id)),
  summary: (payment) => describePayment(payment, 'top-up'),
  attributes: (payment) => foundBy(payment, 'topup'),
  object: ({ id }) => topupIdOf(id),
  unheard: withUnsentOperation('wallet'),
  open: (system) => openPayments(system, 'wallet'),
};

/** One refund, until the processor has said yes or no. */
export const REFUND_FLOW: Flow<RefundRow, RefundInput> = {
  workflow: 'refund',
  queue: 'flows',
  id: ({ id }) => workflowId.refund(id),
  input: ({ id, payment_id, tenant_id }) => ({ refundId: id, paymentId: payment_id, tenantId: tenant_id }),
  summary: ({ amount_minor, currency, payment_id }) =>
    `refund of ${formatAmount(amount_minor, currency)} ${currency} on ${payment_id}`,
  attributes: ({ tenant_id, organization_id, status }) => ({
    kind: 'refund',
    tenant: tenant_id,
    organization: organization_id,
    status,
  }),
  object: ({ id }) => id,
  runs: 'once',
  signal: null,
  unheard: (system, firstAnswerMs) =>
    system('refunds')
      .where({ status: 'pending', attempts: 0 })
      .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
      .limit(BATCH),
  open: (system) => system('refunds').where({ status: 'pending' }).where('attempts', '>', 0),
};

/** Money that nobody asked for, until it is back with its payer. */
export const RECEIPT_FLOW: Flow<ReceiptRow, ReceiptInput> = {
  workflow: 'receipt',
  queue: 'flows',
  id: ({ id }) => workflowId.receipt(id),
  input: ({ id, tenant_id }) => ({ receiptId: id, tenantId: tenant_id }),
  summary: ({ amount_minor, currency, payment_id, processor }) =>
    `return of ${formatAmount(amount_minor, currency)} ${currency} that processor ${processor} has for ${payment_id}`,
  attributes: ({ tenant_id, organization_id, status, processor }) => ({
    kind: 'receipt',
    tenant: tenant_id,
    organization: organization_id,
    status,
    provider: processor,
  }),
  object: ({ id }) => id,
  runs: 'again',
  signal: null,
  // Nobody starts it but the workers' rounds: whoever writes a receipt down goes on with the payment.
  unheard: (system) => system('unapplied_receipts').where({ status: 'returning', sends: 0 }).limit(BATCH),
  open: (system) => system('unapplied_receipts').where({ status: 'returning' }).where('sends', '>', 0),
};

/** The flow of a payment: its own kind, or that of the top-up that it is. */
export function flowOf({ beneficiary }: Pick<PaymentRow, 'beneficiary'>): Flow<PaymentRow, PaymentInput> {
  return beneficiary === 'wallet' ? TOPUP_FLOW : PAYMENT_FLOW;
}

/** Starts a payment's flow; see `startFlow`. `view`: how it stands after its first step, where somebody has taken that. */
export async function startPayment(
  engine: Engine,
  system: Knex,
  payment: PaymentRow,
  { view, ...options }: StartOptions & { view?: PaymentView } = {},
): Promise<boolean> {
  const flow = flowOf(payment);
  await expectFlow(system, payment);
  if (!view) return startFlow(engine, flow, payment, options);
  const { status, waitsFor } = view;
  const begun: typeof flow = {
    ...flow,
    input: (row) => ({ ...flow.input(row), view }),
    attributes: (row) => ({ ...flow.attributes(row), status, waitsFor }),
  };
  return startFlow(engine, begun, payment, options);
}

/** Notes that a payment has a flow from here on, before the engine is told: so a lost one is found, and callbacks go to it. */
async function expectFlow(system: Knex, { id, has_flow }: PaymentRow): Promise<void> {
  if (!has_flow) await system('payments').where({ id }).update({ has_flow: true });
}

/** Whether the process that accepted the payment is taking its first step; it starts the flow then, if one is needed. */
export function isInFirstStep({ status, flow_due_at }: Pick<PaymentRow, 'status' | 'flow_due_at'>): boolean {
  return status === 'initiated' && flow_due_at !== null && flow_due_at.getTime() > Date.now();
}

/**
 * Wakes the flows of payments that are due: the time of a payer or a merchant is up, or the processor is to be asked
 * meanwhile. One that has no flow gets one: its first step was taken by a process that died, or that found the engine away. A
 * flow is woken however its payment stands: somebody else may have moved that, and the flow waits for a payer still. Answers
 * true when there may be more. Rejects when the engine is away.
 */
export async function wakeDueFlows(
  system: Knex,
  engine: Engine,
  timers: Pick<Config['timers'], 'payerInquiryFirstMs'>,
): Promise<boolean> {
  const due: PaymentRow[] = await system('payments')
    .where('flow_due_at', '<=', new Date())
    .orderBy('flow_due_at')
    .limit(DUE_BATCH);
  if (due.length === 0) return false;
  for (let next = 0; next < due.length; next += AT_ONCE)
    await Promise.all(due.slice(next, next + AT_ONCE).map((payment) => wakePayment(engine, system, payment, 'due')));
  // Only now: whoever dies before leaves them due. One that has moved meanwhile has another time.
  await system.raw(
    `UPDATE payments p SET flow_due_at = seen.next
     FROM unnest(?::text[], ?::integer[], ?::timestamptz[]) AS seen(id, version, next)
     WHERE p.id = seen.id AND p.version = seen.version`,
    [
      due.map(({ id }) => id),
      due.map(({ version }) => version),
      due.map((payment) => nextDue(timers, payment)) as Date[],
    ],
  );
  return due.length === DUE_BATCH;
}

/**
 * Brings a signal to the flow of a payment that is open. One that is gone (terminated, deleted, lost with the engine's
 * database) is started anew and finds in Postgres what was done. Rejects when the engine is away.
 */
export async function wakePayment(
  engine: Engine,
  system: Knex,
  payment: PaymentRow,
  signal: SignalName,
  ...args: unknown[]
): Promise<void> {
  const flow = flowOf(payment);
  await expectFlow(system, payment);
  if (payment.has_flow && (await signalRunning(engine, flow.id(payment), signal, ...args))) return;
  await signalFlow(engine, { ...flow, runs: 'again' }, payment, { signal, args });
}

/**
 * Tells the flow of a payment that somebody else has taken a step of it. `view`: how the payment stands after that; absent:
 * the flow looks itself. Where the payment has ended and no flow runs, there is nobody to tell. Rejects when the engine is away.
 */
export async function tellFlow(engine: Engine, system: Knex, payment: PaymentRow, view?: PaymentView): Promise<void> {
  const id = flowOf(payment).id(payment);
  if (view?.waitsFor === 'nobody') await signalRunning(engine, id, 'proceed', view);
  else if (isClosed(payment.status)) await signalRunning(engine, id, 'proceed');
  else await wakePayment(engine, system, payment, 'proceed');
}
