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
  redirectTo,
  refundAnswer,
  settlementBatches,
  settlementReport,
  voidAnswer,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import { asObject, readObject } from '../reading';
import { receivers } from './callback';
import { paymentMeaning, refundMeaning, refusal } from './status';
import {
  pageBody,
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
  const post = (path: string, idempotencyKey: string, body: object) =>
    http.postJson(`/api/${path}`, body, idempotencyKey);
  const get = (path: string) => http.get(`/api/${path}`);
  const transaction = (reference: string) => `transactions/${encodeURIComponent(reference)}`;

  return {
    processor: 'd',
    name: 'Processor D',
    capabilities: { kinds: ['hosted_page'], manualCapture: true, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = pageBody(request);
      if (!body) return notServed('D');
      return authorizeAnswer(aboutTransaction(await post('pages', request.idempotencyKey, body), request.reference));
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const body = { total: totalOf(money) };
      return captureAnswer(
        aboutTransaction(await post(`${transaction(reference)}/charge`, idempotencyKey, body), reference),
      );
    },
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(aboutTransaction(await post(`${transaction(reference)}/release`, idempotencyKey, {}), reference)),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const body = { refund: refundReference, total: totalOf(money) };
      const result = await post(`${transaction(paymentReference)}/refunds`, idempotencyKey, body);
      return refundAnswer(aboutRefund(result, refundReference));
    },
    inquirePayment: async (reference) => inquiry(aboutTransaction(await get(transaction(reference)), reference)),
    inquireRefund: async (reference) =>
      inquiry(aboutRefund(await get(`refunds/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches((after) => get(`statements?${formOf({ since, after })}`), readStatements),
    settlementReport: async (batchId) =>
      settlementReport(await get(`statements/${encodeURIComponent(batchId)}`), batchId, readStatement),
  };
}

/** What a call is refused for is told together with how the transaction stands. */
function aboutTransaction(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  const read = (text: string) => readTransaction(asObject(readObject(text)?.transaction));
  return answerAbout(result, reference, read, answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const read = (text: string) => readRefund(asObject(readObject(text)?.refund));
  return answerAboutRefund(result, reference, read, refundMeaning);
}

function answerOf({ page, charged: captured, returnCode, ...transaction }: TransactionWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(transaction.status), {
    ...transaction,
    captured,
    action: page && redirectTo({ url: page.url, expiresAt: page.openUntil }),
    waitingFor: 'Waiting for the payer on the hosted page.',
    decline: refusal(returnCode),
  });
}
