import type { Connector } from '../../../domain/connector';
import type { PaymentStanding, RefundStanding, Unknown } from '../../../domain/processor-answers';
import {
  answerAbout,
  answerAboutRefund,
  authorizeAnswer,
  captureAnswer,
  type Heard,
  inquiry,
  paymentStanding,
  redirectTo,
  refundAnswer,
  settlementBatches,
  settlementReport,
  voidAnswer,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import { amountFields, asObject, type Fields, readObject } from '../reading';
import { receivers } from './callback';
import { cardUpdate } from './card-updates';
import { disputesOver } from './disputes';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { authorizeBody, type PaymentWire, readBatches, readPayment, readRefund, readSettlement } from './wire';

/** Cards, recurring payments, disputes. JSON over HTTP, decimal amounts, one idempotency key per call. */
export function createConnectorA({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization: `Bearer ${apiKey}` } });
  const paymentPath = (reference: string) => `/v1/payments/${encodeURIComponent(reference)}`;

  return {
    processor: 'a',
    name: 'Processor A',
    capabilities: { kinds: ['card'], manualCapture: true, partialRefund: true, verifiesCards: true, exemptions: true },
    receivers,
    authorize: async (request) => {
      const result = await http.postJson('/v1/payments', authorizeBody(request), request.idempotencyKey);
      return authorizeAnswer(aboutPayment(result, request.reference));
    },
    completeAuthentication: async ({ reference, idempotencyKey, cres }) => {
      const result = await http.postJson(`${paymentPath(reference)}/authentication`, { cres }, idempotencyKey);
      // What is wrong with the challenge response, or keeps it from arriving, says nothing about the payment.
      return inquiry(aboutPayment(result, reference));
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const path = `${paymentPath(reference)}/captures`;
      return captureAnswer(aboutPayment(await http.postJson(path, amountFields(money), idempotencyKey), reference));
    },
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(aboutPayment(await http.postJson(`${paymentPath(reference)}/cancel`, {}, idempotencyKey), reference)),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const path = `${paymentPath(paymentReference)}/refunds`;
      const body = { reference: refundReference, ...amountFields(money) };
      return refundAnswer(aboutRefund(await http.postJson(path, body, idempotencyKey), refundReference));
    },
    inquirePayment: async (reference) => inquiry(aboutPayment(await http.get(paymentPath(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(aboutRefund(await http.get(`/v1/refunds/${encodeURIComponent(reference)}`), reference)),
    disputes: disputesOver(http),
    cardUpdate: async (updateId, reference) =>
      cardUpdate(await http.get(`/v1/card-updates/${encodeURIComponent(updateId)}`), reference),
    settlementBatches: (since) =>
      settlementBatches((after) => http.get(`/v1/settlements?${formOf({ since, after })}`), readBatches),
    settlementReport: async (batchId) =>
      settlementReport(await http.get(`/v1/settlements/${encodeURIComponent(batchId)}`), batchId, readSettlement),
  };
}

function aboutPayment(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  const read = (text: string, status: number) => readPayment(about(text, status, 'payment'));
  return answerAbout(result, reference, read, answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const read = (text: string, status: number) => readRefund(about(text, status, 'refund'));
  return answerAboutRefund(result, reference, read, refundMeaning);
}

/** A call that is refused because of how things stand is answered with how they stand. */
function about(text: string, status: number, what: 'payment' | 'refund'): Fields | undefined {
  const fields = readObject(text);
  return status === 200 ? fields : asObject(fields?.[what]);
}

function answerOf({ refusalReason, challenge, ...payment }: PaymentWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(payment.status), {
    ...payment,
    action: challenge && redirectTo(challenge),
    decline: refusal(refusalReason),
  });
}
