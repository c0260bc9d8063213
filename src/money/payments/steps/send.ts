import type { AuthorizeRequest, Connector, Instrument, ProcessorId } from '../../../domain/connector';
import type {
  AuthorizeAnswer,
  CaptureAnswer,
  PaymentInquiry,
  RefundAnswer,
  RefundInquiry,
  VoidAnswer,
} from '../../../domain/processor-answers';
import type { Config } from '../../../foundation/config/config';
import { type AttemptRow, traceOf } from '../attempt';
import type { OperationRow, PaymentRow, RefundRow } from '../payment';

/**
 * Everything that is sent to a processor for a payment goes through here, each call under a key that stays the same
 * however often it is made: `<workflow id>/<step>`.
 */
export interface Sending {
  connectors: { get(processor: ProcessorId): Connector };
  timers: Config['timers'];
}

/** A payment with its attempt at the processor that is spoken to. */
export interface Attempted {
  payment: PaymentRow;
  attempt?: AttemptRow;
}

/** Asks for the money, with what the payer pays with. */
export function sendAuthorization(
  { connectors }: Sending,
  payment: PaymentRow,
  instrument: Instrument,
): Promise<AuthorizeAnswer> {
  return connectors.get(payment.processor).authorize(authorizationOf(payment, instrument));
}

function authorizationOf(payment: PaymentRow, instrument: Instrument): AuthorizeRequest {
  const { request } = payment;
  const recurring = request.recurring && {
    initial: request.recurring.initial === true,
    originalReference: request.recurring.originalPaymentId,
  };
  const { exemption, softDeclined } = request.authentication ?? {};
  const call = `payment/${payment.id}/authorize`;
  return {
    // A request with 3-D Secure, after one without, is another one.
    idempotencyKey: softDeclined ? `${call}/authenticated` : call,
    reference: payment.id,
    money: { amountMinor: payment.amount_minor, currency: payment.currency },
    capture: payment.capture_mode === 'automatic',
    instrument,
    threeDS: request.threeDS,
    exemption,
    softDeclined: softDeclined?.processor === payment.processor ? softDeclined : undefined,
    recurring,
    browser: request.browser,
    returnUrl: request.returnUrl,
    descriptor: request.descriptor,
    payer: request.customer,
  };
}

/** Finishes 3-D Secure with the issuer's word. Undefined where the processor goes on by itself. */
export async function sendAuthentication(
  { connectors }: Sending,
  payment: PaymentRow,
  cres: string,
): Promise<PaymentInquiry | undefined> {
  return connectors.get(payment.processor).completeAuthentication?.({
    idempotencyKey: `payment/${payment.id}/authentication`,
    reference: payment.id,
    cres,
  });
}

/** Sends a capture or void that was written down. */
export function sendOperation(
  { connectors }: Sending,
  { payment, attempt }: Attempted,
  { id, kind, amount_minor: amountMinor, processor }: OperationRow,
): Promise<CaptureAnswer | VoidAnswer> {
  const connector = connectors.get(processor ?? payment.processor);
  const trace = traceOf(payment, attempt);
  const call = { idempotencyKey: `payment/${payment.id}/${id}`, reference: payment.id, trace };
  if (kind === 'void') return connector.void(call);
  return connector.capture({ ...call, money: { amountMinor, currency: payment.currency } });
}

/** A refund with its payment, and the attempt that took the money. */
export interface Refund extends Attempted {
  refund: RefundRow;
}

export function sendRefund({ connectors }: Sending, { payment, attempt, refund }: Refund): Promise<RefundAnswer> {
  return connectors.get(refund.processor ?? payment.processor).refund({
    idempotencyKey: `refund/${refund.id}`,
    paymentReference: payment.id,
    refundReference: refund.id,
    trace: traceOf(payment, attempt),
    money: { amountMinor: refund.amount_minor, currency: refund.currency },
  });
}

/** Asks by our own reference what became of a payment. */
export function askAboutPayment({ connectors }: Sending, { payment, attempt }: Attempted): Promise<PaymentInquiry> {
  return connectors.get(payment.processor).inquirePayment(payment.id, traceOf(payment, attempt));
}

/** The same about a refund; undefined when the processor never got it. */
export async function askAboutRefund(
  { connectors }: Sending,
  { payment, attempt, refund }: Refund,
): Promise<Exclude<RefundInquiry, { kind: 'not_found' }> | undefined> {
  const connector = connectors.get(refund.processor ?? payment.processor);
  const answer = await connector.inquireRefund(refund.id, traceOf(payment, attempt));
  return answer.kind === 'not_found' ? undefined : answer;
}

/** How long after a send its processor may not know of it yet, in milliseconds. */
export function inFlightMs({ connectors, timers }: Sending, processor: ProcessorId): number {
  return Math.max(timers.processorInFlightMs, connectors.get(processor).inFlightMs ?? 0);
}

/** Until when the authorization of a payment may still be on its way to its processor. */
export function inFlightUntil(deps: Sending, { payment, attempt }: Attempted): Date {
  const sentAt = attempt?.sent_at ?? payment.created_at;
  return new Date(sentAt.getTime() + inFlightMs(deps, payment.processor));
}
