import type { Context } from 'koa';
import { Refusal } from './refusal';

const LIMIT_BYTES = 65_536;

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
export async function readJson(ctx: Context, limitBytes = LIMIT_BYTES): Promise<Record<string, unknown>> {
  const body = await readBody(ctx, limitBytes);
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
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
