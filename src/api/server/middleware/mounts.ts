import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { notFound } from '../../../domain/errors';
import type { RawMount } from '../route';

/**
 * Passes a request to the first mount that its path is under. Throws `not_found` where none is. `admit` counts it, and throws
 * `rate_limited`; not where the mount limits itself.
 */
export async function passToMount(
  mounts: readonly RawMount[],
  ctx: Context,
  sourceOf: (request: IncomingMessage) => string,
  admit: (source: string) => void | Promise<void>,
): Promise<void> {
  const mount = mounts.find(({ prefix }) => ctx.path === prefix || prefix === '/' || ctx.path.startsWith(`${prefix}/`));
  if (!mount) throw notFound('Path');
  ctx.state.source = sourceOf(ctx.req);
  if (!mount.limitsItself) await admit(ctx.state.source);
  await mount.middleware(ctx as never, async () => {
    throw notFound('Path');
  });
}
