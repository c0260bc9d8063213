import type { Connector } from '../../../domain/connector';
import type { PaymentStanding, RefundStanding, Unknown } from '../../../domain/processor-answers';
import {
  authorizeAnswer,
  captureAnswer,
  type Heard,
  inquiry,
  paymentStanding,
  redirectTo,
  refundAnswer,
  refundStanding,
  refused,
  settlementBatches,
  settlementReport,
  unreadable,
  voidAnswer,
} from '../answers';
import { type ConnectorOptions, formOf, ProcessorHttp, type ProcessorHttpResult } from '../http';
import type { Standing } from '../reading';
import { receivers } from './callback';
import { confirm } from './confirm';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { type Answer, type PaymentWire, payForm, readAnswer, readBatches, readSettlement, totalOf } from './wire';

/**
 * High-risk cards. One address takes every operation as a form and answers 200 with a code of its own; the key travels
 * in the form. 3-D Secure ends at the processor. Its callbacks are unsigned, so that it is asked what is true.
 */
export function createConnectorG({ baseUrl, apiKey, timeoutMs }: ConnectorOptions): Connector {
  const http = new ProcessorHttp({ baseUrl, timeoutMs });
  const send = (fields: Record<string, string | undefined>) =>
    http.postForm('/process', formOf({ key: apiKey, ...fields }));
  const onPayment = async (reference: string, fields: Record<string, string>): Promise<Heard<PaymentStanding>> =>
    aboutPayment(await send({ order: reference, ...fields }), reference);

  return {
    processor: 'g',
    name: 'Processor G',
    capabilities: { kinds: ['card'], manualCapture: true, partialRefund: true, exemptions: true },
    receivers,
    authorize: async (request) => {
      const form = payForm(request);
      return form
        ? authorizeAnswer(aboutPayment(await send(form), request.reference))
        : { kind: 'not_charged', detail: 'processor G takes cards only' };
    },
    capture: async ({ reference, idempotencyKey, money }) =>
      captureAnswer(await onPayment(reference, { op: 'CAPTURE', nonce: idempotencyKey, total: totalOf(money) })),
    void: async ({ reference, idempotencyKey }) =>
      voidAnswer(await onPayment(reference, { op: 'CANCEL', nonce: idempotencyKey })),
    refund: async ({ paymentReference: order, refundReference: refund, idempotencyKey: nonce, money }) =>
      refundAnswer(aboutRefund(await send({ op: 'REFUND', nonce, order, refund, total: totalOf(money) }), refund)),
    inquirePayment: async (reference) => inquiry(await onPayment(reference, { op: 'STATUS' })),
    inquireRefund: async (refund) => inquiry(aboutRefund(await send({ op: 'REFUND_STATUS', refund }), refund)),
    settlementReport: async (batch) => settlementReport(await send({ op: 'BATCH', batch }), batch, readSettlement),
    settlementBatches: (since) => settlementBatches((after) => send({ op: 'BATCHES', since, after }), readBatches),
    confirm: (hint) => confirm(hint, send),
  };
}

/** `00` done, `49` not allowed as things stand; both with how they stand. `44` not there, `40` not valid, `41` no key. */
function answerAbout<Wire extends { reference: string }, Standing>(
  result: ProcessorHttpResult,
  reference: string,
  read: (answer: Answer) => Wire | undefined,
  meaning: (wire: Wire) => Standing | Unknown,
): Heard<Standing> {
  if (result.kind !== 'answer') return result;
  // Nothing that G knows or does not know is told by an HTTP status: 404 is an address that is wrong.
  if (result.status !== 200) return result.status === 404 ? unreadable(404) : refused(result.status);
  const answer = readAnswer(result.text);
  switch (answer?.code) {
    case '00':
    case '49': {
      const wire = read(answer);
      return wire?.reference === reference ? meaning(wire) : unreadable(200);
    }
    case '44':
      return { kind: 'not_found' };
    case '40':
      return { kind: 'invalid' };
    case '41':
      return { kind: 'not_charged', detail: 'the processor turned the request away (41)' };
    default:
      return unreadable(200);
  }
}

function aboutPayment(result: ProcessorHttpResult, reference: string): Heard<PaymentStanding> {
  return answerAbout(result, reference, ({ payment }) => payment, answerOf);
}

function aboutRefund(result: ProcessorHttpResult, reference: string): Heard<RefundStanding> {
  const meaning = (refund: Standing) => refundStanding(refundMeaning(refund.status), refund);
  return answerAbout(result, reference, ({ refund }) => refund, meaning);
}

function answerOf({ page, reason, paid: captured, ...payment }: PaymentWire): PaymentStanding | Unknown {
  return paymentStanding(paymentMeaning(payment.status), {
    ...payment,
    captured,
    action: page && redirectTo(page),
    decline: refusal(reason),
  });
}
