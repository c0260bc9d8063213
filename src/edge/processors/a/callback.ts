import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { isHmacOf, jsonBody, malformed, money, onlyOnce, optionalText, sortedQuery, text, time } from '../callback';
import { eventTypes } from '../meanings';
import { readObject } from '../reading';
import { eventType, refusal } from './status';

/** `X-Signature` of processor A: HMAC-SHA256 over the raw body, in hexadecimal. */
function verifyBody(raw: RawCallback, secret: string): boolean {
  return isHmacOf(raw.body, raw.headers['x-signature'], secret);
}

/** The query's `signature` parameter: HMAC-SHA256, in hexadecimal, over all other parameters, sorted. */
function verifyQuery(raw: RawCallback, secret: string): boolean {
  const signed = sortedQuery(raw.query);
  return signed !== undefined && isHmacOf(signed.content, signed.signature, secret);
}

/** Standard, chargeback and refund callbacks are one JSON form; they differ in path and status words. */
function parseJson(raw: RawCallback): ProcessorEvent {
  const fields = jsonBody(raw);
  const status = text(fields, 'status');
  const type = eventType(status);
  const refused = type === 'failed' ? refusal(optionalText(fields, 'refusalReason')) : undefined;
  const batchId = type === 'settlement_batch' ? text(fields, 'batchId') : undefined;
  return {
    eventId: text(fields, 'eventId'),
    reference: batchId ?? text(fields, 'reference'),
    type,
    processorStatus: status,
    money: money(fields),
    occurredAt: time(fields),
    processorReference: optionalText(fields, 'refundId') ?? optionalText(fields, 'paymentId'),
    code: refused?.code,
    isSoft: refused?.soft,
    caseId: optionalText(fields, 'caseId'),
    reason: optionalText(fields, 'refusalReason') ?? optionalText(fields, 'reason'),
    batchId,
    updateId: type === 'card_update' ? text(fields, 'updateId') : undefined,
  };
}

/** 3-D Secure without a challenge: tells how it went, after the answer to the request already did. */
function parseQuery(raw: RawCallback): ProcessorEvent {
  const fields = onlyOnce(new URLSearchParams(raw.query));
  const status = text(fields, 'status');
  return {
    eventId: text(fields, 'eventId'),
    reference: text(fields, 'reference'),
    type: eventType(status),
    processorStatus: status,
    money: money(fields),
    occurredAt: time(fields),
    processorReference: optionalText(fields, 'paymentId'),
  };
}

/** `transStatus` of EMV 3-D Secure 2 (EMVCo, table A.1). */
const transStatusType = eventTypes({
  Y: 'authenticated',
  A: 'authenticated',
  N: 'authentication_failed',
  R: 'authentication_failed',
  U: 'authentication_failed',
});

/** The challenge response as the payer's browser would post it: form field `cres`, base64url JSON. */
function parseCres(raw: RawCallback): ProcessorEvent {
  const cres = text(onlyOnce(new URLSearchParams(raw.body.toString('utf8'))), 'cres');
  if (!/^[A-Za-z0-9_-]+=*$/.test(cres)) throw malformed('cres is not base64url');
  const fields = readObject(Buffer.from(cres, 'base64url').toString('utf8'));
  if (!fields) throw malformed('cres holds no JSON object');
  const transStatus = text(fields, 'transStatus');
  return {
    eventId: text(fields, 'eventId'),
    reference: text(fields, 'reference'),
    type: transStatusType(transStatus),
    processorStatus: transStatus,
    money: money(fields),
    occurredAt: time(fields),
    processorReference: optionalText(fields, 'acsTransID'),
    cres,
  };
}

/** The receivers of processor A, and the one for challenge results, which it signs in the same way. */
export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_a', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: 'processor_a3ds', method: 'GET', verify: verifyQuery, parse: parseQuery },
  { name: 'processor_a-chargeback', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: 'processor_a-refund', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: '3ds', method: 'POST', verify: verifyBody, parse: parseCres },
];
