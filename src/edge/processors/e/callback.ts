import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { jsonBody, malformed, optional, optionalText, text, time } from '../callback';
import { asObject, type Fields } from '../reading';
import { isSignedNow } from './signature';
import { collectionDetail, eventType, refusal } from './status';
import { readAmount, readMandate } from './wire';

/** Both receivers take one form: wallet payments, and everything else. */
function parse(raw: RawCallback): ProcessorEvent {
  const fields = jsonBody(raw);
  const event = text(fields, 'event');
  const about = asObject(fields.about);
  if (!about) throw malformed('about is missing');
  const type = eventType(event);
  const batchId = type === 'settlement_batch' ? text(about, 'statementId') : undefined;
  const isRefund = type === 'refunded' || type === 'refund_declined';
  const reasonCode = optionalText(about, 'reasonCode');
  return {
    eventId: text(fields, 'eventId'),
    reference: batchId ?? text(about, isRefund ? 'creditId' : 'endToEndId'),
    type,
    processorStatus: event,
    money: optional(about.amount, readAmount, 'amount is none'),
    occurredAt: time(fields, 'createdAt'),
    processorReference: optionalText(about, isRefund ? 'transferId' : 'paymentId'),
    code: type === 'failed' ? refusal(reasonCode).code : undefined,
    caseId: optionalText(about, 'caseId'),
    reason: reasonFor(type, event, about, reasonCode),
    batchId,
  };
}

function reasonFor(type: ProcessorEvent['type'], event: string, about: Fields, reasonCode: string | undefined) {
  if (type === 'failed') return refusal(reasonCode).detail;
  if (type === 'returned') return reasonCode && refusal(reasonCode).detail;
  if (type !== 'processing') return reasonCode;
  const mandate = readMandate(asObject(about.mandate));
  return mandate && collectionDetail(event.slice('collection.'.length), mandate);
}

const verify = (raw: RawCallback, secret: string) => isSignedNow(raw, secret);

export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_e', method: 'POST', verify, parse },
  { name: 'processor_eh2h', method: 'POST', verify, parse },
];
