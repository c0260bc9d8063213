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
import { ProcessorHttp, type ProcessorHttpResult } from '../http';
import { amountFields, asObject, type Fields, readObject } from '../reading';
import { receivers } from './callback';
import { cardUpdate } from './card-updates';
import { disputesOver } from './disputes';
import { paymentMeaning, refundMeaning, refusal } from './status';
import {
  authorizeBody,
  type PaymentWire,
  type RefundWire,
  readBatches,
  readPayment,
  readRefund,
  readSettlement,
} from './wire';

export interface ConnectorAOptions {
  /** Such as `https://processor-a.example`; the paths of its API follow. */
  baseUrl: string;
  apiKey: string;
  /** For one whole call, in milliseconds. */
  timeoutMs: number;
}

/** Cards, recurring payments, disputes. JSON over HTTP, decimal amounts, one idempotency key per call. */
export function createConnectorA({ baseUrl, apiKey, timeoutMs }: ConnectorAOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization: `Bearer ${apiKey}` } });

  const post = (path: string, idempotencyKey: string, body: string) =>
    http.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body,
    });
  const get = (path: string) => http.send({ method: 'GET', path });
  const paymentPath = (reference: string) => `/v1/payments/${encodeURIComponent(reference)}`;

  return {
    processor: 'a',
    name: 'Processor A',
    capabilities: { kinds: ['card'], manualCapture: true, partialRefund: true, verifiesCards: true },
    receivers,
    authorize: async (request) =>
      paymentAnswer(await post('/v1/payments', request.idempotencyKey, authorizeBody(request)), request.reference),
    completeAuthentication: async ({ reference, idempotencyKey, cres }) => {
      const path = `${paymentPath(reference)}/authentication`;
      const result = await post(path, idempotencyKey, JSON.stringify({ cres }));
      // What is wrong with the challenge response, or keeps it from arriving, says nothing about the payment.
      return inquiry(paymentAnswer(result, reference, NOT_THE_ISSUERS));
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const path = `${paymentPath(reference)}/captures`;
      return paymentAnswer(await post(path, idempotencyKey, JSON.stringify(amountFields(money))), reference);
    },
    void: async ({ reference, idempotencyKey }) =>
      paymentAnswer(await post(`${paymentPath(reference)}/cancel`, idempotencyKey, '{}'), reference),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const path = `${paymentPath(paymentReference)}/refunds`;
      const body = JSON.stringify({ reference: refundReference, ...amountFields(money) });
      return refundAnswer(await post(path, idempotencyKey, body), refundReference);
    },
    inquirePayment: async (reference) => inquiry(paymentAnswer(await get(paymentPath(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(refundAnswer(await get(`/v1/refunds/${encodeURIComponent(reference)}`), reference)),
    disputes: disputesOver(post, get),
    cardUpdate: async (updateId, reference) =>
      cardUpdate(await get(`/v1/card-updates/${encodeURIComponent(updateId)}`), reference),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => {
          const query = new URLSearchParams({ since, ...(after ? { after } : {}) });
          return get(`/v1/settlements?${query}`);
        },
        (text) => readBatches(readObject(text)),
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/v1/settlements/${encodeURIComponent(batchId)}`), batchId, (text) =>
        readSettlement(readObject(text)),
      ),
  };
}

const NOT_THE_ISSUERS: ProcessorAnswer = {
  kind: 'unknown',
  detail: 'the processor does not accept the challenge response',
};

function paymentAnswer(result: ProcessorHttpResult, reference: string, invalid = INVALID_PAYMENT): ProcessorAnswer {
  const read = (text: string, status: number) => readPayment(about(text, status, 'payment'));
  return answerAbout(result, reference, read, answerOf, invalid);
}

function refundAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string, status: number) => readRefund(about(text, status, 'refund'));
  return answerAbout(result, reference, read, answerOfRefund, INVALID_REFUND);
}

/** A call that is refused because of how things stand is answered with how they stand. */
function about(text: string, status: number, what: 'payment' | 'refund'): Fields | undefined {
  const fields = readObject(text);
  return status === 200 ? fields : asObject(fields?.[what]);
}

function answerOf(payment: PaymentWire): ProcessorAnswer {
  const processorReference = payment.paymentId;
  switch (paymentMeaning(payment.status)) {
    case 'authorized':
      return { kind: 'authorized', processorReference, money: payment.money };
    case 'captured':
      return payment.captured ? { kind: 'captured', processorReference, money: payment.captured } : unreadable(200);
    case 'challenge':
      return payment.challenge
        ? { kind: 'challenge', processorReference, action: redirect(payment.challenge) }
        : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...refusal(payment.refusalReason) };
    case 'authentication_failed':
      return { kind: 'authentication_failed', processorReference, detail: '3-D Secure authentication failed.' };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function redirect(challenge: { url: string; expiresAt: string }): PayerAction {
  return { type: 'redirect', method: 'GET', url: challenge.url, expiresAt: challenge.expiresAt };
}

function answerOfRefund(refund: RefundWire): ProcessorAnswer {
  const processorReference = refund.refundId;
  switch (refundMeaning(refund.status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money: refund.money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
