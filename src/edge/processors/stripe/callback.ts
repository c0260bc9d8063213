import Stripe from 'stripe';
import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { RESULT } from '../../../domain/result-codes';
import { malformed, text } from '../callback';
import { asObject, type Fields, readObject } from '../reading';
import { disputeEvent, paymentEvent, refundMeaning, refusal } from './status';
import { idOf, metadataOf, type PaymentIntent, readDispute, readPaymentIntent, readRefund } from './wire';

/** Stripe signs its time along (`Stripe-Signature`), and signs a retry anew: what is older than five minutes is refused. */
const TOLERANCE_S = 300;

function verify(raw: RawCallback, secret: string): boolean {
  const signature = raw.headers['stripe-signature'];
  if (!secret || !signature) return false;
  try {
    return Stripe.webhooks.signature?.verifyHeader(raw.body, signature, secret, TOLERANCE_S) ?? false;
  } catch {
    return false;
  }
}

type Said = Pick<ProcessorEvent, 'reference' | 'type' | 'processorStatus'> & Partial<ProcessorEvent>;

function parse(raw: RawCallback): ProcessorEvent {
  const event = readObject(raw.body.toString('utf8'));
  const object = asObject(asObject(event?.data)?.object);
  if (event?.object !== 'event' || !object) throw malformed('the body is no event of Stripe');
  const { created } = event;
  if (typeof created !== 'number' || !Number.isSafeInteger(created)) throw malformed('created is not a time');
  return {
    eventId: text(event, 'id'),
    occurredAt: new Date(created * 1_000).toISOString(),
    ...said(text(event, 'type'), object),
  };
}

function said(type: string, object: Fields): Said {
  if (type === 'payout.paid') {
    const batchId = text(object, 'id');
    return { reference: batchId, type: 'settlement_batch', processorStatus: type, batchId };
  }
  switch (object.object) {
    case 'payment_intent':
      return ofPayment(type, object);
    case 'refund':
      return ofRefund(object);
    case 'dispute':
      return ofDispute(type, object);
    default: {
      // A charge carries the metadata of its payment. What it says, a PaymentIntent or a Refund says more precisely.
      const reference = metadataOf(object, 'reference') ?? idOf(object.payment_intent) ?? text(object, 'id');
      return { reference, type: 'pending', processorStatus: type };
    }
  }
}

function ofPayment(eventType: string, object: Fields): Said {
  const payment = readPaymentIntent(object);
  if (!payment) throw malformed('its payment cannot be read');
  const known = { reference: payment.reference ?? payment.id, processorReference: payment.id };
  const type = paymentEvent(eventType);
  const event = { ...known, type, processorStatus: payment.status, money: moneyOf(type, payment) };
  if (type !== 'failed') return event;
  const why = refusal(payment.refusal ?? {});
  if (why.kind === 'soft_declined')
    return { ...event, code: RESULT.authenticationFailed, reason: why.detail, isSoft: true };
  if (why.kind === 'authentication_failed') return { ...event, type: 'authentication_failed', reason: why.detail };
  return { ...event, code: why.code, reason: why.detail };
}

function moneyOf(type: ProcessorEvent['type'], payment: PaymentIntent): ProcessorEvent['money'] {
  if (type === 'captured') return payment.received;
  if (type === 'authorized') return payment.capturable;
  return undefined;
}

function ofRefund(object: Fields): Said {
  const refund = readRefund(object);
  if (!refund) throw malformed('its refund cannot be read');
  const { id, status, money } = refund;
  const type = refundMeaning(status) ?? 'pending';
  return { reference: refund.reference ?? id, processorReference: id, type, processorStatus: status, money };
}

/** A dispute names the PaymentIntent alone; which payment of ours that is, we know. */
function ofDispute(eventType: string, object: Fields): Said {
  const dispute = readDispute(object);
  if (!dispute) throw malformed('its dispute cannot be read');
  const { id, paymentIntent, status, reason, money } = dispute;
  return {
    reference: paymentIntent ?? id,
    type: disputeEvent(eventType, status),
    processorStatus: status,
    money,
    caseId: id,
    reason,
  };
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'stripe', method: 'POST', verify, parse }];
