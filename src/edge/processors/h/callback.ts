import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, isRecent, jsonBody, malformed, optional, optionalText, text, time } from '../callback';
import { asObject, type Fields } from '../reading';
import { excessReturned } from '../sent-money';
import { eventType, refusal } from './status';
import { type Confirmations, readAmount, readConfirmations } from './wire';

/** `X-Signature`: HMAC-SHA512, in base64, over the seconds in `X-Timestamp`, a point, and the body. */
function verify({ headers, body }: RawCallback, secret: string): boolean {
  const timestamp = headers['x-timestamp'];
  if (!isRecent(timestamp)) return false;
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  return isHmacOf(signed, headers['x-signature'], secret, { algorithm: 'sha512', encoding: 'base64' });
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = jsonBody(raw);
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
    occurredAt: time(fields, 'at'),
    processorReference: optionalText(about, 'id'),
    code: type === 'failed' ? refusal(reason).code : undefined,
    caseId: optionalText(about, 'case'),
    reason: reasonOf(type, about, reason),
    detail: type === 'captured' && money ? excessReturned(amountOf(about, 'received'), money) : undefined,
    batchId,
  };
}

function reasonOf(type: ProcessorEvent['type'], about: Fields, reason: string | undefined): string | undefined {
  if (type === 'failed') return refusal(reason).detail;
  return type === 'processing' ? confirming(readConfirmations(asObject(about.confirmations))) : reason;
}

/** A sentence on what is waited for. */
export function confirming(confirmations: Confirmations | undefined): string {
  if (!confirmations) return 'The payment waits for its confirmations.';
  return `The payment has ${confirmations.seen} of ${confirmations.needed} confirmations.`;
}

function amountOf(about: Fields, name: string): ProcessorEvent['money'] {
  return optional(about[name], readAmount, `${name} is none`);
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_h', method: 'POST', verify, parse }];
