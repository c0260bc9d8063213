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
import type { ConnectorOptions } from '../connector-options';
import { ProcessorHttp, type ProcessorHttpResult } from '../http';
import { amountFields, asObject } from '../reading';
import { excessReturned, partlyArrived } from '../sent-money';
import { receivers } from './callback';
import { paymentMeaning, refundMeaning, refusal } from './status';
import {
  amountForm,
  authorizeForm,
  type PaymentWire,
  type RefundWire,
  readBatches,
  readDocument,
  readPayment,
  readRefund,
  readSettlement,
} from './wire';

/**
 * Local methods of Iberia (redirect, voucher) and bank transfers to virtual accounts. Forms go out, XML comes back; the
 * payer pays elsewhere, and everything paid is captured.
 */
export function createConnectorB({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { 'x-chave': apiKey } });
  const post = (path: string, form: URLSearchParams) =>
    http.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
  const get = (path: string) => http.send({ method: 'GET', path });
  const paymentPath = (reference: string) => `/api/pagamentos/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) =>
    inquiry(paymentAnswer(await get(paymentPath(reference)), reference));

  return {
    processor: 'b',
    name: 'Processor B',
    capabilities: { kinds: ['apm', 'bank_transfer'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const form = authorizeForm(request);
      if (!form) return { kind: 'not_charged', detail: 'processor B does not serve this kind of payment' };
      return paymentAnswer(await post('/api/pagamentos', form), request.reference);
    },
    // What is paid is captured already: how it stands is the answer.
    capture: ({ reference }) => inquirePayment(reference),
    void: async ({ reference, idempotencyKey }) => {
      const form = new URLSearchParams({ pedido: idempotencyKey });
      return paymentAnswer(await post(`${paymentPath(reference)}/anulacao`, form), reference);
    },
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const form = new URLSearchParams({ pedido: idempotencyKey, referencia: refundReference, ...amountForm(money) });
      return refundAnswer(await post(`${paymentPath(paymentReference)}/devolucoes`, form), refundReference);
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(refundAnswer(await get(`/api/devolucoes/${encodeURIComponent(reference)}`), reference)),
    settlementBatches: (since) =>
      settlementBatches(
        (after) => get(`/api/lotes?${new URLSearchParams({ desde: since, ...(after ? { depois_de: after } : {}) })}`),
        (text) => readBatches(readDocument(text, 'lotes')),
      ),
    settlementReport: async (batchId) =>
      settlementReport(await get(`/api/lotes/${encodeURIComponent(batchId)}`), batchId, (text) =>
        readSettlement(readDocument(text, 'lote')),
      ),
  };
}

/** What a call is refused for is told together with how the payment stands. */
function paymentAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string, status: number) => readPayment(about(text, status, 'pagamento'));
  return answerAbout(result, reference, read, answerOf, INVALID_PAYMENT);
}

function refundAnswer(result: ProcessorHttpResult, reference: string): ProcessorAnswer {
  const read = (text: string, status: number) => readRefund(about(text, status, 'devolucao'));
  return answerAbout(result, reference, read, answerOfRefund, INVALID_REFUND);
}

function about(text: string, status: number, what: string) {
  return status === 200 ? readDocument(text, what) : asObject(readDocument(text, 'erro')?.[what]);
}

function answerOf(payment: PaymentWire): ProcessorAnswer {
  const processorReference = payment.id;
  switch (paymentMeaning(payment.status)) {
    case 'waiting': {
      const action = actionOf(payment);
      return action
        ? { kind: 'payer_action', processorReference, action, detail: waitingFor(payment) }
        : unreadable(200);
    }
    case 'captured':
      return payment.captured
        ? {
            kind: 'captured',
            processorReference,
            money: payment.captured,
            detail: excessReturned(payment.received, payment.captured),
          }
        : unreadable(200);
    case 'declined':
      return { kind: 'declined', processorReference, ...refusal(payment.refusalReason) };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.' };
  }
}

/** Undefined when the answer does not say enough for a payer to act on. */
function actionOf({ method, page, expiresAt, voucher, account, ...payment }: PaymentWire): PayerAction | undefined {
  if (!page || !expiresAt) return undefined;
  const missing = amountFields({ ...payment.money, amountMinor: missingOf(payment) });
  if (method === 'redirecionamento') return { type: 'redirect', method: 'GET', url: page, expiresAt };
  if (method === 'multibanco' && voucher)
    return { type: 'instructions', url: page, fields: { ...voucher, ...missing }, expiresAt };
  if (method !== 'transferencia' || !account) return undefined;
  const { iban, bic, holder: accountHolder, reference } = account;
  const fields = { iban, bic, accountHolder, reference, ...missing };
  return { type: 'instructions', url: page, fields, expiresAt };
}

function missingOf({ money, received }: Pick<PaymentWire, 'money' | 'received'>): bigint {
  return money.amountMinor - (received?.amountMinor ?? 0n);
}

function waitingFor({ money, received, method }: PaymentWire): string {
  if (received && received.amountMinor > 0n) return partlyArrived(received, money);
  if (method === 'transferencia') return 'Waiting for the transfer of the payer.';
  return method === 'multibanco'
    ? 'Waiting for the payer to pay the voucher.'
    : 'Waiting for the payer to pay on the page of the method.';
}

function answerOfRefund(refund: RefundWire): ProcessorAnswer {
  const processorReference = refund.id;
  switch (refundMeaning(refund.status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money: refund.money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'The processor declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on the refund.' };
  }
}
