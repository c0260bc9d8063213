import type { Context } from 'koa';
import { isCurrency, type Money, parseAmount } from '../../domain/money';
import { makeId } from './records';
import { Refusal } from './refusal';

/** What a request says: members of a JSON object, or fields of a form. */
export type Fields = Record<string, unknown>;

const LIMIT_BYTES = 65_536;
const LONGEST_TEXT = 2_048;

/** The raw bytes of a request. Throws Refusal `too_large` beyond `limitBytes`. */
export async function readBody(ctx: Context, limitBytes = LIMIT_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of ctx.req) {
    size += (chunk as Buffer).length;
    if (size > limitBytes) throw new Refusal('too_large', `The body is larger than ${limitBytes} bytes.`);
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** The JSON object a request holds. Throws Refusal `invalid_request`; its message quotes nothing of the body. */
export async function readJson(ctx: Context, limitBytes = LIMIT_BYTES): Promise<Fields> {
  const body = await readBody(ctx, limitBytes);
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Answered below, together with JSON that is no object.
  }
  throw new Refusal('invalid_request', 'The body is not a JSON object.');
}

/** The fields of a form. Throws Refusal `invalid_request` when a field is there twice. */
export async function readForm(ctx: Context): Promise<Record<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams((await readBody(ctx)).toString('utf8'))) {
    if (fields.has(name)) throw new Refusal('invalid_request', 'A field is there twice.');
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** The `Idempotency-Key` header. Without a key, each request is one of its own. */
export function keyOf(ctx: Context): string {
  return ctx.get('idempotency-key') || makeId('key');
}

/** Throws Refusal `invalid_request` when it is missing, empty, or longer than `longest` characters. */
export function textOf(fields: Fields, name: string, longest = LONGEST_TEXT): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > longest) throw invalid(name);
  return value;
}

/** The same; undefined when it is missing or empty. */
export function optionalTextOf(fields: Fields, name: string, longest?: number): string | undefined {
  return fields[name] === undefined || fields[name] === '' ? undefined : textOf(fields, name, longest);
}

/** Throws Refusal `invalid_request` when it is no object. */
export function membersOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return value as Fields;
}

/** An amount in major units. Throws Refusal `invalid_request`, which names the field that is wrong. */
export function moneyOf(amount: unknown, currency: unknown, names: { amount: string; currency?: string }): Money {
  if (typeof currency !== 'string' || !isCurrency(currency)) throw invalid(names.currency ?? names.amount);
  try {
    if (typeof amount === 'string') return { amountMinor: parseAmount(amount, currency), currency };
  } catch {
    // Refused below, as what is no text is.
  }
  throw invalid(names.amount);
}

export function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
