import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, isRecent, malformed, optionalText, text } from '../callback';
import { asObject, type Fields, isTime, readObject } from '../reading';
import { excessReturned } from '../sent-money';
import { eventType, rejection } from './status';
import { type Confirmations, readAmount, readConfirmations } from './wire';

/** `X-Signature`: HMAC-SHA512, in base64, over the seconds in `X-Timestamp`, a point, and the body. */
function verify({ headers, body }: RawCallback, secret: string): boolean {
  const timestamp = headers['x-timestamp'];
  if (!isRecent(timestamp)) return false;
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  return isHmacOf(signed, headers['x-signature'], secret, { algorithm: 'sha512', encoding: 'base64' });
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = readObject(raw.body.toString('utf8'));
  if (!fields) throw malformed('the body is not a JSON object');
  const topic = text(fields, 'topic');
  const about = asObject(fields.about);
  if (!about) throw malformed('about is missing');
  const type = eventType(topic);
  const batchId = type === 'settlement_batch' ? text(about, 'payout') : undefined;
  const money = amountOf(about, 'amount');
  const reason = optionalText(about, 'reason');
  return {
    eventId: text(fields, 'event_id'),
    reference: batchId ?? text(about, 'merchant_ref'),
    type,
    processorStatus: topic,
    money,
    occurredAt: timeOf(fields),
    processorReference: optionalText(about, 'id'),
    code: type === 'failed' ? rejection(reason).code : undefined,
    caseId: optionalText(about, 'case'),
    reason: reasonOf(type, about, reason),
    detail: type === 'captured' && money ? excessReturned(amountOf(about, 'received'), money) : undefined,
    batchId,
  };
}

function reasonOf(type: ProcessorEvent['type'], about: Fields, reason: string | undefined): string | undefined {
  if (type === 'failed') return rejection(reason).detail;
  return type === 'processing' ? confirming(readConfirmations(asObject(about.confirmations))) : reason;
}

/** A sentence on what is waited for. */
export function confirming(confirmations: Confirmations | undefined): string {
  if (!confirmations) return 'The payment waits for its confirmations.';
  return `The payment has ${confirmations.seen} of ${confirmations.needed} confirmations.`;
}

function amountOf(about: Fields, name: string): ProcessorEvent['money'] {
  if (about[name] === undefined) return undefined;
  const money = readAmount(about[name]);
  if (!money) throw malformed(`${name} is none`);
  return money;
}

function timeOf({ at }: Fields): string | undefined {
  if (at === undefined) return undefined;
  if (!isTime(at)) throw malformed('at is not a time in UTC');
  return at;
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_h', method: 'POST', verify, parse }];
