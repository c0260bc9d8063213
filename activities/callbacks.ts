import type { ProviderAnswer } from '../src/domain/connector';
import { notFound } from '../src/domain/errors';
import type {
  CallbackView,
  LateCallbackInput,
  PaymentInput,
  PaymentView,
  RefundInput,
  RefundView,
} from '../src/domain/flows';
import type { Money } from '../src/domain/money';
import { RESULT } from '../src/domain/result-codes';
import { canPaymentBecome, endedWithoutMoney, isClosed } from '../src/domain/states/payment';
import { Inbox, type InboxRow, moneyOf } from '../src/edge/callbacks/inbox';
import * as bookings from '../src/money/payments/bookings';
import { type PaymentRow, type RefundRow, traceOf } from '../src/money/payments/payment';
import { applyChange } from '../src/money/payments/transition';
import type { Dependencies } from './dependencies';
import { lockPayment, type PaymentSettling } from './payment-settling';
import type { PaymentActivities } from './payments';
import type { refundActivities } from './refunds';

/** What a verified callback does to the flow it is about. The transition table decides; the rest is kept and noted. */
export function callbackActivities(
  deps: Dependencies,
  settling: PaymentSettling,
  payments: PaymentActivities,
  refunds: ReturnType<typeof refundActivities>,
) {
  const inbox = new Inbox(deps.database.system);

  async function readInbox(inboxId: string): Promise<InboxRow> {
    const row = await inbox.read(inboxId);
    if (!row) throw notFound('callback');
    return row;
  }

  /** Applies a callback to a payment whose workflow is running. */
  async function applyPaymentCallback(input: PaymentInput, inboxId: string): Promise<PaymentView> {
    const row = await readInbox(inboxId);
    if (isHandled(row)) return settling.readView(input);
    const cause = `callback ${row.processor}/${row.event_id}`;
    const { type } = row.event;
    if ((type === 'authenticated' || type === 'authentication_failed') && row.event.cres) {
      const view = await payments.authenticatePayment(input, row.event.cres, cause);
      await inbox.mark(inboxId, 'applied');
      return view;
    }
    const payment = await readPayment(input.tenantId, input.paymentId);
    // It came between the end of the payment and that of its workflow: late, as one that comes after both. What another
    // processor says than the one that serves the payment is about something that should not have been.
    if (isClosed(payment.status) || row.processor !== payment.processor)
      return { ...(await settling.readView(input)), callbackIsLate: true };
    if (type === 'transfer_received') {
      const view = await payments.inquirePayment(input, 0);
      await inbox.mark(inboxId, 'applied');
      return view;
    }
    const verdict = judge(payment, row);
    if ('ignore' in verdict) {
      await inbox.mark(inboxId, verdict.flag ? 'flagged' : 'ignored', verdict.ignore);
      return settling.readView(input);
    }
    const view = await settling.settle(input.paymentId, input.tenantId, verdict.answer, cause);
    await inbox.mark(inboxId, 'applied');
    return view;
  }

  /** Applies a callback whose flow has ended: late money is booked and given back, everything else is kept. */
  async function applyLateCallback({ inboxId }: LateCallbackInput): Promise<CallbackView> {
    const row = await readInbox(inboxId);
    if (isHandled(row)) return { state: 'ignored', detail: 'handled before' };
    if (row.reference.startsWith('ref_')) {
      const refund: RefundRow = await deps.database.system('refunds').where({ id: row.reference }).first();
      return done(inboxId, 'ignored', `the refund is ${refund.status}`);
    }
    const payment: PaymentRow = await deps.database.system('payments').where({ id: row.reference }).first();
    const stated = moneyOf(row.event);
    const isTransfer = row.event.type === 'transfer_received';
    if (stated && !isTransfer && differs(payment, stated))
      return done(inboxId, 'flagged', 'amount or currency differs from ours');
    const elsewhere = row.processor !== payment.processor;
    if (!SUCCESSES.has(row.event.type) || !(elsewhere || endedWithoutMoney(payment.status)))
      return done(inboxId, isTransfer ? 'flagged' : 'ignored', `the payment is ${payment.status}`);
    const money = stated ?? { amountMinor: payment.amount_minor, currency: payment.currency };
    return returnLateMoney(payment, row, money);
  }

  /** Real money for a payment that ended without: into suspense, flagged, then back to the payer under a stable key. */
  async function returnLateMoney(payment: PaymentRow, row: InboxRow, money: Money): Promise<CallbackView> {
    const captured = row.event.type !== 'authorized';
    await deps.database.tenant(payment.tenant_id, async (trx) => {
      const current = await lockPayment(trx, payment.id);
      if (current.review_reason === LATE_MONEY) return;
      await applyChange(trx, deps.ledger, current, {
        to: current.status,
        resultCode: current.result_code,
        detail:
          row.processor === current.processor
            ? 'Money arrived after this payment had ended; it is being returned.'
            : `Processor ${row.processor} took money after all, although another one serves this payment; it is being returned.`,
        cause: `callback ${row.processor}/${row.event_id}`,
        columns: { review_reason: LATE_MONEY, review_since: new Date() },
        transfers: captured ? bookings.lateMoney(current, row.processor, money.amountMinor, false) : [],
      });
    });
    const connector = deps.connectors.get(row.processor);
    const idempotencyKey = `payment/${payment.id}/late`;
    const trace = { ...traceOf(payment), providerReference: row.event.providerReference };
    const answer = captured
      ? await connector.refund({
          idempotencyKey,
          paymentReference: payment.id,
          refundReference: `${payment.id}/late`,
          trace,
          money,
        })
      : await connector.void({ idempotencyKey, reference: payment.id, trace });
    if (answer.kind === 'unknown' || answer.kind === 'pending' || answer.kind === 'not_charged')
      return { state: 'applied', detail: 'late money is on its way back', askAgainMs: deps.timers.inquiryFirstMs };
    if (answer.kind !== 'refunded' && answer.kind !== 'voided')
      return done(row.id, 'flagged', 'late money could not be returned; it lies in suspense');
    await deps.database.tenant(payment.tenant_id, async (trx) => {
      const current = await lockPayment(trx, payment.id);
      if (current.review_since === null) return;
      await applyChange(trx, deps.ledger, current, {
        to: current.status,
        resultCode: current.result_code,
        detail: 'Money that arrived after this payment had ended was returned.',
        cause: 'late money returned',
        columns: { review_since: null },
        transfers: captured ? bookings.lateMoney(current, row.processor, money.amountMinor, true) : [],
      });
    });
    return done(row.id, 'applied', 'late money returned');
  }

  /** Applies a callback to a refund whose workflow is running. */
  async function applyRefundCallback(input: RefundInput, inboxId: string): Promise<RefundView> {
    const row = await readInbox(inboxId);
    const answer = refundAnswer(row);
    await inbox.mark(inboxId, answer ? 'applied' : 'ignored');
    return refunds.settleRefund(
      input,
      answer ?? { kind: 'pending', detail: 'The provider works on the refund.' },
      `callback ${row.processor}/${row.event_id}`,
      0,
    );
  }

  function refundAnswer(row: InboxRow): ProviderAnswer | undefined {
    const providerReference = row.event.providerReference ?? '';
    const money = moneyOf(row.event);
    if (row.event.type === 'refunded' && money) return { kind: 'refunded', providerReference, money };
    if (row.event.type === 'refund_declined')
      return { kind: 'refund_declined', detail: row.event.reason ?? 'The provider declined the refund.' };
    return undefined;
  }

  async function readPayment(tenantId: string, paymentId: string): Promise<PaymentRow> {
    return deps.database.tenant(tenantId, async (trx) => trx('payments').where({ id: paymentId }).first());
  }

  async function done(inboxId: string, state: CallbackView['state'], detail: string): Promise<CallbackView> {
    await inbox.mark(inboxId, state, detail);
    return { state, detail };
  }

  return { applyPaymentCallback, applyLateCallback, applyRefundCallback };
}

