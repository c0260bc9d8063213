import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import type { Context } from 'koa';
import type { PageThemes } from '../../commerce/page-themes/service';
import { paletteOf } from '../../commerce/page-themes/theme';
import type { Checkout } from '../../commerce/payment-links/checkout';
import type { LinkOpens } from '../../commerce/payment-links/opens';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import type { Tickets } from '../../commerce/tickets/tickets';
import { DomainError } from '../../domain/errors';
import type { PaymentRow } from '../../money/payments/payment';
import type { Method } from '../../money/routing/catalogue';
import { readBody } from '../server/middleware/body';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';
import { choiceOf, type Problems, problemsOf, seedOf, type Typed } from './form';
import { Reader } from './reader';
import { SCRIPT } from './script';
import { TicketPages } from './ticket-pages';
import { formView, helpLink, paymentView, stateOf, type View } from './view';
import type { Problem, Words } from './words';

const PREFIX = '/pay';
const BODY_LIMIT = 65_536;
const STYLE = readFileSync(join(__dirname, 'page.css'), 'utf8');
const eta = new Eta({ views: __dirname, autoTrim: false, cache: true });
const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const STYLE_HASH = hash(STYLE);
const SCRIPT_HASH = hash(SCRIPT);
/**
 * `colours`: a style of its own beside that of every page. form-action also rules where the answer to a form redirects to:
 * to the page of a bank, wherever that is.
 */
const contentSecurityPolicy = (colours?: string) =>
  `default-src 'none'; style-src ${STYLE_HASH}${colours ? ` ${hash(colours)}` : ''}; script-src ${SCRIPT_HASH}; ` +
  "img-src 'self' data:; " +
  "connect-src 'self'; form-action 'self' https: http:; frame-ancestors 'none'; base-uri 'none'";

/** Refusals of a payment that the buyer can do something about: what is wrong with the choice, not with us. */
const REFUSALS: Partial<Record<DomainError['code'], Problem>> = {
  link_busy: 'link_busy',
  out_of_stock: 'out_of_stock',
  item_not_approved: 'out_of_stock',
  unavailable: 'unavailable',
  invalid_request: 'notAccepted',
  customer_blocked: 'notAccepted',
};

export interface PayPageDependencies {
  checkout: Checkout;
  tickets: Tickets;
  opens: LinkOpens;
  pageThemes: PageThemes;
  /** Base address of the API. */
  publicUrl: string;
}

interface Visit {
  ctx: Context;
  reader: Reader;
  link: PaymentLinkRow;
  base: string;
}

/**
 * The page on which buyers pay by a link: `/pay/{token}`, and `/pay/{token}/{paymentId}` for what became of a payment. It
 * works without JavaScript and cookies.
 */
