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
  type PaymentWords,
  paymentStanding,
  refundAnswer,
  settlementBatches,
  settlementReport,
  voidAnswer,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import { amountFields, asObject, readObject } from '../reading';
import { excessReturned, partlyArrived } from '../sent-money';
import { confirming, receivers } from './callback';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { type InvoiceWire, invoiceBody, readInvoice, readPayout, readPayouts, readReturn, returnBody } from './wire';

/**
 * Crypto assets by invoice: a quote holds rate and asset amount until it ends, the payer sends to an address of the
 * invoice alone, and what has its confirmations is captured in the currency of the price.
 */
export function createConnectorH({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { 'x-account-token': apiKey } });
  const invoicePath = (reference: string) => `/api/invoices/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) =>
    inquiry(aboutInvoice(await http.get(invoicePath(reference)), reference));

  return {
    processor: 'h',
    name: 'Processor H',
    capabilities: { kinds: ['crypto'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const body = invoiceBody(request);
      if (!body) return notServed('H');
      return authorizeAnswer(aboutInvoice(await http.postJson('/api/invoices', body), request.reference));
    },
    // What is confirmed is captured already: how it stands is the answer.
    capture: async ({ reference }) => captureAnswer(await inquirePayment(reference)),
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(
        aboutInvoice(await http.postJson(`${invoicePath(reference)}/close`, { request_id: idempotencyKey }), reference),
      ),
    refund: async (request) => {
      const path = `${invoicePath(request.paymentReference)}/returns`;
      return refundAnswer(aboutReturn(await http.postJson(path, returnBody(request)), request.refundReference));
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(aboutReturn(await http.get(`/api/returns/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches((after) => http.get(`/api/payouts?${formOf({ closed_from: since, after })}`), readPayouts),
    settlementReport: async (batchId) =>
      settlementReport(await http.get(`/api/payouts/${encodeURIComponent(batchId)}`), batchId, readPayout),
  };
}

/** What a call is refused for is told together with how the invoice stands. */
function aboutInvoice(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  const read = (text: string) => readInvoice(asObject(readObject(text)?.invoice));
  return answerAbout(result, reference, read, answerOf);
}

function aboutReturn(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const read = (text: string) => readReturn(asObject(readObject(text)?.return));
  return answerAboutRefund(result, reference, read, refundMeaning);
}

function answerOf(invoice: InvoiceWire): PaymentStanding | Unknown {
  const { status, credited, received, confirmations } = invoice;
  const isConfirming = status === 'confirming';
  return paymentStanding(paymentMeaning(status), {
    ...invoice,
    captured: credited,
    ...payerAction(invoice),
    detail: credited && excessReturned(received, credited),
    decline: refusal(invoice.rejection),
    pending: isConfirming ? { detail: confirming(confirmations), expectedBy: confirmations?.expectedBy } : undefined,
  });
}

function payerAction({ quote, money: price, received }: InvoiceWire): Pick<PaymentWords, 'action' | 'waitingFor'> {
  if (!quote) return {};
  const { asset, assetAmount, address, rate, uri, page: url, validUntil: expiresAt } = quote;
  const missing = { ...price, amountMinor: price.amountMinor - (received?.amountMinor ?? 0n) };
  const fields = { asset, assetAmount, address, rate, uri, ...amountFields(missing) };
  const waitingFor =
    received && received.amountMinor > 0n
      ? partlyArrived(received, price)
      : `Waiting for the payer to send ${assetAmount} ${asset}.`;
  return { action: { type: 'instructions', url, fields, expiresAt }, waitingFor };
}
