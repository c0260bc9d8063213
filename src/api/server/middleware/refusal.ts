import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { DomainError } from '../../../domain/errors';
import { loggable } from '../../../foundation/log/failures';
import { hasBody } from './body';
import { MethodNotAllowed } from './routing';

/** Logs a refusal that is a failure of ours. `route`: its path in the document. */
export function logRefusal(
  logger: Logger,
  error: DomainError,
  thrown: unknown,
  { requestId, route }: { requestId: string; route: string | undefined },
): void {
  if (error.code === 'internal_error') logger.error({ requestId, route, error: loggable(thrown) }, 'request failed');
  else if (error.code === 'unavailable')
    logger.warn({ requestId, error: loggable(thrown) }, 'request refused: unavailable');
}

/** Sets the status of a refusal and the headers that go with it. The body is the caller's, and how to authenticate. */
export function setRefusal(ctx: Context, error: DomainError, status: number): void {
  ctx.status = status;
  ctx.type = 'application/json; charset=utf-8';
  if (error instanceof MethodNotAllowed) ctx.set('Allow', error.methods.join(', '));
  const retryAfterSeconds = error.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  // Otherwise Node would read the rest of the body as the next request on this connection.
  if (hasBody(ctx.req) && !ctx.req.complete) ctx.set('Connection', 'close');
}