export function payPage({ checkout, opens, tickets, pageThemes, publicUrl }: PayPageDependencies): RawMount {
  const ticketPages = new TicketPages(tickets);

  async function form({ ctx, reader, link, base }: Visit): Promise<void> {
    if (link.status !== 'active' || link.expires_at.getTime() <= Date.now()) return gone({ ctx, reader, link, base });
    // Whoever opens a link that is being paid, or has just been, sees that, and does not pay twice.
    opens.count(link);
    const typed = Object.fromEntries(new URLSearchParams(ctx.querystring));
    await showForm({ ctx, reader, link, base }, 200, typed, {});
  }

  async function showForm(visit: Visit, status: number, typed: Typed, problems: Problems, alert?: Problem) {
    const { link, reader, base } = visit;
    const methods = await checkout.methods(link);
    const method = chosen(methods, typed);
    if (!method) return noWay(visit);
    const bill = await checkout.bill(link);
    const said = alert && reader.words.problems[alert];
    const view = formView(reader, { link, bill, methods, method, typed, problems, alert: said, base });
    await show(visit, status, view);
  }

  function noWay(visit: Visit): Promise<void> {
    const { link, reader, base } = visit;
    const alert = reader.words.problems.noWay;
    return show(visit, 409, { title: link.title, alert, links: [helpLink(reader, base)] });
  }

  async function pay(visit: Visit): Promise<void> {
    const { ctx, link, base, reader } = visit;
    const typed = await readForm(ctx);
    const method = chosen(await checkout.methods(link), typed);
    if (!method) return noWay(visit);
    const problems = problemsOf(link, method, typed);
    if (Object.keys(problems).length > 0) return showForm(visit, 400, typed, problems);
    // With an id made only now, a form that is sent twice would be two payments.
    if (seedOf(typed.attempt) !== typed.attempt) return showForm(visit, 409, { ...typed, attempt: '' }, {}, 'stale');
    const choice = choiceOf(link, typed, {
      method,
      returnUrlOf: (paymentId) => `${publicUrl}${base}/${paymentId}?lang=${reader.words.language}`,
      browser: browserOf(ctx, typed),
      ipAddress: ctx.state.source,
      locale: reader.locale,
      requestId: ctx.state.requestId,
    });
    try {
      const payment = await checkout.pay(link, choice);
      return redirect(ctx, afterPaying(payment, `${base}/${payment.id}?lang=${reader.words.language}`));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'link_not_payable') return gone({ ...visit, link: await checkout.open(tokenOf(base)) });
      const refusal = REFUSALS[error.code];
      if (!refusal) throw error;
      // Nothing was accepted: the next try is another one.
      await showForm(visit, error.code === 'unavailable' ? 503 : 409, { ...typed, attempt: '' }, {}, refusal);
    }
  }

  async function payment(visit: Visit, paymentId: string, part: string | undefined): Promise<void> {
    const { ctx, reader, link, base } = visit;
    if (part === 'receipt') return mailReceipt(visit, paymentId);
    if (part && part !== 'state') throw new DomainError('not_found', 'page not found');
    const row = await checkout.payment(link, paymentId);
    if (part === 'state') {
      ctx.type = 'text/plain; charset=utf-8';
      ctx.set('Cache-Control', 'no-store');
      ctx.body = stateOf(row);
      return;
    }
    const isSent = ctx.query.receipt === 'sent';
    await show(visit, 200, paymentView(reader, row, { base, mayTryAgain: link.status === 'active', isSent }));
  }

  async function mailReceipt(visit: Visit, paymentId: string): Promise<void> {
    const { ctx, reader, link, base } = visit;
    if (ctx.method !== 'POST') throw new MethodNotAllowed(['POST']);
    try {
      await checkout.mailReceipt(link, paymentId);
      redirect(ctx, `${base}/${paymentId}?receipt=sent&lang=${reader.words.language}`);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'invalid_state') throw error;
      const row = await checkout.payment(link, paymentId);
      const view = paymentView(reader, row, { base, mayTryAgain: false, isSent: true });
      await show(visit, 409, { ...view, alert: reader.words.problems.noReceipt });
    }
  }

  async function ticket(visit: Visit, ticketId: string | undefined): Promise<void> {
    const { ctx } = visit;
    const outcome =
      ctx.method === 'POST'
        ? await ticketPages.write(visit, ticketId, await readForm(ctx))
        : await ticketPages.read(visit, ticketId);
    return 'location' in outcome ? redirect(ctx, outcome.location) : show(visit, outcome.status, outcome.view);
  }

  async function gone(visit: Visit): Promise<void> {
    const { link, reader } = visit;
    const status = link.status === 'active' || link.status === 'pending_approval' ? 'expired' : link.status;
    const current = status === 'paid' ? await checkout.current(link) : undefined;
    await show(visit, 410, {
      ...reader.words.gone[status],
      links: [helpLink(reader, visit.base)],
      facts: current && [{ name: reader.words.paidOn, value: reader.time(current.updated_at) }],
    });
  }

  async function show({ ctx, reader, link, base }: Visit, status: number, view: View): Promise<void> {
    const { name: seller, theme, logo } = await checkout.seller(link);
    const { words } = reader;
    const here = new URLSearchParams(ctx.querystring);
    here.set('lang', words.otherLanguage.code);
    // A page that answers a form has no address of its own.
    const path = ctx.method === 'GET' ? ctx.path : base;
    send(ctx, status, {
      ...view,
      seller,
      words,
      otherLanguageHref: `${path}?${here}`,
      tenant: theme.name,
      logo: logo && `${base}/logo?${logo}`,
      colours: coloursOf(theme),
    });
  }

  async function picture({ ctx, link }: Visit, imageId: string | undefined): Promise<void> {
    ctx.body = imageId ? await checkout.picture(link, imageId) : await pageThemes.logo(link.tenant_id);
    ctx.type = 'image/webp';
    // An address with another picture behind it is another address.
    ctx.set('Cache-Control', 'private, max-age=86400, immutable');
    ctx.set('X-Content-Type-Options', 'nosniff');
  }

  async function serve(ctx: Context): Promise<void> {
    const [, , token = '', paymentId, part, ...rest] = ctx.path.split('/');
    // Whoever has the address can pay: it stands in no log line.
    ctx.state.loggedPath = `${PREFIX}/…${paymentId ? `/${paymentId}` : ''}${part ? `/${part}` : ''}`;
    const reader = new Reader(ctx);
    let link: PaymentLinkRow;
    try {
      link = await checkout.open(token);
      if (rest.length > 0) throw new DomainError('not_found', 'page not found');
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      return nothing(ctx, reader);
    }
    const visit = { ctx, reader, link, base: `${PREFIX}/${token}` };
    try {
      await answer(visit, paymentId, part);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      nothing(ctx, reader);
    }
  }

  function answer(visit: Visit, first: string | undefined, second: string | undefined): Promise<void> {
    const { method } = visit.ctx;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && method !== 'POST') throw new MethodNotAllowed(['GET', 'POST']);
    if (first === 'tickets') return ticket(visit, second);
    if (first && !isRead && second !== 'receipt') throw new MethodNotAllowed(['GET']);
    if (first === 'logo' || first === 'images') return picture(visit, first === 'images' ? (second ?? '-') : undefined);
    if (first) return payment(visit, first, second);
    return isRead ? form(visit) : pay(visit);
  }

  return { prefix: PREFIX, middleware: serve };
}

