import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import { Eta } from 'eta';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import type { ProcessorId } from '../../domain/connector';
import { formatAmount } from '../../domain/money';
import type { Acquirer } from './acquirer';
import type { Books, Charge, PageOutcome } from './books';

/** How long the payer waits for the merchant's side to hear of the outcome before being sent back. */
const TOLD_WITHIN_MS = 1_000;

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(26rem, 100% - 2rem); margin: 1rem auto; padding: 1.5rem; background: #fff; border: 1px solid #c9d1dc; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 0 0 1.5rem; }
dt { color: #4a5768; } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
button { display: block; width: 100%; min-height: 3rem; margin-top: .75rem; font: inherit; font-weight: 600;
  border: 2px solid #1d4ed8; border-radius: .375rem; cursor: pointer; }
button[value=authenticated] { background: #1d4ed8; color: #fff; }
button:not([value=authenticated]) { background: #fff; color: #1d4ed8; }
p.note { color: #4a5768; font-size: .875rem; margin: 1.5rem 0 0; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %></title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><%= it.title %></h1>
<% if (it.form) { %>
<dl>
<dt>Merchant</dt><dd><%= it.form.merchant %></dd>
<dt>Amount</dt><dd><%= it.form.amount %> <%= it.form.currency %></dd>
<% if (it.form.card) { %><dt>Card</dt><dd><%= it.form.card %></dd><% } %>
<% for (const [name, value] of it.form.details) { %><dt><%= name %></dt><dd><%= value %></dd><% } %>
</dl>
<form method="post">
<% for (const [value, label] of it.form.buttons) { %>
<button type="submit" name="outcome" value="<%= value %>"><%= label %></button>
<% } %>
</form>
<% } else { %>
<p><%= it.text %></p>
<% } %>
<p class="note">This is a simulated page of the sandbox (<%= it.name %>). No money moves.</p>
</main>
</body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const page = eta.compile(PAGE);

const AUTHENTICATE: [PageOutcome, string][] = [
  ['authenticated', 'Yes, this is my payment'],
  ['failed', 'No, refuse it'],
];
const PAY: [PageOutcome, string][] = [
  ['authenticated', 'Pay'],
  ['failed', 'Do not pay'],
];
const SEND: [PageOutcome, string][] = [
  ['authenticated', 'Send exactly what is missing'],
  ['underpaid', 'Send half of it'],
  ['overpaid', 'Send a tenth too much'],
  ['failed', 'Do not pay'],
];

interface ChallengePages {
  processor: ProcessorId;
  /** Of the processor, shown to payers. */
  name: string;
  acquirer: Acquirer;
  books: Books;
}

/**
 * The page on which a payer authenticates (card issuer) or pays (everybody else), at `/<letter>/challenge/<id>`. Works
 * without JavaScript.
 */
export function challengeRouter({ processor, name, acquirer, books }: ChallengePages): Router {
  const router = new Router({ prefix: `/${processor}/challenge` });

  router.get('/:id', (ctx) => {
    const charge = chargeOf(ctx.params.id);
    if (!charge) return show(ctx, 404, 'Unknown payment', 'There is no such payment.');
    if (!acquirer.awaitsPayer(charge))
      return show(ctx, 410, 'Nothing to do', 'This payment does not wait for you any more.');
    const pays = charge.status !== 'challenge';
    const form = {
      merchant: charge.descriptor ?? 'A merchant',
      amount: formatAmount(charge.amountMinor - (charge.receivedMinor ?? 0n), charge.currency),
      currency: charge.currency,
      card: charge.card && `${charge.card.brand} ending in ${charge.card.last4}`,
      details: Object.entries(charge.details ?? {}),
      buttons: pays ? (isSent(charge) ? SEND : PAY) : AUTHENTICATE,
    };
    send(ctx, 200, { title: pays ? 'Pay?' : 'Is this your payment?', name, form });
  });

  router.post('/:id', koaBody({ json: false, text: false, formLimit: '4kb' }), async (ctx) => {
    const charge = chargeOf(ctx.params.id);
    if (!charge) return show(ctx, 404, 'Unknown payment', 'There is no such payment.');
    const outcome: unknown = (ctx.request.body as Record<string, unknown> | undefined)?.outcome;
    const buttons = isSent(charge) ? SEND : PAY;
    const pressed = buttons.find(([value]) => value === outcome)?.[0];
    if (!pressed) return show(ctx, 400, 'Please choose', 'Go back and press one of the buttons.');
    const { told } = acquirer.answerPage(charge, pressed);
    const waiting = new AbortController();
    await Promise.race([told, sleep(TOLD_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
    goBack(ctx, charge);
  });

  function chargeOf(id: string | undefined): Charge | undefined {
    const charge = id ? books.chargeOfChallenge(id) : undefined;
    return charge?.processor === processor ? acquirer.refresh(charge) : undefined;
  }

  return router;
}

/** Paid by sending money, which may be more or less than was asked for. */
function isSent(charge: Charge): boolean {
  return charge.kind === 'bank_transfer' || charge.kind === 'crypto';
}

function goBack(ctx: Context, charge: Charge): void {
  const target = charge.returnUrl ? returnTarget(charge.returnUrl, charge.reference) : undefined;
  if (target) {
    ctx.status = 303;
    ctx.set('Location', target);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = '';
    return;
  }
  const { outcome } = charge.challenge ?? {};
  if (charge.status === 'declined' && outcome === undefined)
    show(ctx, 200, 'Not paid', 'You have not paid. You can close this page.');
  else if (charge.status === 'waiting') show(ctx, 200, 'Partly paid', 'A part is paid. The rest is still missing.');
  else if (outcome && outcome !== 'failed')
    show(ctx, 200, 'Thank you', 'You have confirmed the payment. You can close this page.');
  else if (outcome === 'failed') show(ctx, 200, 'Refused', 'You have refused the payment. You can close this page.');
  else show(ctx, 410, 'Too late', 'This payment does not wait for you any more.');
}

/** The payment's id goes along, for convenience: it proves nothing. */
function returnTarget(returnUrl: string, paymentId: string): string | undefined {
  if (!URL.canParse(returnUrl)) return undefined;
  const url = new URL(returnUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}

function show(ctx: Context, status: number, title: string, text: string): void {
  send(ctx, status, { title, text, name: 'simulator' });
}

function send(ctx: Context, status: number, content: object): void {
  ctx.status = status;
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  // form-action also rules the redirect that answers the form, which goes wherever the merchant is.
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' https: http:; base-uri 'none'`,
  );
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.body = eta.render(page, content);
}
