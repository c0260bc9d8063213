import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, money, onlyOnce, optional, optionalText, text } from '../callback';
import { eventType, refusal } from './status';
import { readNumberedMoney, readTime } from './wire';

/**
 * The form field `signature`: HMAC-SHA256, in hexadecimal, over all other fields, in the order and the very encoding in
 * which they came.
 */
function verify({ body }: RawCallback, secret: string): boolean {
  // One character for each byte, so that what is signed is what came.
  const fields = body.toString('latin1').split('&');
  const signatures = fields.filter((field) => field.startsWith('signature='));
  const signed = fields.filter((field) => !field.startsWith('signature=')).join('&');
  const [signature] = signatures;
  return (
    signatures.length === 1 && isHmacOf(Buffer.from(signed, 'latin1'), signature?.slice('signature='.length), secret)
  );
}

/** Both receivers take one form: payments by card, and those of the hosted page. */
function parse(raw: RawCallback): ProcessorEvent {
  const fields = onlyOnce(new URLSearchParams(raw.body.toString('utf8')));
  const state = text(fields, 'state');
  const type = eventType(state);
  const batchId = type === 'settlement_batch' ? text(fields, 'batch_id') : undefined;
  const responseCode = optionalText(fields, 'response_code');
  return {
    eventId: text(fields, 'notice_id'),
    reference: batchId ?? optionalText(fields, 'credit_id') ?? text(fields, 'order_id'),
    type,
    processorStatus: state,
    money: money(fields, readNumberedMoney),
    occurredAt: optional(fields.time, readTime, 'time is not YYYYMMDDhhmmss'),
    processorReference: optionalText(fields, 'txn_id'),
    code: type === 'failed' ? refusal(responseCode).code : undefined,
    isSoft: type === 'failed' ? refusal(responseCode).soft : undefined,
    caseId: optionalText(fields, 'case_id'),
    reason: type === 'failed' ? refusal(responseCode).detail : optionalText(fields, 'reason'),
    batchId,
  };
}

export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_c', method: 'POST', verify, parse },
  { name: 'processor_chp', method: 'POST', verify, parse },
];
