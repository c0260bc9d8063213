import { type LogLevel, type LogMetadata, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { loggable } from '../log/failures';
import { withPayment } from '../log/payment';

/**
 * Sets the SDK up once per process, before the first connection: its log lines go to ours, and the signals are ours
 * too, since a process drains in an order of its own.
 */
export function installRuntime(log: Logger): void {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, { error, ...meta }: LogMetadata & { error?: unknown } = {}) =>
      log[level]({ ...withPayment(meta), ...(error === undefined ? {} : { error: loggable(error) }) }, message);
  Runtime.install({
    shutdownSignals: [],
    logger: {
      trace: at('debug'),
      debug: at('debug'),
      info: at('debug'),
      warn: at('warn'),
      error: at('error'),
      log: (level: LogLevel, message, meta) =>
        at(level === 'ERROR' ? 'error' : level === 'WARN' ? 'warn' : 'debug')(message, meta),
    },
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
}
