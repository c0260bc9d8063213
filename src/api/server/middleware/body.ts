import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../domain/errors';
import type { Upload } from '../context';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const MAX_DEPTH = 32;
/** How much of an oversized body is read and thrown away, so that the client gets to see the answer. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;

/** Reads the whole body. Throws `payload_too_large` beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (received > limit + MAX_DISCARDED_BYTES) break;
  }
  if (received > limit) throw tooLarge(limit);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** A body that is a file, to be read as it comes in. Of one that is too large the rest is read and thrown away. */
export function uploadOf(request: IncomingMessage, limit: number): Upload {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const isPlain = (request.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  return { contentType: isPlain ? type : '', content: readUpTo(request, limit) };
}

async function* readUpTo(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  // Of a body that says so itself not even the beginning is of use.
  const isTooLarge = Number(request.headers['content-length'] ?? 0) > limit;
  let received = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received <= limit && !isTooLarge) yield chunk;
    else if (received > limit + MAX_DISCARDED_BYTES) break;
  }
  if (received > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): DomainError {
  return new DomainError('payload_too_large', `The body may have ${limit} bytes at most`);
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Refuses everything but plain `application/json` in UTF-8 with 415. */
export function requireJson(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  const type = request.headers['content-type'] ?? '';
  const isJson = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i.test(type.trim());
  if (!isJson || (encoding !== undefined && encoding.toLowerCase() !== 'identity'))
    throw new DomainError('unsupported_media_type', 'The body must be application/json in UTF-8, not compressed');
}

/**
 * Parses JSON (RFC 8259). Members that are `null` count as absent and are dropped, unless `keepNulls`.
 * Throws `malformed_body`; the message does not quote the text.
 */
export function parseJson(bytes: Buffer, keepNulls = false): unknown {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch {
    throw new DomainError('malformed_body', 'The body is not valid JSON in UTF-8');
  }
  return clean(value, !keepNulls, 0);
}

/** Walks a parsed body once. Refuses what Postgres cannot store as text (NUL, lone surrogates) and absurd nesting. */
function clean(value: unknown, dropNulls: boolean, depth: number): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH)
    throw new DomainError('malformed_body', `The body is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((element) => clean(element, dropNulls, depth + 1));
  const members = Object.entries(value).filter(([, member]) => !dropNulls || member !== null);
  return Object.fromEntries(members.map(([name, member]) => [storable(name), clean(member, dropNulls, depth + 1)]));
}

export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function storable(text: string): string {
  if (!isStorable(text)) throw new DomainError('malformed_body', 'The body contains NUL or an unpaired surrogate');
  return text;
}

/** JSON with sorted member names: two spellings of one document compare equal. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
