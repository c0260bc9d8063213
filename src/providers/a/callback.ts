import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../domain/errors';
import type { Money } from '../../domain/money';
import type { CallbackReceiver, ProviderEvent, RawCallback } from '../connector';
import { eventType, refusal } from './status';
import { asObject, isText, isTime, readMoney, readObject } from './wire';

type Fields = Record<string, unknown>;

/** `X-Signature` of processor A: HMAC-SHA256 over the raw body, in hexadecimal. */
function verifyBody(raw: RawCallback, secret: string): boolean {
  return isSignatureOf(raw.body, raw.headers['x-signature'], secret);
}

/**
 * The query's `signature` parameter: HMAC-SHA256, in hexadecimal, over all other parameters. Each is taken exactly as it
 * was received, percent-encoding included, as `name=value`; they are sorted by name, then by value, in the order of
 * their bytes, and joined with `&`. Exactly one parameter is named `signature`.
 */
function verifyQuery(raw: RawCallback, secret: string): boolean {
  const parameters = raw.query.split('&').map((text) => {
    const [name = '', ...rest] = text.split('=');
    return { name, value: rest.join('=') };
  });
  const signatures = parameters.filter(({ name }) => name === 'signature');
  const signed = parameters
    .filter(({ name }) => name !== 'signature')
    .sort((one, other) => compareBytes(one.name, other.name) || compareBytes(one.value, other.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
  return signatures.length === 1 && isSignatureOf(Buffer.from(signed), signatures[0]?.value, secret);
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isSignatureOf(content: Buffer, signature: string | undefined, secret: string): boolean {
  // An empty secret would make every forger's signature right.
  if (!secret || !signature || !/^[0-9a-fA-F]{64}$/.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(content).digest(), Buffer.from(signature, 'hex'));
}

/** Standard, chargeback and refund callbacks are one JSON form; they differ in path and status words. */
function parseJson(raw: RawCallback): ProviderEvent {
  const fields = readObject(raw.body.toString('utf8'));
  if (!fields) throw malformed('the body is not a JSON object');
  const status = text(fields, 'status');
  const type = eventType(status);
  const batchId = type === 'settlement_batch' ? text(fields, 'batchId') : undefined;
  return {
    eventId: text(fields, 'eventId'),
    reference: batchId ?? text(fields, 'reference'),
    type,
    providerStatus: status,
    money: money(fields),
    occurredAt: time(fields),
    providerReference: optionalText(fields, 'refundId') ?? optionalText(fields, 'paymentId'),
    code: type === 'failed' ? refusal(optionalText(fields, 'refusalReason')).code : undefined,
    caseId: optionalText(fields, 'caseId'),
    reason: optionalText(fields, 'refusalReason') ?? optionalText(fields, 'reason'),
    batchId,
  };
}

/** 3-D Secure without a challenge: tells how it went, after the answer to the request already did. */
function parseQuery(raw: RawCallback): ProviderEvent {
  const fields = onlyOnce(new URLSearchParams(raw.query));
  const status = text(fields, 'status');
  return {
    eventId: text(fields, 'eventId'),
    reference: text(fields, 'reference'),
    type: eventType(status),
    providerStatus: status,
    money: money(fields),
    occurredAt: time(fields),
    providerReference: optionalText(fields, 'paymentId'),
  };
}

/** `transStatus` of EMV 3-D Secure 2 (EMVCo, table A.1). */
const TRANS_STATUS: ReadonlyMap<string, ProviderEvent['type']> = new Map([
  ['Y', 'authenticated'],
  ['A', 'authenticated'],
  ['N', 'authentication_failed'],
  ['R', 'authentication_failed'],
  ['U', 'authentication_failed'],
]);

/** The challenge response as the payer's browser would post it: form field `cres`, base64url JSON. */
function parseCres(raw: RawCallback): ProviderEvent {
  const cres = text(onlyOnce(new URLSearchParams(raw.body.toString('utf8'))), 'cres');
  if (!/^[A-Za-z0-9_-]+=*$/.test(cres)) throw malformed('cres is not base64url');
  const fields = readObject(Buffer.from(cres, 'base64url').toString('utf8'));
  if (!fields) throw malformed('cres holds no JSON object');
  const transStatus = text(fields, 'transStatus');
  return {
    eventId: text(fields, 'eventId'),
    reference: text(fields, 'reference'),
    type: TRANS_STATUS.get(transStatus) ?? 'pending',
    providerStatus: transStatus,
    money: money(fields),
    occurredAt: time(fields),
    providerReference: optionalText(fields, 'acsTransID'),
    cres,
  };
}

/** Two values for one name are two meanings: refused. */
function onlyOnce(parameters: URLSearchParams): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw malformed(`${name.slice(0, 64)} is there twice`);
    fields.set(name, value);
  }
  return asObject(Object.fromEntries(fields)) ?? {};
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isText(value)) throw malformed(`${name} is missing`);
  return value;
}

function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return isText(value) ? value : undefined;
}

/** Absent together, or right together. */
function money(fields: Fields): Money | undefined {
  if (fields.amount === undefined && fields.currency === undefined) return undefined;
  const value = readMoney(fields.amount, fields.currency);
  if (!value) throw malformed('amount and currency do not make an amount');
  return value;
}

function time(fields: Fields): string | undefined {
  if (fields.occurredAt === undefined) return undefined;
  if (!isTime(fields.occurredAt)) throw malformed('occurredAt is not a time in UTC');
  return fields.occurredAt;
}

function malformed(what: string): DomainError {
  return new DomainError('malformed_callback', `This callback cannot be read: ${what}`);
}

/** The receivers of processor A, and the one for challenge results, which it signs in the same way. */
export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_a', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: 'processor_a3ds', method: 'GET', verify: verifyQuery, parse: parseQuery },
  { name: 'processor_a-chargeback', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: 'processor_a-refund', method: 'POST', verify: verifyBody, parse: parseJson },
  { name: '3ds', method: 'POST', verify: verifyBody, parse: parseCres },
];