const tokenOf = (base: string) => base.slice(PREFIX.length + 1);

/** The way to pay that was chosen, else the first. Undefined where none serves the link. */
function chosen(methods: Method[], typed: Typed): Method | undefined {
  return methods.find(({ id }) => `${id}` === typed.method) ?? methods[0];
}

async function readForm(ctx: Context): Promise<Typed> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new DomainError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded');
  return typedOf((await readBody(ctx.req, BODY_LIMIT)).toString());
}

/** Trimmed; what was left empty is absent. */
function typedOf(body: string): Typed {
  return Object.fromEntries(
    [...new URLSearchParams(body)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== ''),
  );
}

/** What EMV 3-D Secure wants to know of the browser. Numbers are there where a script could fill them in. */
function browserOf(ctx: Context, typed: Typed): Record<string, unknown> {
  const number = (name: string) => (/^-?\d{1,5}$/.test(typed[name] ?? '') ? Number(typed[name]) : undefined);
  const numbers = {
    colorDepth: number('colorDepth'),
    screenWidth: number('screenWidth'),
    screenHeight: number('screenHeight'),
    timeZoneOffset: number('timeZoneOffset'),
  };
  return {
    acceptHeader: ctx.get('accept').slice(0, 2_048),
    userAgent: ctx.get('user-agent').slice(0, 2_048),
    language: ctx.get('accept-language').slice(0, 8),
    ...numbers,
    javascriptEnabled: numbers.colorDepth !== undefined,
    ipAddress: ctx.state.source,
  };
}

/** To the page of the bank where there is one to go to, else to our own about the payment. */
function afterPaying({ status, action }: PaymentRow, self: string): string {
  const isElsewhere = status === 'requires_action' && action?.type === 'redirect' && (action.method ?? 'GET') === 'GET';
  return isElsewhere && action.url ? action.url : self;
}

function redirect(ctx: Context, url: string): void {
  ctx.status = 303;
  ctx.set('Location', url);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = null;
  ctx.status = 303;
}

function nothing(ctx: Context, reader: Reader): void {
  const { words } = reader;
  const otherLanguageHref = `?lang=${words.otherLanguage.code}`;
  send(ctx, 404, { ...words.notFound, seller: '', words, otherLanguageHref });
}

/** What stands around a view. */
interface Frame {
  seller: string;
  words: Words;
  otherLanguageHref: string;
  tenant?: string | null;
  logo?: string | null;
  colours?: string;
}

/** What a theme changes of the style: nothing where it settles no colour. */
function coloursOf(theme: Parameters<typeof paletteOf>[0]): string {
  if (!theme.accent && !theme.ground) return '';
  const { light, dark } = paletteOf(theme);
  return (
    `:root{--key:${light.accent};--on-key:${light.onAccent};--ground:${light.ground}}` +
    `@media(prefers-color-scheme:dark){:root{--key:${dark.accent};--on-key:${dark.onAccent};--ground:${dark.ground}}}`
  );
}

function send(ctx: Context, status: number, view: View & Frame): void {
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.vary('Accept-Language');
  const { colours } = view;
  ctx.set('Content-Security-Policy', contentSecurityPolicy(colours));
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.body = eta.render('./page', { bill: undefined, ...view, style: STYLE, script: SCRIPT });
}
