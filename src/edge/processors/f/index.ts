import type { Connector, ProcessorAnswer } from '../../../domain/connector';
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
import { asObject, readObject } from '../reading';
import { receivers } from './callback';
import { payerAction, waitingFor } from './payer-action';
import { orderMeaning, refundMeaning, rejection } from './status';
import {
  amountOf,
  type OrderWire,
  orderBody,
  type RefundWire,
  readOrder,
  readPayout,
  readPayouts,
  readRefund,
} from './wire';

/**
 * Alternative methods outside Iberia, UPI, and codes to scan. JSON over HTTP in minor units; the payer pays elsewhere,
 * and everything paid is captured.
 */
export function createConnectorF({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const authorization = `Basic ${Buffer.from(`tillway:${apiKey}`).toString('base64')}`;
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization } });
  const post = (path: string, idempotencyKey: string, body: string) =>
    http.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body,
    });
  const get = (path: string) => http.send({ method: 'GET', path });
  const orderPath = (reference: string) => `/v2/orders/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) => inquiry(orderAnswer(await get(orderPath(reference)), reference));

  return {
    processor: 'f',
    name: 'Processor F',
    capabilities: { kinds: ['apm', 'upi', 'qr'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = orderBody(request);
      if (!body) return { kind: 'not_charged', detail: 'processor F does not serve this kind of payment' };
      return orderAnswer(await post('/v2/orders', request.idempotencyKey, body), request.reference);
    },
    // What is paid is captured already: how it stands is the answer.
    capture: ({ reference }) => inquirePayment(reference),
    void: async ({ reference, idempotencyKey }) =>
      orderAnswer(await post(`${orderPath(reference)}/withdrawal`, idempotencyKey, '{}'), reference),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = JSON.stringify({ merchantReference: refundReference, amount: amountOf(money) });
      return refundAnswer(await post(`${orderPath(paymentReference)}/refunds`, idempotencyKey, body), refundReference);
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(refundAnswer(await get(`/v2/refunds/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => get(`/v2/payouts?${new URLSearchParams({ closedFrom: since, ...(after ? { after } : {}) })}`),
        (text) => readPayouts(readObject(text)),
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/v2/payouts/${encodeURIComponent(batchId)}`), batchId, (text) =>
        readPayout(readObject(text)),
      ),
  };
}

/** What a call is refused for is told together with how the order stands. */
function orderAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readOrder(asObject(readObject(text)?.order));
  return answerAbout(result, reference, read, answerOf, INVALID_PAYMENT);
}

function refundAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readRefund(asObject(readObject(text)?.refund));
  return answerAbout(result, reference, read, answerOfRefund, INVALID_REFUND);
}

function answerOf(order: OrderWire): ProcessorAnswer {
  const processorReference = order.orderId;
  switch (orderMeaning(order.state)) {
    case 'waiting': {
      const action = order.nextStep && payerAction(order.nextStep, order.money);
      if (!order.nextStep || !action) return unreadable(200);
      return { kind: 'payer_action', processorReference, action, detail: waitingFor(order.nextStep) };
    }
    case 'captured':
      return order.captured ? { kind: 'captured', processorReference, money: order.captured } : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...rejection(order.rejection) };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function answerOfRefund(refund: RefundWire): ProcessorAnswer {
  const processorReference = refund.refundId;
  switch (refundMeaning(refund.state)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money: refund.money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
