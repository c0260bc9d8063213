import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { visit } from 'jsonc-parser';
import { DomainError } from '../../../domain/errors';
import type { Upload } from '../context';
import { fieldName } from './field-name';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const MAX_DEPTH = 32;
/** How much of an oversized body we read and discard, so that the client sees the answer. */
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

/** A body that is a file, as a stream. If it is too large, the rest is read and discarded. */
export function uploadOf(request: IncomingMessage, limit: number): Upload {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const isPlain = (request.headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  return { contentType: isPlain ? type : '', content: readUpTo(request, limit) };
}

async function* readUpTo(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  // If the headers already say that the body is too large, pass on nothing.
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
  return new DomainError('payload_too_large', `The body may have at most ${limit} bytes`);
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Accepts only plain `application/json` in UTF-8. Refuses everything else with 415. */
export function requireJson(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  const type = request.headers['content-type'] ?? '';
  const isJson = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i.test(type.trim());
  if (!isJson || (encoding !== undefined && encoding.toLowerCase() !== 'identity'))
    throw new DomainError('unsupported_media_type', 'The body must be application/json in UTF-8, not compressed');
}

/**
 * Parses JSON (RFC 8259). Members that are `null` count as absent and are dropped, unless `keepNulls`. Throws
 * `malformed_body` with the member's name if a name appears twice in one object, because parsers differ in which one they
 * take, and for texts that only an attacker sends. The message does not quote the text.
 */
export function parseJson(bytes: Buffer, keepNulls = false): unknown {
  let text: string;
  let value: unknown;
  try {
    text = isAscii(bytes) ? bytes.toString('latin1') : UTF8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new DomainError('malformed_body', 'The body is not valid JSON in UTF-8');
  }
  // Only escapes make texts that cannot be stored: UTF-8 has no surrogates, and JSON no bare NUL.
  if (typeof value === 'object' && value !== null && !text.includes('\\u') && plainNames(value, 0) === countNames(text))
    return value;
  const walk: Walk = { dropNulls: !keepNulls, path: [], names: 0 };
  const cleaned = clean(value, walk);
  if (walk.names !== countNames(text)) refuseRepeatedName(text);
  return cleaned;
}

/** Names that can change the prototype of an object. No member of the API has one of them. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** Counts the members of a body that is to be left as it is: without `null`, names that are refused, or too deep nesting. */
function plainNames(value: object, depth: number): number {
  if (depth === MAX_DEPTH) return Number.NaN;
  if (Array.isArray(value)) {
    let names = 0;
    for (const element of value)
      if (typeof element === 'object') names += element === null ? Number.NaN : plainNames(element, depth + 1);
    return names;
  }
  const own = Object.keys(value);
  let names = own.length;
  for (const name of own) {
    const member = (value as Record<string, unknown>)[name];
    if (RESERVED.has(name)) return Number.NaN;
    if (typeof member === 'object') names += member === null ? Number.NaN : plainNames(member, depth + 1);
  }
  return names;
}

interface Walk {
  readonly dropNulls: boolean;
  /** The current position of the walk. */
  readonly path: (string | number)[];
  /** Members seen so far. */
  names: number;
}

/** Walks a parsed body once. Refuses what Postgres cannot store as text (NUL, lone surrogates) and too deep nesting. */
function clean(value: unknown, walk: Walk): unknown {
  const { path, dropNulls } = walk;
  if (typeof value === 'string') return storable(value, path);
  if (typeof value !== 'object' || value === null) return value;
  if (path.length === MAX_DEPTH) throw tooDeep();
  const within = (step: string | number, member: unknown) => {
    path.push(step);
    if (typeof step === 'string' && RESERVED.has(step)) throw malformed(path, 'is not allowed as a member name');
    if (typeof step === 'string') storable(step, path);
    const cleaned = clean(member, walk);
    path.pop();
    return cleaned;
  };
  if (Array.isArray(value)) return value.map((element, index) => within(index, element));
  const entries = Object.entries(value);
  walk.names += entries.length;
  const members = entries.filter(([name, member]) => !dropNulls || member !== null || RESERVED.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, within(name, member)]));
}

/** Counts the members in a valid JSON text: strings with a colon after them. Written by hand for speed: it runs for every body. */
function countNames(text: string): number {
  let count = 0;
  for (let begin = text.indexOf('"'); begin !== -1; ) {
    let end = text.indexOf('"', begin + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let next = end + 1;
    while (SPACES.has(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === COLON) count += 1;
    begin = text.indexOf('"', next);
  }
  return count;
}

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Whether there is an odd number of backslashes before a quotation mark. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Finds the repeated name. This is much slower than the count, so it runs only when the count differs. */
function refuseRepeatedName(text: string): void {
  const open: Set<string>[] = [];
  try {
    visit(text, {
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
        const names = open.at(-1)!;
        if (names.has(name)) throw malformed([...pathOf(), name], 'appears twice in one object');
        names.add(name);
      },
    });
  } catch (error) {
    // The value under the first of two equal names may be nested without limit.
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

function malformed(path: readonly (string | number)[], message: string): DomainError {
  const field = fieldName(path) || 'body';
  return new DomainError('malformed_body', `${field} ${message}`, { details: [{ field, message }] });
}

function tooDeep(): DomainError {
  return new DomainError('malformed_body', `The body is nested deeper than ${MAX_DEPTH} levels`);
}

export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function storable(text: string, path: readonly (string | number)[]): string {
  if (!isStorable(text)) throw malformed(path, 'must not contain NUL or an unpaired surrogate');
  return text;
}

/** JSON with sorted member names, so that equal documents give equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) text += `${text && ','}${canonicalJson(element)}`;
    return `[${text}]`;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members).sort())
    text += `${text && ','}${quoted(name)}:${canonicalJson(members[name])}`;
  return `{${text}}`;
}

/** Names are few and short, and each stands in many objects. Callers may make up names, so only so many are kept. */
const QUOTED = new Map<string, string>();
const MOST_QUOTED = 1_000;
const LONGEST_QUOTED = 64;

function quoted(name: string): string {
  const known = QUOTED.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (QUOTED.size < MOST_QUOTED && name.length <= LONGEST_QUOTED) QUOTED.set(name, text);
  return text;
}
