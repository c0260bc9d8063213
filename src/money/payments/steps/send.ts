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
import type { OperationRow } from '../operation';
import { type PaymentRow, type RefundRow, traceOf } from '../payment';

/**
 * Everything that is sent to a processor for a payment goes through here, each call under a key that stays the same
 * however often it is made: `<workflow id>/<step>`.
 */
export interface Sending {
  connectors: { get(processor: ProcessorId): Connector };
  timers: Config['timers'];
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
  return {
    idempotencyKey: `payment/${payment.id}/authorize`,
    reference: payment.id,
    money: { amountMinor: payment.amount_minor, currency: payment.currency },
    capture: payment.capture_mode === 'automatic',
    instrument,
    threeDS: request.threeDS,
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
  payment: PaymentRow,
  { id, kind, amount_minor: amountMinor }: OperationRow,
): Promise<CaptureAnswer | VoidAnswer> {
  const connector = connectors.get(payment.processor);
  const call = { idempotencyKey: `payment/${payment.id}/${id}`, reference: payment.id, trace: traceOf(payment) };
  if (kind === 'void') return connector.void(call);
  return connector.capture({ ...call, money: { amountMinor, currency: payment.currency } });
}

/** Voids what nobody has paid or captured in time. */
export function sendExpiry({ connectors }: Sending, payment: PaymentRow): Promise<VoidAnswer> {
  return connectors.get(payment.processor).void({
    idempotencyKey: `payment/${payment.id}/expire`,
    reference: payment.id,
    trace: traceOf(payment),
  });
}

export function sendRefund({ connectors }: Sending, payment: PaymentRow, refund: RefundRow): Promise<RefundAnswer> {
  return connectors.get(payment.processor).refund({
    idempotencyKey: `refund/${refund.id}`,
    paymentReference: payment.id,
    refundReference: refund.id,
    trace: traceOf(payment),
    money: { amountMinor: refund.amount_minor, currency: refund.currency },
  });
}

/** Asks by our own reference what became of a payment. */
export function askAboutPayment({ connectors }: Sending, payment: PaymentRow): Promise<PaymentInquiry> {
  return connectors.get(payment.processor).inquirePayment(payment.id, traceOf(payment));
}

/** The same about a refund; undefined when the processor never got it. */
export async function askAboutRefund(
  { connectors }: Sending,
  payment: PaymentRow,
  refund: RefundRow,
): Promise<Exclude<RefundInquiry, { kind: 'not_found' }> | undefined> {
  const answer = await connectors.get(payment.processor).inquireRefund(refund.id, traceOf(payment));
  return answer.kind === 'not_found' ? undefined : answer;
}

/** How long after the last send the processor of a payment may not know it yet, in milliseconds. */
export function inFlightMs({ connectors, timers }: Sending, { processor }: PaymentRow): number {
  return Math.max(timers.processorInFlightMs, connectors.get(processor).inFlightMs ?? 0);
}
