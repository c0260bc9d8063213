import type { Connector, PayerAction, ProcessorAnswer } from '../../../domain/connector';
import {
  answerAbout,
  INVALID_PAYMENT,
  INVALID_REFUND,
  inquiry,
  settlementBatches,
  settlementReport,
  unreadable,
} from '../answers';
import type { ConnectorOptions } from '../connector-options';
import { ProcessorHttp, type ProcessorHttpResult } from '../http';
import { receivers } from './callback';
import { paymentMeaning, refundMeaning, refusal } from './status';
import {
  amountForm,
  authorizeForm,
  formOf,
  type PaymentWire,
  type RefundWire,
  readBatches,
  readForm,
  readPayment,
  readRefund,
  readSettlement,
} from './wire';

const NOT_SERVED: ProcessorAnswer = {
  kind: 'not_charged',
  detail: 'processor C does not serve this kind of payment or currency',
};

/**
 * Cards in the Caribbean, and a hosted page. Forms both ways, amounts in minor units. 3-D Secure ends at the processor:
 * once its payer has authenticated it charges, and tells.
 */
export function createConnectorC({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const authorization = `Basic ${Buffer.from(`tillway:${apiKey}`).toString('base64')}`;
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization } });
  const post = (path: string, form: URLSearchParams) =>
    http.send({
      method: 'POST',
      path: `/gateway/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
  const get = (path: string, query: Record<string, string>) =>
    http.send({ method: 'GET', path: `/gateway/${path}?${new URLSearchParams(query)}` });

  return {
    processor: 'c',
    name: 'Processor C',
    capabilities: { kinds: ['card', 'hosted_page'], manualCapture: true, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const form = authorizeForm(request);
      return form ? paymentAnswer(await post('payment', form), request.reference) : NOT_SERVED;
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const form = formOf({ request_id: idempotencyKey, order_id: reference, ...amountForm(money) });
      return paymentAnswer(await post('capture', form), reference);
    },
    void: async ({ reference, idempotencyKey }) =>
      paymentAnswer(await post('reversal', formOf({ request_id: idempotencyKey, order_id: reference })), reference),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const ids = { request_id: idempotencyKey, order_id: paymentReference, credit_id: refundReference };
      return refundAnswer(await post('credit', formOf({ ...ids, ...amountForm(money) })), refundReference);
    },
    inquirePayment: async (reference) =>
      inquiry(paymentAnswer(await get('payment', { order_id: reference }), reference)),
    inquireRefund: async (reference) => inquiry(refundAnswer(await get('credit', { credit_id: reference }), reference)),
    settlementBatches: (since) =>
      settlementBatches((after) => get('settlements', { since, ...(after ? { after } : {}) }), readBatches),
    settlementReport: async (batchId) =>
      settlementReport(await get('settlement', { batch_id: batchId }), batchId, readSettlement),
  };
}

/** A call that the payment's state does not allow is answered with the payment, and an `error` beside it. */
function paymentAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, (text) => readPayment(readForm(text)), answerOf, INVALID_PAYMENT);
}

function refundAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, (text) => readRefund(readForm(text)), answerOfRefund, INVALID_REFUND);
}

function answerOf(payment: PaymentWire): ProcessorAnswer {
  const processorReference = payment.transactionId;
  const action = payment.page && redirectTo(payment.page);
  switch (paymentMeaning(payment.state)) {
    case 'authorized':
      return { kind: 'authorized', processorReference, money: payment.money };
    case 'captured':
      return payment.captured ? { kind: 'captured', processorReference, money: payment.captured } : unreadable(200);
    case 'authenticating':
      return action ? { kind: 'challenge', processorReference, action } : unreadable(200);
    case 'paying':
      return action
        ? { kind: 'payer_action', processorReference, action, detail: 'Waiting for the payer on the hosted page.' }
        : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...refusal(payment.responseCode) };
    case 'authentication_failed':
      return { kind: 'authentication_failed', processorReference, detail: '3-D Secure authentication failed.' };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function redirectTo({ url, expiresAt }: { url: string; expiresAt: string }): PayerAction {
  return { type: 'redirect', method: 'GET', url, expiresAt };
}

function answerOfRefund(refund: RefundWire): ProcessorAnswer {
  const processorReference = refund.transactionId;
  switch (refundMeaning(refund.state)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money: refund.money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
