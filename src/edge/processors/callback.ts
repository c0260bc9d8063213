import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RawCallback } from '../../domain/connector';
import { DomainError } from '../../domain/errors';
import type { Money } from '../../domain/money';
import { asObject, type Fields, isText, isTime, readMoney, readObject } from './reading';

/** What all callbacks have in common: signatures over raw bytes, and members that must be there. */

/**
 * True when `signature` is the HMAC of `content` under `secret`. Constant time; false on an empty secret, which would
 * make every forger's signature right.
 */
export function isHmacOf(
  content: Buffer | string,
  signature: string | undefined,
  secret: string,
  { algorithm = 'sha256', encoding = 'hex' }: { algorithm?: 'sha256' | 'sha512'; encoding?: 'hex' | 'base64' } = {},
): boolean {
  if (!secret || !signature) return false;
  const right = createHmac(algorithm, secret).update(content).digest();
  const form = encoding === 'hex' ? /^[0-9a-fA-F]+$/ : /^[A-Za-z0-9+/]+={0,2}$/;
  const given = form.test(signature) ? Buffer.from(signature, encoding) : Buffer.alloc(0);
  return given.length === right.length && timingSafeEqual(given, right);
}

const TOLERANCE_S = 5 * 60;

/** Whether a time that was signed along (seconds since 1970, as text) is at most five minutes from now: older is a replay. */
export function isRecent(timestamp: string | undefined): timestamp is string {
  return /^\d{1,12}$/.test(timestamp ?? '') && Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_S;
}

/**
 * A query as signers sort it: each parameter exactly as it was received, percent-encoding included, as `name=value`,
 * sorted by name, then by value, in the order of their bytes, and joined with `&`. The parameter named
 * `signatureName` is left out and answered; undefined unless there is exactly one.
 */
export function sortedQuery(
  query: string,
  signatureName = 'signature',
): { content: string; signature: string } | undefined {
  const parameters = query.split('&').map((text) => {
    const [name = '', ...rest] = text.split('=');
    return { name, value: rest.join('=') };
  });
  const signatures = parameters.filter(({ name }) => name === signatureName);
  const content = parameters
    .filter(({ name }) => name !== signatureName)
    .sort((one, other) => compareBytes(one.name, other.name) || compareBytes(one.value, other.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
  return signatures.length === 1 ? { content, signature: signatures[0]!.value } : undefined;
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The parameters of a form or query. Two values for one name are two meanings: refused. */
export function onlyOnce(parameters: URLSearchParams): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw malformed(`${name.slice(0, 64)} is there twice`);
    fields.set(name, value);
  }
  return asObject(Object.fromEntries(fields)) ?? {};
}

/** A member that must be there. Throws `malformed_callback`. */
export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isText(value)) throw malformed(`${name} is missing`);
  return value;
}

export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return isText(value) ? value : undefined;
}

/** Absent together, or right together. */
export function money(
  fields: Fields,
  read: (amount: unknown, currency: unknown) => Money | undefined = readMoney,
  [amountName, currencyName]: [string, string] = ['amount', 'currency'],
): Money | undefined {
  const { [amountName]: amount, [currencyName]: currency } = fields;
  if (amount === undefined && currency === undefined) return undefined;
  return readable(read(amount, currency), `${amountName} and ${currencyName} do not make an amount`);
}

/** A member that may be absent. Throws `malformed_callback` where it is there and cannot be read. */
export function optional<Value>(
  value: unknown,
  read: (value: unknown) => Value | undefined,
  complaint: string,
): Value | undefined {
  return value === undefined ? undefined : readable(read(value), complaint);
}

/** A time in UTC, where there is one. */
export function time(fields: Fields, name = 'occurredAt'): string | undefined {
  return optional(fields[name], (value) => (isTime(value) ? value : undefined), `${name} is not a time in UTC`);
}

function readable<Value>(value: Value | undefined, complaint: string): Value {
  if (value === undefined) throw malformed(complaint);
  return value;
}

/** The JSON object that a callback carries. */
export function jsonBody({ body }: RawCallback): Fields {
  return readable(readObject(body.toString('utf8')), 'the body is not a JSON object');
}

export function malformed(what: string): DomainError {
  return new DomainError('malformed_callback', `This callback cannot be read: ${what}`);
}
