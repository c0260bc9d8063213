import type { Context } from 'koa';
import { DomainError } from '../../domain/errors';
import { readBody } from './middleware/body';

const BODY_LIMIT = 65_536;

/** What a form sent, as it was typed; the same again for who asks again. Throws `unsupported_media_type`, `payload_too_large`. */
export async function readFormBody(ctx: Context): Promise<URLSearchParams> {
  ctx.state.form ??= await read(ctx);
  return ctx.state.form;
}

async function read(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new DomainError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded');
  return new URLSearchParams((await readBody(ctx.req, BODY_LIMIT)).toString());
}

/**
 * Refuses a form that the page of another site has sent. Browsers name that site in `Origin`, as `null` where they hide it;
 * what is no browser sends none, and holds nobody's cookie. Throws `forbidden`.
 */
export function requireOwnOrigin(ctx: Context, publicUrl: string): void {
  const origin = ctx.get('origin');
  if (origin === '' || origin === new URL(publicUrl).origin) return;
  if (URL.canParse(origin) && new URL(origin).host === ctx.host) return;
  throw new DomainError('forbidden', 'This form was sent from another site');
}
