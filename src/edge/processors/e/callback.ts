import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { malformed, optionalText, text } from '../callback';
import { asObject, type Fields, isTime, readObject } from '../reading';
import { isSignedNow } from './signature';
import { collectionDetail, eventType, reasonOf } from './status';
import { readAmount, readMandate } from './wire';

/** Both receivers take one form: wallet payments, and everything else. */
function parse(raw: RawCallback): ProcessorEvent {
  const fields = readObject(raw.body.toString('utf8'));
  if (!fields) throw malformed('it is not a JSON object');
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
    money: moneyOf(about),
    occurredAt: timeOf(fields),
    processorReference: optionalText(about, isRefund ? 'transferId' : 'paymentId'),
    code: type === 'failed' ? reasonOf(reasonCode).code : undefined,
    caseId: optionalText(about, 'caseId'),
    reason: reasonFor(type, event, about, reasonCode),
    batchId,
  };
}

function reasonFor(type: ProcessorEvent['type'], event: string, about: Fields, reasonCode: string | undefined) {
  if (type === 'failed') return reasonOf(reasonCode).detail;
  if (type === 'returned') return reasonCode && reasonOf(reasonCode).detail;
  if (type !== 'processing') return reasonCode;
  const mandate = readMandate(asObject(about.mandate));
  return mandate && collectionDetail(event.slice('collection.'.length), mandate);
}

function moneyOf({ amount }: Fields): ProcessorEvent['money'] {
  if (amount === undefined) return undefined;
  const money = readAmount(amount);
  if (!money) throw malformed('amount is none');
  return money;
}

function timeOf({ createdAt }: Fields): string | undefined {
  if (createdAt === undefined) return undefined;
  if (!isTime(createdAt)) throw malformed('createdAt is not a time in UTC');
  return createdAt;
}

const verify = (raw: RawCallback, secret: string) => isSignedNow(raw, secret);

export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_e', method: 'POST', verify, parse },
  { name: 'processor_eh2h', method: 'POST', verify, parse },
];
