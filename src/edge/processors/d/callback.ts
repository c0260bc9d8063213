import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { malformed, optionalText, text } from '../callback';
import { type Fields, readObject } from '../reading';
import { isSignatureOf } from './signature';
import { eventType, refusal } from './status';
import { readTime, readTotal } from './wire';

/** The header `Signature-RSA`: RSA with SHA-256 over the raw body, base64. */
function verify({ body, headers }: RawCallback, secret: string): boolean {
  return isSignatureOf(body, headers['signature-rsa'], secret);
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = readObject(raw.body.toString('utf8'));
  if (!fields) throw malformed('the body is not a JSON object');
  const status = text(fields, 'status');
  const type = eventType(status);
  const batchId = type === 'settlement_batch' ? text(fields, 'statement') : undefined;
  const returnCode = optionalText(fields, 'return_code');
  return {
    eventId: text(fields, 'notice'),
    reference: batchId ?? optionalText(fields, 'refund') ?? text(fields, 'order'),
    type,
    processorStatus: status,
    money: moneyOf(fields),
    occurredAt: timeOf(fields),
    processorReference: optionalText(fields, 'id'),
    code: type === 'failed' ? refusal(returnCode).code : undefined,
    caseId: optionalText(fields, 'dispute'),
    reason: type === 'failed' ? refusal(returnCode).detail : optionalText(fields, 'reason'),
    batchId,
  };
}

function moneyOf({ total }: Fields): ProcessorEvent['money'] {
  if (total === undefined) return undefined;
  const money = readTotal(total);
  if (!money) throw malformed('total is not an amount');
  return money;
}

function timeOf({ happened }: Fields): string | undefined {
  if (happened === undefined) return undefined;
  const time = readTime(happened);
  if (!time) throw malformed('happened is not a time');
  return time;
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_dhp', method: 'POST', verify, parse }];