const LATE_MONEY = 'late money';
const SUCCESSES: ReadonlySet<InboxRow['type']> = new Set(['captured', 'authorized', 'settled', 'transfer_received']);

/** A callback may be delivered more than once; it has its effect once. */
function isHandled(row: InboxRow): boolean {
  return row.state === 'applied' || row.state === 'ignored' || row.state === 'flagged';
}

type Verdict = { answer: ProviderAnswer } | { ignore: string; flag?: boolean };

/** Whether a callback may move a payment, and what it says. */
function judge(payment: PaymentRow, row: InboxRow): Verdict {
  const { event } = row;
  const money = moneyOf(event);
  if (money && differs(payment, money)) return { ignore: 'amount or currency differs from ours', flag: true };
  const providerReference = event.providerReference ?? payment.provider_reference ?? '';
  const amount = money ?? { amountMinor: payment.authorized_minor || payment.amount_minor, currency: payment.currency };
  switch (event.type) {
    case 'authorized':
      return payment.status === 'authorized'
        ? { ignore: 'authorized already' }
        : { answer: { kind: 'authorized', providerReference, money: amount } };
    case 'captured':
    case 'settled':
      return { answer: { kind: 'captured', providerReference, money: amount, detail: event.detail } };
    case 'voided':
      return { answer: { kind: 'voided', providerReference } };
    case 'processing':
      return payment.status === 'authorized'
        ? { ignore: 'authorized already' }
        : { answer: { kind: 'pending', providerReference, detail: event.reason ?? 'The provider works on it.' } };
    case 'authentication_failed':
      // From a provider that authenticates by itself: its last word on the payment.
      return canPaymentBecome(payment.status, 'failed')
        ? { answer: { kind: 'authentication_failed', detail: event.reason ?? '3-D Secure authentication failed.' } }
        : { ignore: `a payment that is ${payment.status} cannot fail` };
    case 'failed':
      return canPaymentBecome(payment.status, 'failed')
        ? {
            answer: {
              kind: 'declined',
              code: event.code ?? RESULT.declined,
              detail: event.reason ?? 'Declined by the provider.',
            },
          }
        : { ignore: `a payment that is ${payment.status} cannot fail`, flag: true };
    default:
      return { ignore: `${event.type} changes nothing for a payment that is ${payment.status}` };
  }
}

/** A payment captured as a whole has one amount; one captured by hand has at most what was authorized. */
function differs(payment: PaymentRow, money: Money): boolean {
  if (money.currency !== payment.currency) return true;
  const most = payment.status === 'authorized' ? payment.authorized_minor : payment.amount_minor;
  return payment.capture_mode === 'automatic' ? money.amountMinor !== payment.amount_minor : money.amountMinor > most;
}
