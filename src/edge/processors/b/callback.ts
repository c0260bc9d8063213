import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, money, onlyOnce, optionalText, sortedQuery, text, time } from '../callback';
import { eventType, payoutReason, refusal } from './status';
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
    money: money(fields, readCommaMoney, ['valor', 'moeda']),
    occurredAt: time(fields, 'data'),
    processorReference: optionalText(fields, 'transacao'),
    code: type === 'failed' ? refusal(reason).code : undefined,
    caseId: optionalText(fields, 'processo'),
    reason: type === 'transfer_received' ? optionalText(fields, 'descritivo') : reasonOf(type, reason),
    batchId,
    transferId: optionalText(fields, 'transferencia'),
    payerName: optionalText(fields, 'ordenante'),
  };
}

function reasonOf(type: ProcessorEvent['type'], reason: string | undefined): string | undefined {
  if (type === 'payout_returned' || type === 'payout_refused') return payoutReason(reason);
  return type === 'failed' ? refusal(reason).detail : reason;
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_b', method: 'GET', verify, parse }];
