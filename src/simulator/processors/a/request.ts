import type { Context } from 'koa';
import { makeId } from '../../books';

/** Without a key, each request is one of its own. */
export function keyOf(ctx: Context): string {
  return ctx.get('idempotency-key') || makeId('key');
}

export function parameter(ctx: Context, name: string): string {
  return (ctx as unknown as { params: Record<string, string> }).params[name] ?? '';
}
