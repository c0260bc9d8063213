import type { Connector } from '../../../domain/connector';
import type { PaymentStanding, RefundStanding, Unknown, VoidAnswer } from '../../../domain/processor-answers';
import {
  answerAbout,
  authorizeAnswer,
  captureAnswer,
  type Heard,
  inquiry,
  notServed,
  paymentStanding,
  refundAnswer,
  refundStanding,
  settlementBatches,
  settlementReport,
  voidAnswer,
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
      return authorizeAnswer(aboutPayment(await post('/payments', request.idempotencyKey, body), request.reference));
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const body = { amount: amountOf(money) };
      return captureAnswer(
        aboutPayment(await post(`${paymentPath(reference)}/booking`, idempotencyKey, body), reference),
      );
    },
    void: async ({ reference, idempotencyKey }) => {
      const result = await post(`${paymentPath(reference)}/revocation`, idempotencyKey, {});
      return revocationAnswer(result, aboutPayment(result, reference));
    },
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = { creditId: refundReference, amount: amountOf(money) };
      const path = `${paymentPath(paymentReference)}/credit-transfers`;
      return refundAnswer(aboutCredit(await post(path, idempotencyKey, body), refundReference));
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

function aboutPayment(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  return answerAbout(result, reference, readPayment, answerOf);
}

/** A collection that is with the debtor's bank goes on, whatever is asked: the revocation is refused, for certain. */
function revocationAnswer(result: ProcessorHttpResult, heard: Heard<PaymentStanding>): VoidAnswer {
  const isRefused = result.kind === 'answer' && result.status === 409 && heard.kind === 'pending';
  if (!isRefused) return voidAnswer(heard);
  return { kind: 'refused', detail: "the collection is with the debtor's bank already", standing: heard };
}

function aboutCredit(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  return answerAbout(result, reference, readCredit, answerOfCredit);
}

function answerOf({ booked: captured, reasonCode, mandate, ...payment }: PaymentWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(payment.status), {
    ...payment,
    captured,
    decline: refusal(reasonCode),
    pending: mandate && { detail: collectionDetail(payment.status, mandate), expectedBy: mandate.dueAt },
  });
}

function answerOfCredit(credit: Standing): RefundStanding {
  const [declined, pending] = ['The credit transfer was rejected.', 'The credit transfer is under way.'];
  return refundStanding(refundMeaning(credit.status), credit, declined, pending);
}
