import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, malformed, onlyOnce, optionalText, sortedQuery, text } from '../callback';
import { type Fields, isTime } from '../reading';
import { eventType, refusal } from './status';
import { readCommaMoney } from './wire';

/** The query's `assinatura` parameter: HMAC-SHA512, in hexadecimal, over all other parameters, sorted. */
function verify(raw: RawCallback, secret: string): boolean {
  const sorted = sortedQuery(raw.query, 'assinatura');
  return sorted !== undefined && isHmacOf(sorted.content, sorted.signature, secret, { algorithm: 'sha512' });
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = onlyOnce(new URLSearchParams(raw.query));
  const status = text(fields, 'estado');
  const type = eventType(status);
  const batchId = type === 'settlement_batch' ? text(fields, 'lote') : undefined;
  const reason = optionalText(fields, 'motivo');
  return {
    eventId: text(fields, 'evento'),
    // A transfer knows the account it arrived on, and what its sender wrote; matching it to a payment is ours.
    reference: batchId ?? text(fields, type === 'transfer_received' ? 'conta' : 'referencia'),
    type,
    processorStatus: status,
    money: moneyOf(fields),
    occurredAt: timeOf(fields),
    processorReference: optionalText(fields, 'transacao'),
    code: type === 'failed' ? refusal(reason).code : undefined,
    caseId: optionalText(fields, 'processo'),
    reason: type === 'transfer_received' ? optionalText(fields, 'descritivo') : reasonOf(type, reason),
    batchId,
  };
}

function reasonOf(type: ProcessorEvent['type'], reason: string | undefined): string | undefined {
  return type === 'failed' ? refusal(reason).detail : reason;
}

function moneyOf(fields: Fields): ProcessorEvent['money'] {
  if (fields.valor === undefined && fields.moeda === undefined) return undefined;
  const money = readCommaMoney(fields.valor, fields.moeda);
  if (!money) throw malformed('valor and moeda do not make an amount');
  return money;
}

function timeOf({ data }: Fields): string | undefined {
  if (data === undefined) return undefined;
  if (!isTime(data)) throw malformed('data is not a time in UTC');
  return data;
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_b', method: 'GET', verify, parse }];
