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
]);
/** SQLSTATE: the server stops, starts, is full, cut the statement short, or asks for a repeat. */
const SQL_STATES = new Set(['57P01', '57P02', '57P03', '57014', '53300', '53400', '40001', '40P01', '25006']);
/** gRPC: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const GRPC_CODES = new Set([1, 4, 8, 14]);

/** True when the database or the engine cannot be reached or asks to come back later. The outcome may be unknown. */
export function isOutage(error: unknown): boolean {
  for (let depth = 0, at = error; isNativeError(at) && depth < 6; depth += 1, at = at.cause) {
    const { code, name, message } = at as Error & { code?: unknown };
    if (typeof code === 'number' && GRPC_CODES.has(code)) return true;
    if (typeof code === 'string' && (SQL_STATES.has(code) || code.startsWith('08'))) return true;
    if (typeof code === 'string' && SOCKET_CODES.has(code)) return true;
    if (name === 'KnexTimeoutError') return true;
    // pg gives these no code.
    if (
      /^Connection terminated|connection error and is not queryable|^timeout expired$|^Query read timeout$/.test(
        message,
      )
    )
      return true;
  }
  return false;
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
