import pino, { type Logger } from 'pino';

/** Paths that never reach a log line, should somebody hand over a whole request. */
const SECRET = ['authorization', 'card', 'cvv', 'number', 'password', 'client_secret', 'token'];

/** One JSON line per event on stdout. */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
    redact: { paths: SECRET.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[hidden]' },
  });
}
