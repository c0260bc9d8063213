import { types } from 'node:util';
import { maskDigits } from './mask';

const { isNativeError } = types;

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/**
 * SQLSTATE: the connection failed (08), the server is full (53), stops, starts or cut the statement short (57), cannot
 * read its files (58), is not there (3D), is only a copy by now, or asks for a repeat.
 */
const SQL_STATE = /^(?:(?:08|53|57|58)[0-9A-Z]{3}|3D000|25006|40001|40P01)$/;
/** pg and knex give these no code. Knex puts the statement before pg's words, ended by a dash. */
const LOST_CONNECTION = new RegExp(
  `(?:^| - )(?:${[
    'Connection terminated(?: unexpectedly| due to connection timeout)?',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'timeout expired',
    'Query read timeout',
    'Unable to acquire a connection',
    'aborted',
    'database ".*" is not currently accepting connections',
  ].join('|')})$`,
);
/** An error of errors, as Node makes of several addresses that were tried, is looked at this deep. */
const MAX_DEPTH = 6;
/** gRPC: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const GRPC_CODES = new Set([1, 4, 8, 14]);

/** True when the database or the engine cannot be reached or asks to come back later. The outcome may be unknown. */
export function isOutage(error: unknown, depth = 0): boolean {
  if (!isNativeError(error) || depth === MAX_DEPTH) return false;
  const { code, name, message, cause, errors } = error as Error & { code?: unknown; errors?: unknown };
  if (typeof code === 'number' && GRPC_CODES.has(code)) return true;
  if (typeof code === 'string' && (SQL_STATE.test(code) || SOCKET_CODES.has(code))) return true;
  if (name === 'KnexTimeoutError' || LOST_CONNECTION.test(message)) return true;
  return [cause, ...(Array.isArray(errors) ? errors : [])].some((one) => isOutage(one, depth + 1));
}

/** What may be logged of an unexpected error: a database error's message can quote values, so only its facts are kept. */
export function loggable(error: unknown): Record<string, unknown> {
  if (!isNativeError(error)) return { name: typeof error };
  const { code, constraint, table, routine } = error as Error & Record<string, unknown>;
  const fromDatabase = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && routine !== undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    ...(!fromDatabase && { message: maskDigits(error.message) }),
    stack: frames.slice(0, 12).join('\n'),
    ...(error.cause !== undefined && { cause: loggable(error.cause) }),
  };
}
