import type { Connector, ProcessorAnswer } from '../../../domain/connector';
import { RESULT } from '../../../domain/result-codes';
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
import { collectionDetail, creditMeaning, paymentMeaning, reasonOf } from './status';
import {
  amountOf,
  type CreditWire,
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
  const post = (path: string, idempotencyKey: string, body: string) =>
    http.send({
      method: 'POST',
      path: `/api${path}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body,
    });
  const get = (path: string) => http.send({ method: 'GET', path: `/api${path}` });
  const paymentPath = (reference: string) => `/payments/${encodeURIComponent(reference)}`;

  return {
    processor: 'e',
    name: 'Processor E',
    capabilities: { kinds: ['wallet', 'direct_debit'], manualCapture: true, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = paymentBody(request);
      if (!body) return { kind: 'not_charged', detail: 'processor E does not serve this kind of payment' };
      return paymentAnswer(await post('/payments', request.idempotencyKey, body), request.reference);
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const body = JSON.stringify({ amount: amountOf(money) });
      return paymentAnswer(await post(`${paymentPath(reference)}/booking`, idempotencyKey, body), reference);
    },
    void: async ({ reference, idempotencyKey }) => {
      const result = await post(`${paymentPath(reference)}/revocation`, idempotencyKey, '{}');
      return revocationAnswer(result, paymentAnswer(result, reference));
    },
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = JSON.stringify({ creditId: refundReference, amount: amountOf(money) });
      const path = `${paymentPath(paymentReference)}/credit-transfers`;
      return creditAnswer(await post(path, idempotencyKey, body), refundReference);
    },
    inquirePayment: async (reference) => inquiry(paymentAnswer(await get(paymentPath(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(creditAnswer(await get(`/credit-transfers/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => get(`/statements?${new URLSearchParams({ since, ...(after ? { after } : {}) })}`),
        readStatements,
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/statements/${encodeURIComponent(batchId)}`), batchId, readStatement),
  };
}

function paymentAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, readPayment, answerOf, INVALID_PAYMENT);
}

/** A collection that is with the debtor's bank goes on, whatever is asked: the revocation is refused, for certain. */
function revocationAnswer(result: ProcessorHttpResult, answer: ProcessorAnswer): ProcessorAnswer {
  const isRefused = result.kind === 'answer' && result.status === 409 && answer.kind === 'pending';
  if (!isRefused) return answer;
  return { kind: 'declined', code: RESULT.declined, detail: "the collection is with the debtor's bank already" };
}

function creditAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  return answerAbout(result, reference, readCredit, answerOfCredit, INVALID_REFUND);
}

function answerOf({ paymentId, status, money, booked, reasonCode, mandate }: PaymentWire): ProcessorAnswer {
  const processorReference = paymentId;
  switch (paymentMeaning(status)) {
    case 'authorized':
      return { kind: 'authorized', processorReference, money };
    case 'captured':
      return booked ? { kind: 'captured', processorReference, money: booked } : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...reasonOf(reasonCode) };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return mandate
        ? { kind: 'pending', processorReference, detail: collectionDetail(status, mandate), expectedBy: mandate.dueAt }
        : { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function answerOfCredit({ transferId: processorReference, status, money }: CreditWire): ProcessorAnswer {
  switch (creditMeaning(status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The credit transfer was rejected.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The credit transfer is under way.' };
  }
}
