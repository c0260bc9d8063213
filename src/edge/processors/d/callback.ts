import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { jsonBody, optional, optionalText, text } from '../callback';
import { isSignatureOf } from './signature';
import { eventType, refusal } from './status';
import { readTime, readTotal } from './wire';

/** The header `Signature-RSA`: RSA with SHA-256 over the raw body, base64. */
function verify({ body, headers }: RawCallback, secret: string): boolean {
  return isSignatureOf(body, headers['signature-rsa'], secret);
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = jsonBody(raw);
  const status = text(fields, 'status');
  const type = eventType(status);
  const batchId = type === 'settlement_batch' ? text(fields, 'statement') : undefined;
  const returnCode = optionalText(fields, 'return_code');
  return {
    eventId: text(fields, 'notice'),
    reference: batchId ?? optionalText(fields, 'refund') ?? text(fields, 'order'),
    type,
    processorStatus: status,
    money: optional(fields.total, readTotal, 'total is not an amount'),
    occurredAt: optional(fields.happened, readTime, 'happened is not a time'),
    processorReference: optionalText(fields, 'id'),
    code: type === 'failed' ? refusal(returnCode).code : undefined,
    caseId: optionalText(fields, 'dispute'),
    reason: type === 'failed' ? refusal(returnCode).detail : optionalText(fields, 'reason'),
    batchId,
  };
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_dhp', method: 'POST', verify, parse }];
