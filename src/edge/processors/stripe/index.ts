import Stripe from 'stripe';
import type { AuthorizeRequest, Connector, PaymentTrace } from '../../../domain/connector';
import type { AuthorizeAnswer } from '../../../domain/processor-answers';
import {
  authorizeAnswer,
  captureAnswer,
  type Heard,
  INVALID_PAYMENT,
  INVALID_REFUND,
  inquiry,
  refundAnswer,
  voidAnswer,
} from '../answers';
import { amountParameter } from './amounts';
import { heardOfPayment, heardOfRefund, refundAmong } from './answers';
import { receivers } from './callback';
import { disputesOver } from './disputes';
import { failureOf } from './failure';
import { wholeList } from './listing';
import { locate } from './lookup';
import { cardParameters, confirmation, paymentParameters } from './parameters';
import { settlementBatches, settlementReport } from './settlement';
import { refusal } from './status';
import { StripeTransport } from './transport';

export interface StripeOptions {
  /** `sk_…`, or a restricted key that may write PaymentIntents, PaymentMethods, Refunds, Disputes and Files. */
  secretKey: string;
  /** Absent: Stripe itself. */
  apiUrl?: string;
  /** For one whole call, in milliseconds. */
  timeoutMs: number;
  /** Where a payer comes back to when the merchant names no address: Stripe asks for one. */
  returnUrl: string;
}

/**
 * A request whose connection broke may go on at Stripe for as long as its own time-out of 80 s, and be listed only then.
 */
const IN_FLIGHT_MS = 120_000;

/** Most refunds of one payment that are looked through. */
const MOST_REFUNDS = 1_000;

/** Cards through Stripe's PaymentIntents (docs/stripe.md). Stripe goes on by itself once a payer has authenticated. */
export function createStripeConnector({ secretKey, apiUrl, timeoutMs, returnUrl }: StripeOptions): Connector {
  const stripe = new Stripe(secretKey, {
    httpClient: new StripeTransport({ apiUrl, timeoutMs }),
    maxNetworkRetries: 0,
    telemetry: false,
  });

  /** A call about a payment that Stripe knows by another name than we do. */
  async function withPayment<Standing>(
    reference: string,
    trace: PaymentTrace | undefined,
    call: (id: string) => Promise<Heard<Standing>>,
  ): Promise<Heard<Standing>> {
    const located = await locate(stripe, reference, trace);
    return located.kind === 'found' ? call(located.id) : located;
  }

  /** The card becomes a PaymentMethod first: the parameters of a PaymentIntent have no place for its number. */
  async function authorize(request: AuthorizeRequest): Promise<AuthorizeAnswer> {
    const { instrument, money, reference, idempotencyKey } = request;
    const amount = amountParameter(money);
    if (instrument.kind !== 'card' || amount === undefined) return INVALID_PAYMENT;
    let method: string;
    try {
      const parameters = cardParameters(instrument.card, request.payer);
      ({ id: method } = await stripe.paymentMethods.create(parameters, { idempotencyKey: `${idempotencyKey}/card` }));
    } catch (error) {
      return withoutCard(error);
    }
    if (typeof method !== 'string') return { kind: 'not_charged', detail: 'Stripe did not take the card' };
    const declined = request.softDeclined?.processorReference;
    const call = declined
      ? stripe.paymentIntents.confirm(declined, confirmation(request, method, returnUrl), { idempotencyKey })
      : stripe.paymentIntents.create(paymentParameters(request, amount, method, returnUrl), { idempotencyKey });
    return authorizeAnswer(await heardOfPayment(call, reference));
  }

  return {
    processor: 'stripe',
    name: 'Stripe',
    capabilities: { kinds: ['card'], manualCapture: true, partialRefund: true },
    inFlightMs: IN_FLIGHT_MS,
    receivers,
    authorize,
    capture: async ({ reference, idempotencyKey, money, trace }) => {
      const amount = amountParameter(money);
      if (amount === undefined) return { kind: 'refused', detail: 'Stripe does not take such an amount' };
      const heard = await withPayment(reference, trace, (id) => {
        const call = stripe.paymentIntents.capture(id, { amount_to_capture: amount }, { idempotencyKey });
        return heardOfPayment(call, reference);
      });
      return captureAnswer(heard);
    },
    void: async ({ reference, idempotencyKey, trace }) =>
      voidAnswer(
        await withPayment(reference, trace, (id) =>
          heardOfPayment(stripe.paymentIntents.cancel(id, {}, { idempotencyKey }), reference),
        ),
      ),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money, trace }) => {
      const amount = amountParameter(money);
      if (amount === undefined) return INVALID_REFUND;
      const heard = await withPayment(paymentReference, trace, (id) => {
        const metadata = { reference: refundReference, payment_reference: paymentReference };
        const call = stripe.refunds.create({ payment_intent: id, amount, metadata }, { idempotencyKey });
        return heardOfRefund(call, refundReference);
      });
      return refundAnswer(heard);
    },
    inquirePayment: async (reference, trace) =>
      inquiry(
        await withPayment(reference, trace, (id) => heardOfPayment(stripe.paymentIntents.retrieve(id), reference)),
      ),
    inquireRefund: async (reference, trace) => {
      const id = trace?.processorReference;
      if (!id) return { kind: 'unknown', detail: 'Stripe has not told its name of the payment yet' };
      const refunds = stripe.refunds.list({ payment_intent: id, limit: 100 });
      return inquiry(await refundAmong(wholeList(refunds, MOST_REFUNDS), reference));
    },
    disputes: disputesOver(stripe),
    settlementBatches: (since) => settlementBatches(stripe, since),
    settlementReport: (batchId) => settlementReport(stripe, batchId),
  };
}

/** Nothing can have been charged yet; but a key that Stripe knows from another request was sent before. */
function withoutCard(error: unknown): AuthorizeAnswer {
  const failure = failureOf(error);
  switch (failure.kind) {
    case 'declined':
      return refusal(failure.refusal);
    case 'invalid':
      return INVALID_PAYMENT;
    case 'not_found':
      return { kind: 'not_charged', detail: 'Stripe did not take the card' };
    default:
      return failure;
  }
}
