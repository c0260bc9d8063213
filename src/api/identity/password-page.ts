import type { Context } from 'koa';
import { DomainError } from '../../domain/errors';
import { MAX_PASSWORD_LENGTH } from '../../people/identity/passwords';
import { sourceOf } from '../server/csp';
import { readBody } from '../server/middleware/body';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';

const BODY_LIMIT = 8_192;
const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(26rem, 100% - 2rem); margin: 1rem auto; padding: 1.5rem; background: #fff; border: 1px solid #c9d1dc; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; margin-top: 1rem; font-weight: 600; }
.hint { margin: 0 0 .25rem; color: #475467; font-size: .875rem; }
input { display: block; box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .25rem .5rem; font: inherit;
  border: 1px solid #66758a; border-radius: .375rem; }
button { width: 100%; min-height: 3rem; margin-top: 1.5rem; font: inherit; font-weight: 600; color: #fff;
  background: #1d4ed8; border: 0; border-radius: .375rem; cursor: pointer; }
code { overflow-wrap: anywhere; }
[role=alert] { color: #b42318; font-weight: 600; }
`;
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

export interface PasswordPageOptions {
  /** Throws a DomainError if the link no longer works. Changes nothing. */
  check(token: string): Promise<unknown>;
  /** Sets the password. Throws a DomainError if the link or the password is not acceptable. */
  confirm(token: string, password: string, source: string): Promise<unknown>;
  minLength: number;
  /** HTML that says what to do after the password is set. */
  next: string;
}

/** Tells a customer what to do next. */
export const nextOfCustomer = `<p>You are signed out everywhere. Go back to where you asked for the link, and sign in
with your e-mail address and the new password. You can close this page.</p>`;

/** Tells a user of a merchant, a tenant or the platform what to do next. `publicUrl`: address of the API. */
export function nextOfUser(publicUrl: string): string {
  return `<p>You are signed out everywhere. Sign in with your e-mail address and the new password:</p>
<p><code>POST ${publicUrl}/auth/1.0.0/users/token</code></p>
<p>The <a href="${publicUrl}/docs">API reference</a> shows how. You can close this page.</p>`;
}

/** The error codes of a link that no longer works. */
const LINK_REFUSALS = new Set(['code_refused', 'link_unusable']);

/** The form to set a password. The link in the e-mail leads here. It needs no script and no cookie. */
export function passwordPage(prefix: string, { check, confirm, minLength, next }: PasswordPageOptions): RawMount {
  const formOf = (token: string, refusal?: string) => form(prefix, minLength, token, refusal);

  async function open(ctx: Context): Promise<void> {
    const token = typeof ctx.query.token === 'string' ? ctx.query.token : '';
    try {
      await check(token);
    } catch (error) {
      return refuseLink(ctx, error);
    }
    show(ctx, 200, formOf(token));
  }

  function refuseLink(ctx: Context, error: unknown): void {
    if (!(error instanceof DomainError) || !LINK_REFUSALS.has(error.code)) throw error;
    show(ctx, 422, `<h1>Set your password</h1><p role="alert">${error.message}. Please ask for a new one.</p>`);
  }

  async function set(ctx: Context): Promise<void> {
    const sent = new URLSearchParams((await readBody(ctx.req, BODY_LIMIT)).toString());
    const [token, password, again] = ['token', 'password', 'again'].map((name) => sent.get(name) ?? '') as [
      string,
      string,
      string,
    ];
    if (password !== again) return show(ctx, 400, formOf(token, 'The two passwords are not the same.'));
    if (password.length < minLength || password.length > MAX_PASSWORD_LENGTH)
      return show(ctx, 400, formOf(token, `The password must have ${minLength} to ${MAX_PASSWORD_LENGTH} characters.`));
    try {
      await confirm(token, password, ctx.state.source);
      show(ctx, 200, `<h1>Your password is set</h1><p role="status">Use the new password from now on.</p>${next}`);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'invalid_request')
        return show(ctx, 400, formOf(token, `${error.message.replace(/^password/, 'The password')}.`));
      refuseLink(ctx, error);
    }
  }

  return {
    prefix,
    middleware: async (ctx) => {
      if (ctx.method === 'POST') return set(ctx);
      if (ctx.method !== 'GET') throw new MethodNotAllowed(['GET', 'POST']);
      return open(ctx);
    },
  };
}

function show(ctx: Context, status: number, content: string): void {
  ctx.status = status;
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set your password</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function form(prefix: string, minLength: number, token: string, refusal?: string): string {
  // Our tokens have no other characters.
  const safe = token.replace(/[^A-Za-z0-9_-]/g, '');
  return `<h1>Set your password</h1>
${refusal ? `<p role="alert">${refusal}</p>` : ''}
<form method="post" action="${prefix}">
<input type="hidden" name="token" value="${safe}">
<label for="password">New password</label>
<p class="hint" id="hint">${minLength} characters or more. Several words are easy to remember and hard to guess.</p>
<input id="password" name="password" type="password" required minlength="${minLength}" maxlength="${MAX_PASSWORD_LENGTH}" autocomplete="new-password" aria-describedby="hint">
<label for="again">Repeat the new password</label>
<input id="again" name="again" type="password" required autocomplete="new-password">
<button>Set password</button>
</form>`;
}
