import type { Connector, ProcessorAnswer } from '../../../domain/connector';
import { RESULT } from '../../../domain/result-codes';
import {
  answerAbout,
  INVALID_PAYMENT,
  INVALID_REFUND,
  inquiry,
  notServed,
  paymentAnswer,
  refundAnswer,
  settlementBatches,
  settlementReport,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import type { Standing } from '../reading';
import { receivers } from './callback';
import { collectionDetail, paymentMeaning, refundMeaning, refusal } from './status';
import {
  amountOf,
  type PaymentWire,
  paymentBody,
  readCredit,
  readPayment,
  readStatement,
  readStatements,
} from './wire';

/** Wallet tokens and SEPA direct debit: JSON over HTTP; refunds are credit transfers. */
export function createConnectorE({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization: `Bearer ${apiKey}` } });
  const post = (path: string, idempotencyKey: string, body: object) =>
    http.postJson(`/api${path}`, body, idempotencyKey);
  const get = (path: string) => http.get(`/api${path}`);
  const paymentPath = (reference: string) => `/payments/${encodeURIComponent(reference)}`;

  return {
    processor: 'e',
    name: 'Processor E',
    capabilities: { kinds: ['wallet', 'direct_debit'], manualCapture: true, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = paymentBody(request);
      if (!body) return notServed('E');
      return aboutPayment(await post('/payments', request.idempotencyKey, body), request.reference);
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const body = { amount: amountOf(money) };
      return aboutPayment(await post(`${paymentPath(reference)}/booking`, idempotencyKey, body), reference);
    },
    void: async ({ reference, idempotencyKey }) => {
      const result = await post(`${paymentPath(reference)}/revocation`, idempotencyKey, {});
      return revocationAnswer(result, aboutPayment(result, reference));
    },
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = { creditId: refundReference, amount: amountOf(money) };
      const path = `${paymentPath(paymentReference)}/credit-transfers`;
      return aboutCredit(await post(path, idempotencyKey, body), refundReference);
    },
    inquirePayment: async (reference) => inquiry(aboutPayment(await get(paymentPath(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(aboutCredit(await get(`/credit-transfers/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches((after) => get(`/statements?${formOf({ since, after })}`), readStatements),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/statements/${encodeURIComponent(batchId)}`), batchId, readStatement),
  };
}

function aboutPayment(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, readPayment, answerOf, INVALID_PAYMENT);
}

/** A collection that is with the debtor's bank goes on, whatever is asked: the revocation is refused, for certain. */
function revocationAnswer(result: ProcessorHttpResult, answer: ProcessorAnswer): ProcessorAnswer {
  const isRefused = result.kind === 'answer' && result.status === 409 && answer.kind === 'pending';
  if (!isRefused) return answer;
  return { kind: 'declined', code: RESULT.declined, detail: "the collection is with the debtor's bank already" };
}

function aboutCredit(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, readCredit, answerOfCredit, INVALID_REFUND);
}

function answerOf({ booked: captured, reasonCode, mandate, ...payment }: PaymentWire): ProcessorAnswer {
  return paymentAnswer(paymentMeaning(payment.status), {
    ...payment,
    captured,
    decline: refusal(reasonCode),
    pending: mandate && { detail: collectionDetail(payment.status, mandate), expectedBy: mandate.dueAt },
  });
}

function answerOfCredit(credit: Standing): ProcessorAnswer {
  const [declined, pending] = ['The credit transfer was rejected.', 'The credit transfer is under way.'];
  return refundAnswer(refundMeaning(credit.status), credit, declined, pending);
}
