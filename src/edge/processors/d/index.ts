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
import { refundMeaning, refusal, transactionMeaning } from './status';
import {
  pageBody,
  type RefundWire,
  readRefund,
  readStatement,
  readStatements,
  readTransaction,
  type TransactionWire,
  totalOf,
} from './wire';

/** A hosted page in Israel. JSON over HTTP, decimal amounts with their currency in one text, times with their offset. */
export function createConnectorD({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { 'x-api-key': apiKey } });
  const post = (path: string, idempotencyKey: string, body: string) =>
    http.send({
      method: 'POST',
      path: `/api/${path}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body,
    });
  const get = (path: string) => http.send({ method: 'GET', path: `/api/${path}` });
  const transaction = (reference: string) => `transactions/${encodeURIComponent(reference)}`;

  return {
    processor: 'd',
    name: 'Processor D',
    capabilities: { kinds: ['hosted_page'], manualCapture: true, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = pageBody(request);
      if (!body) return { kind: 'not_charged', detail: 'processor D does not serve this kind of payment' };
      return transactionAnswer(await post('pages', request.idempotencyKey, body), request.reference);
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const body = JSON.stringify({ total: totalOf(money) });
      return transactionAnswer(await post(`${transaction(reference)}/charge`, idempotencyKey, body), reference);
    },
    void: async ({ reference, idempotencyKey }) =>
      transactionAnswer(await post(`${transaction(reference)}/release`, idempotencyKey, '{}'), reference),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = JSON.stringify({ refund: refundReference, total: totalOf(money) });
      const result = await post(`${transaction(paymentReference)}/refunds`, idempotencyKey, body);
      return refundAnswer(result, refundReference);
    },
    inquirePayment: async (reference) => inquiry(transactionAnswer(await get(transaction(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(refundAnswer(await get(`refunds/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => get(`statements?${new URLSearchParams({ since, ...(after ? { after } : {}) })}`),
        (text) => readStatements(readObject(text)),
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`statements/${encodeURIComponent(batchId)}`), batchId, (text) =>
        readStatement(readObject(text)),
      ),
  };
}

/** What a call is refused for is told together with how the transaction stands. */
function transactionAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readTransaction(asObject(readObject(text)?.transaction));
  return answerAbout(result, reference, read, answerOf, INVALID_PAYMENT);
}

function refundAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readRefund(asObject(readObject(text)?.refund));
  return answerAbout(result, reference, read, answerOfRefund, INVALID_REFUND);
}

function answerOf({ transaction: processorReference, page, ...transaction }: TransactionWire): ProcessorAnswer {
  switch (transactionMeaning(transaction.status)) {
    case 'paying':
      if (!page) return unreadable(200);
      return {
        kind: 'payer_action',
        processorReference,
        action: { type: 'redirect', method: 'GET', url: page.url, expiresAt: page.openUntil },
        detail: 'Waiting for the payer on the hosted page.',
      };
    case 'authorized':
      return { kind: 'authorized', processorReference, money: transaction.money };
    case 'captured':
      if (!transaction.charged) return unreadable(200);
      return { kind: 'captured', processorReference, money: transaction.charged };
    case 'declined':
      return { kind: 'declined', processorReference, ...refusal(transaction.returnCode) };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function answerOfRefund({ id: processorReference, status, money }: RefundWire): ProcessorAnswer {
  switch (refundMeaning(status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
