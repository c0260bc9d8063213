import type { Connector } from '../../../domain/connector';
import type { PayerAction, PaymentStanding, RefundStanding, Unknown } from '../../../domain/processor-answers';
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
import { amountFields } from '../reading';
import { excessReturned, partlyArrived } from '../sent-money';
import { receivers } from './callback';
import { payoutsOver } from './payouts';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { transfersOver } from './transfers';
import {
  amountForm,
  authorizeForm,
  type PaymentWire,
  readAbout,
  readBatches,
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
  const paymentPath = (reference: string) => `/api/pagamentos/${encodeURIComponent(reference)}`;
  const inquirePayment = async (reference: string) =>
    inquiry(aboutPayment(await http.get(paymentPath(reference)), reference));

  return {
    processor: 'b',
    name: 'Processor B',
    capabilities: { kinds: ['apm', 'bank_transfer'], manualCapture: false, partialRefund: true },
    receivers,
    authorize: async (request) => {
      const form = authorizeForm(request);
      if (!form) return notServed('B');
      return authorizeAnswer(aboutPayment(await http.postForm('/api/pagamentos', form), request.reference));
    },
    // What is paid is captured already: how it stands is the answer.
    capture: async ({ reference }) => captureAnswer(await inquirePayment(reference)),
    void: async ({ reference, idempotencyKey }) => {
      const form = formOf({ pedido: idempotencyKey });
      return voidAnswer(aboutPayment(await http.postForm(`${paymentPath(reference)}/anulacao`, form), reference));
    },
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const form = formOf({ pedido: idempotencyKey, referencia: refundReference, ...amountForm(money) });
      return refundAnswer(
        aboutRefund(await http.postForm(`${paymentPath(paymentReference)}/devolucoes`, form), refundReference),
      );
    },
    inquirePayment,
    inquireRefund: async (reference) =>
      inquiry(aboutRefund(await http.get(`/api/devolucoes/${encodeURIComponent(reference)}`), reference)),
    transfers: transfersOver(http),
    payouts: payoutsOver(http),
    settlementBatches: (since) =>
      settlementBatches((after) => http.get(`/api/lotes?${formOf({ desde: since, depois_de: after })}`), readBatches),
    settlementReport: async (batchId) =>
      settlementReport(await http.get(`/api/lotes/${encodeURIComponent(batchId)}`), batchId, readSettlement),
  };
}

/** What a call is refused for is told together with how the payment stands. */
function aboutPayment(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  const read = (text: string, status: number) => readPayment(readAbout(text, status, 'pagamento'));
  return answerAbout(result, reference, read, answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const read = (text: string, status: number) => readRefund(readAbout(text, status, 'devolucao'));
  return answerAboutRefund(result, reference, read, refundMeaning);
}

function answerOf(payment: PaymentWire): PaymentStanding | Unknown {
  const { captured, received } = payment;
  return paymentStanding(paymentMeaning(payment.status), {
    ...payment,
    action: actionOf(payment),
    waitingFor: waitingFor(payment),
    detail: captured && excessReturned(received, captured),
    decline: refusal(payment.refusalReason),
  });
}

/** Undefined when the answer does not say enough for a payer to act on. */
function actionOf({ method, page, expiresAt, voucher, account, ...payment }: PaymentWire): PayerAction | undefined {
  if (!page || !expiresAt) return undefined;
  const missing = amountFields({ ...payment.money, amountMinor: missingOf(payment) });
  if (method === 'redirecionamento') return redirectTo({ url: page, expiresAt });
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
