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
import { amountFields, asObject, readObject } from '../reading';
import { excessReturned, partlyArrived } from '../sent-money';
import { confirming, receivers } from './callback';
import { invoiceMeaning, rejection, returnMeaning } from './status';
import {
  type InvoiceWire,
  invoiceBody,
  type ReturnWire,
  readInvoice,
  readPayout,
  readPayouts,
  readReturn,
  returnBody,
} from './wire';

/**
 * Crypto assets by invoice: a quote holds rate and asset amount until it ends, the payer sends to an address of the
 * invoice alone, and what has its confirmations is captured in the currency of the price.
 */
export function createConnectorH({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { 'x-account-token': apiKey } });
  const post = (path: string, body: object) =>
    http.send({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const get = (path: string) => http.send({ method: 'GET', path });
  const invoicePath = (reference: string) => `/api/invoices/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) =>
    inquiry(invoiceAnswer(await get(invoicePath(reference)), reference));

  return {
    processor: 'h',
    name: 'Processor H',
    capabilities: { kinds: ['crypto'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = invoiceBody(request);
      if (!body) return { kind: 'not_charged', detail: 'processor H does not serve this kind of payment' };
      return invoiceAnswer(await post('/api/invoices', body), request.reference);
    },
    // What is confirmed is captured already: how it stands is the answer.
    capture: ({ reference }) => inquirePayment(reference),
    void: async ({ reference, idempotencyKey }) =>
      invoiceAnswer(await post(`${invoicePath(reference)}/close`, { request_id: idempotencyKey }), reference),
    refund: async (request) => {
      const path = `${invoicePath(request.paymentReference)}/returns`;
      return returnAnswer(await post(path, returnBody(request)), request.refundReference);
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(returnAnswer(await get(`/api/returns/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => get(`/api/payouts?${new URLSearchParams({ closed_from: since, ...(after ? { after } : {}) })}`),
        (text) => readPayouts(readObject(text)),
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/api/payouts/${encodeURIComponent(batchId)}`), batchId, (text) =>
        readPayout(asObject(readObject(text)?.payout)),
      ),
  };
}

/** What a call is refused for is told together with how the invoice stands. */
function invoiceAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readInvoice(asObject(readObject(text)?.invoice));
  return answerAbout(result, reference, read, answerOf, INVALID_PAYMENT);
}

function returnAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string) => readReturn(asObject(readObject(text)?.return));
  return answerAbout(result, reference, read, answerOfReturn, INVALID_REFUND);
}

function answerOf(invoice: InvoiceWire): ProcessorAnswer {
  const { id: processorReference, credited, received, confirmations } = invoice;
  switch (invoiceMeaning(invoice.status)) {
    case 'waiting':
      return waiting(invoice);
    case 'confirming':
      return {
        kind: 'pending',
        processorReference,
        detail: confirming(confirmations),
        expectedBy: confirmations?.expectedBy,
      };
    case 'captured':
      return credited
        ? { kind: 'captured', processorReference, money: credited, detail: excessReturned(received, credited) }
        : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...rejection(invoice.rejection) };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

function waiting({ id: processorReference, quote, price, received }: InvoiceWire): ProcessorAnswer {
  if (!quote) return unreadable(200);
  const { asset, assetAmount, address, rate, uri, page: url, validUntil: expiresAt } = quote;
  const missing = { ...price, amountMinor: price.amountMinor - (received?.amountMinor ?? 0n) };
  const fields = { asset, assetAmount, address, rate, uri, ...amountFields(missing) };
  const detail =
    received && received.amountMinor > 0n
      ? partlyArrived(received, price)
      : `Waiting for the payer to send ${assetAmount} ${asset}.`;
  return { kind: 'payer_action', processorReference, detail, action: { type: 'instructions', url, fields, expiresAt } };
}

function answerOfReturn({ id: processorReference, status, money }: ReturnWire): ProcessorAnswer {
  switch (returnMeaning(status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
