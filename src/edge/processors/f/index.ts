import type { Connector } from '../../../domain/connector';
import type { PaymentStanding, RefundStanding, Unknown } from '../../../domain/processor-answers';
import {
  answerAbout,
  answerAboutRefund,
  authorizeAnswer,
  captureAnswer,
  type Heard,
  inquiry,
  notServed,
  paymentStanding,
  refundAnswer,
  settlementBatches,
  settlementReport,
  voidAnswer,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import { asObject, readObject } from '../reading';
import { receivers } from './callback';
import { payerAction, waitingFor } from './payer-action';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { amountOf, type OrderWire, orderBody, readOrder, readPayout, readPayouts, readRefund } from './wire';

/**
 * Alternative methods outside Iberia, UPI, and codes to scan. JSON over HTTP in minor units; the payer pays elsewhere,
 * and everything paid is captured.
 */
export function createConnectorF({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const authorization = `Basic ${Buffer.from(`tillway:${apiKey}`).toString('base64')}`;
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization } });
  const orderPath = (reference: string) => `/v2/orders/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) =>
    inquiry(aboutOrder(await http.get(orderPath(reference)), reference));

  return {
    processor: 'f',
    name: 'Processor F',
    capabilities: { kinds: ['apm', 'upi', 'qr'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = orderBody(request);
      if (!body) return notServed('F');
      return authorizeAnswer(
        aboutOrder(await http.postJson('/v2/orders', body, request.idempotencyKey), request.reference),
      );
    },
    // What is paid is captured already: how it stands is the answer.
    capture: async ({ reference }) => captureAnswer(await inquirePayment(reference)),
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(aboutOrder(await http.postJson(`${orderPath(reference)}/withdrawal`, {}, idempotencyKey), reference)),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const path = `${orderPath(paymentReference)}/refunds`;
      const body = { merchantReference: refundReference, amount: amountOf(money) };
      return refundAnswer(aboutRefund(await http.postJson(path, body, idempotencyKey), refundReference));
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(aboutRefund(await http.get(`/v2/refunds/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches((after) => http.get(`/v2/payouts?${formOf({ closedFrom: since, after })}`), readPayouts),
    settlementReport: async (batchId) =>
      settlementReport(await http.get(`/v2/payouts/${encodeURIComponent(batchId)}`), batchId, readPayout),
  };
}

/** What a call is refused for is told together with how the order stands. */
function aboutOrder(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  const read = (text: string) => readOrder(asObject(readObject(text)?.order));
  return answerAbout(result, reference, read, answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const read = (text: string) => readRefund(asObject(readObject(text)?.refund));
  return answerAboutRefund(result, reference, read, refundMeaning);
}

function answerOf({ nextStep, rejection, ...order }: OrderWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(order.status), {
    ...order,
    action: nextStep && payerAction(nextStep, order.money),
    waitingFor: nextStep && waitingFor(nextStep),
    decline: refusal(rejection),
  });
}
