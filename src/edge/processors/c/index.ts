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
import { receivers } from './callback';
import { paymentMeaning, refundMeaning, refusal } from './status';
import {
  amountForm,
  authorizeForm,
  type PaymentWire,
  readBatches,
  readForm,
  readPayment,
  readRefund,
  readSettlement,
} from './wire';

/**
 * Cards in the Caribbean, and a hosted page. Forms both ways, amounts in minor units. 3-D Secure ends at the processor:
 * once its payer has authenticated it charges, and tells.
 */
export function createConnectorC({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const authorization = `Basic ${Buffer.from(`tillway:${apiKey}`).toString('base64')}`;
  const http = new ProcessorHttp({ baseUrl, timeoutMs, headers: { authorization } });
  const post = (path: string, form: URLSearchParams) => http.postForm(`/gateway/${path}`, form);
  const get = (path: string, query: Record<string, string | undefined>) =>
    http.get(`/gateway/${path}?${formOf(query)}`);

  return {
    processor: 'c',
    name: 'Processor C',
    capabilities: { kinds: ['card', 'hosted_page'], manualCapture: true, partialRefund: true, exemptions: true },
    receivers,
    authorize: async (request) => {
      const form = authorizeForm(request);
      if (!form) return notServed('C', 'this kind of payment or currency');
      return authorizeAnswer(aboutPayment(await post('payment', form), request.reference));
    },
    capture: async ({ reference, idempotencyKey, money }) => {
      const form = formOf({ request_id: idempotencyKey, order_id: reference, ...amountForm(money) });
      return captureAnswer(aboutPayment(await post('capture', form), reference));
    },
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(
        aboutPayment(await post('reversal', formOf({ request_id: idempotencyKey, order_id: reference })), reference),
      ),
    refund: async ({ paymentReference, refundReference, idempotencyKey, money }) => {
      const ids = { request_id: idempotencyKey, order_id: paymentReference, credit_id: refundReference };
      return refundAnswer(aboutRefund(await post('credit', formOf({ ...ids, ...amountForm(money) })), refundReference));
    },
    inquirePayment: async (reference) =>
      inquiry(aboutPayment(await get('payment', { order_id: reference }), reference)),
    inquireRefund: async (reference) => inquiry(aboutRefund(await get('credit', { credit_id: reference }), reference)),
    settlementBatches: (since) => settlementBatches((after) => get('settlements', { since, after }), readBatches),
    settlementReport: async (batchId) =>
      settlementReport(await get('settlement', { batch_id: batchId }), batchId, readSettlement),
  };
}

/** A call that the payment's state does not allow is answered with the payment, and an `error` beside it. */
function aboutPayment(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  return answerAbout(result, reference, (text) => readPayment(readForm(text)), answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  return answerAboutRefund(result, reference, (text) => readRefund(readForm(text)), refundMeaning);
}

function answerOf({ responseCode, page, ...payment }: PaymentWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(payment.status), {
    ...payment,
    action: page && redirectTo(page),
    waitingFor: 'Waiting for the payer on the hosted page.',
    decline: refusal(responseCode),
  });
}
