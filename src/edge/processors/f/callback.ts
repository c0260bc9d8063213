import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { malformed, optional, optionalText, text } from '../callback';
import { asObject } from '../reading';
import { payloadOf, verifiedPayload } from './signature';
import { eventType, refusal } from './status';
import { readMinor } from './wire';

/** The body is a compact JWS, signed with ES256. */
function verify(raw: RawCallback, secret: string): boolean {
  return verifiedPayload(raw.body.toString('latin1'), secret) !== undefined;
}

function parse(raw: RawCallback): ProcessorEvent {
  const fields = payloadOf(raw.body.toString('latin1'));
  if (!fields) throw malformed('the payload is not a JSON object');
  const event = text(fields, 'event');
  const data = asObject(fields.data);
  if (!data) throw malformed('data is missing');
  const type = eventType(event);
  const batchId = type === 'settlement_batch' ? text(data, 'payoutId') : undefined;
  const reason = optionalText(data, 'reason');
  return {
    eventId: text(fields, 'jti'),
    reference: batchId ?? text(data, 'merchantReference'),
    type,
    processorStatus: event,
    money: optional(data.amount, readMinor, 'amount is none'),
    occurredAt: optional(fields.iat, readIssuedAt, 'iat is not a time'),
    processorReference: optionalText(data, 'refundId') ?? optionalText(data, 'orderId'),
    code: type === 'failed' ? refusal(reason).code : undefined,
    caseId: optionalText(data, 'disputeId'),
    reason: type === 'failed' ? refusal(reason).detail : reason,
    batchId,
  };
}

/** `iat` of JWT (RFC 7519): seconds since 1970. */
function readIssuedAt(iat: unknown): string | undefined {
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat) || iat < 0 || iat > 8.64e12) return undefined;
  return new Date(iat * 1_000).toISOString();
}

export const receivers: readonly CallbackReceiver[] = [{ name: 'processor_f', method: 'POST', verify, parse }];
