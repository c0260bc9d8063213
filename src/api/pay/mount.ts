import type { Context } from 'koa';
import type { PageThemes } from '../../commerce/page-themes/service';
import type { BuyerAccounts } from '../../commerce/payment-links/buyer-accounts';
import type { Checkout } from '../../commerce/payment-links/checkout';
import type { LinkOpens } from '../../commerce/payment-links/opens';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import type { Tickets } from '../../commerce/tickets/tickets';
import { DomainError } from '../../domain/errors';
import type { PaymentRow } from '../../money/payments/payment';
import type { SavedCardRow } from '../../money/payments/saved-card';
import type { Method } from '../../money/routing/catalogue';
import type { StepUps } from '../../people/customer-access/step-ups';
import type { WebCustomer } from '../../people/customer-access/web-sessions';
import type { PageSignIn } from '../records/page-sign-in';
import { readFormBody } from '../server/form-body';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';
import { choiceOf, type Problems, problemsOf, seedOf, type Typed, type Way } from './form';
import { historyView } from './history-page';
import { Reader } from './reader';
import { coloursOf, send } from './shell';
import { StepUpPages } from './step-up-pages';
import { TicketPages } from './ticket-pages';
import { formView, helpLink, paymentView, stateOf, type View } from './view';
import type { Problem } from './words';

const PREFIX = '/pay';

/** Refusals of a payment that the buyer can do something about: what is wrong with the choice, not with us. */
const REFUSALS: Partial<Record<DomainError['code'], Problem>> = {
  link_busy: 'link_busy',
  out_of_stock: 'out_of_stock',
  item_not_approved: 'out_of_stock',
  unavailable: 'unavailable',
  tenant_suspended: 'noWay',
  invalid_request: 'notAccepted',
  customer_blocked: 'notAccepted',
  limit_exceeded: 'limit',
  fee_exceeds_amount: 'fee',
  step_up_refused: 'notConfirmed',
  two_factor_required: 'noCode',
  rate_limited: 'tooOften',
  card_token_unusable: 'cardGone',
};

export interface PayPageDependencies {
  checkout: Checkout;
  accounts: BuyerAccounts;
  tickets: Tickets;
  signIn: PageSignIn;
  stepUps: StepUps;
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
  /** The customer who has signed in. */
  visitor?: WebCustomer;
}

/**
 * The page on which buyers pay by a link: `/pay/{token}`, and `/pay/{token}/{paymentId}` for what became of a payment. It
 * works without JavaScript, and without a cookie for whoever does not sign in.
 */
export function payPage(deps: PayPageDependencies): RawMount {
  const { checkout, accounts, opens, tickets, pageThemes, signIn, publicUrl } = deps;
  const stepUpPages = new StepUpPages(checkout, deps.stepUps, signIn);
  const ticketPages = new TicketPages(tickets);

  async function form(visit: Visit): Promise<void> {
    const { ctx, link } = visit;
    if (link.status !== 'active' || link.expires_at.getTime() <= Date.now()) return gone(visit);
    // Whoever opens a link that is being paid, or has just been, sees that, and does not pay twice.
    opens.count(link);
    const typed = Object.fromEntries(new URLSearchParams(ctx.querystring));
    await showForm(visit, 200, typed, {});
  }

  async function showForm(visit: Visit, status: number, typed: Typed, problems: Problems, alert?: Problem) {
    const { link, reader, base, visitor } = visit;
    const { methods, cards, way } = await waysOf(visit, typed);
    if (!way) return noWay(visit);
    const bill = await checkout.bill(link);
    const said = alert && reader.words.problems[alert];
    const isTopup = link.purpose === 'topup';
    const view = formView(reader, {
      link,
      bill,
      methods,
      cards,
      way,
      typed: { ...(visitor?.email && { email: visitor.email }), ...typed },
      problems,
      alert: said,
      base,
      walletOwner: isTopup ? await checkout.walletOwner(link) : undefined,
      maySave: visitor !== undefined && (!isTopup || visitor.customerId === link.customer_id),
    });
    await show(visit, status, view);
  }

  /** The ways to pay, and the one that was chosen: undefined where none serves the link. */
  async function waysOf({ link, visitor }: Visit, typed: Typed) {
    const methods = await checkout.methods(link);
    const cardMethod = methods.find(({ kind }) => kind === 'card');
    const cards = cardMethod && visitor ? await accounts.cards(link, visitor.customerId) : [];
    return { methods, cards, way: chosen(methods, cards, typed) };
  }

  function noWay(visit: Visit): Promise<void> {
    const { link, reader, base } = visit;
    const alert = reader.words.problems.noWay;
    return show(visit, 409, { title: link.title, alert, links: [helpLink(reader, base)] });
  }

  async function pay(visit: Visit): Promise<void> {
    const { ctx, link, base, reader } = visit;
    const typed = await readForm(ctx);
    const { way } = await waysOf(visit, typed);
    if (!way) return noWay(visit);
    // The session has ended, or the card was removed: whatever else was chosen is not what was meant.
    if (typed.card && typed.card !== way.saved?.id) {
      const { card: _card, stepUp: _stepUp, ...rest } = typed;
      if (!visit.visitor) return redirect(ctx, `${base}/sign-in?lang=${reader.words.language}`);
      return showForm(visit, 409, { ...rest, attempt: '' }, {}, 'cardGone');
    }
    const problems = problemsOf(link, way, typed);
    if (Object.keys(problems).length > 0) return showForm(visit, 400, typed, problems);
    // With an id made only now, a form that is sent twice would be two payments.
    if (seedOf(typed.attempt) !== typed.attempt) return showForm(visit, 409, { ...typed, attempt: '' }, {}, 'stale');
    const choice = choiceOf(link, typed, {
      way,
      customerId: visit.visitor?.customerId,
      returnUrlOf: (paymentId) => `${publicUrl}${base}/${paymentId}?lang=${reader.words.language}`,
      browser: browserOf(ctx, typed),
      ipAddress: ctx.state.source,
      locale: reader.locale,
      requestId: ctx.state.requestId,
    });
    try {
      const asked = way.saved && (await stepUpPages.ask(visit, typed, choice, way.saved));
      if (asked) return show(visit, asked.status, asked.view);
      const payment = await checkout.pay(link, choice);
      return redirect(ctx, afterPaying(payment, `${base}/${payment.id}?lang=${reader.words.language}`));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'link_not_payable') return gone({ ...visit, link: await checkout.open(tokenOf(base)) });
      const refusal = REFUSALS[error.code];
      if (!refusal) throw error;
      // Nothing was accepted: the next try is another one.
      const { stepUp: _used, ...rest } = typed;
      await showForm(visit, error.code === 'unavailable' ? 503 : 409, { ...rest, attempt: '' }, {}, refusal);
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

  async function history(visit: Visit): Promise<void> {
    const { ctx, base, reader, visitor } = visit;
    if (!visitor) return redirect(ctx, `${base}/sign-in?lang=${reader.words.language}`);
    const after = typeof ctx.query.after === 'string' ? ctx.query.after : undefined;
    return show(visit, 200, await historyView(accounts, visit, visitor.customerId, after));
  }

  /** The customer takes back one of the own cards. */
  async function removeCard(visit: Visit, cardId: string | undefined): Promise<void> {
    const { ctx, link, base, reader, visitor } = visit;
    if (visitor && cardId) await accounts.removeCard(link, visitor.customerId, cardId, actorOf(ctx, visitor));
    return redirect(ctx, `${base}${visitor ? '' : '/sign-in'}?lang=${reader.words.language}`);
  }

  /** What the sign-in says, below the address of this page. */
  async function account(visit: Visit, path: string): Promise<void> {
    const { ctx, link, base, reader } = visit;
    const place = { ctx, tenantId: link.tenant_id, language: reader.words.language, base };
    const outcome = await signIn.serve(place, path);
    return 'location' in outcome ? redirect(ctx, outcome.location) : show(visit, outcome.status, outcome.view, true);
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

  async function show(visit: Visit, status: number, view: View, isSignIn = false): Promise<void> {
    const { ctx, reader, link, base, visitor } = visit;
    const { name: seller, theme, logo } = await checkout.seller(link);
    const { words } = reader;
    const here = new URLSearchParams(ctx.querystring);
    here.set('lang', words.otherLanguage.code);
    // A page that answers a form has no address of its own.
    const path = ctx.method === 'GET' ? ctx.path : base;
    const mayOffer = !isSignIn && !visitor && status < 410 && (await signIn.isOffered(link.tenant_id));
    send(ctx, status, {
      ...view,
      seller,
      words,
      otherLanguageHref: `${path}?${here}`,
      visitor: visitor && {
        name: visitor.name,
        historyHref: `${base}/history?lang=${words.language}`,
        signOutHref: `${base}/sign-out?lang=${words.language}`,
      },
      signInHref: mayOffer ? `${base}/sign-in?lang=${words.language}` : undefined,
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
    const [, , token = '', paymentId, part, act, ...rest] = ctx.path.split('/');
    // Whoever has the address can pay: it stands in no log line.
    ctx.state.loggedPath = `${PREFIX}/…${paymentId ? `/${paymentId}` : ''}${part ? `/${part}` : ''}`;
    const reader = new Reader(ctx);
    let link: PaymentLinkRow;
    try {
      link = await checkout.open(token);
      if (rest.length > 0 || (act && paymentId !== 'cards')) throw new DomainError('not_found', 'page not found');
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      return nothing(ctx, reader);
    }
    try {
      const visitor = await signIn.visitor(ctx, link.tenant_id);
      await answer({ ctx, reader, link, base: `${PREFIX}/${token}`, visitor }, paymentId, part, act);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
      nothing(ctx, reader);
    }
  }

  function answer(visit: Visit, first?: string, second?: string, third?: string): Promise<void> {
    const { method } = visit.ctx;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && method !== 'POST') throw new MethodNotAllowed(['GET', 'POST']);
    if (first === 'tickets') return ticket(visit, second);
    if (first === 'sign-in' || first === 'sign-out') return account(visit, second ? `${first}/${second}` : first);
    if (first === 'cards') {
      if (isRead) throw new MethodNotAllowed(['POST']);
      if (third !== 'remove') throw new DomainError('not_found', 'page not found');
      return removeCard(visit, second);
    }
    if (first && !isRead && second !== 'receipt') throw new MethodNotAllowed(['GET']);
    if (first === 'history') return history(visit);
    if (first === 'logo' || first === 'images') return picture(visit, first === 'images' ? (second ?? '-') : undefined);
    if (first) return payment(visit, first, second);
    return isRead ? form(visit) : pay(visit);
  }

  return { prefix: PREFIX, middleware: serve };
}

const actorOf = ({ state }: Context, { customerId }: WebCustomer) => ({
  id: customerId,
  source: state.source,
  requestId: state.requestId,
});

const tokenOf = (base: string) => base.slice(PREFIX.length + 1);

/** The way to pay that was chosen, else the customer's own card, else the first. Undefined where none serves the link. */
function chosen(methods: Method[], cards: SavedCardRow[], typed: Typed): Way | undefined {
  const cardMethod = methods.find(({ kind }) => kind === 'card');
  const wanted = typed.card
    ? cards.find(({ id }) => id === typed.card)
    : typed.method
      ? undefined
      : (cards.find(({ is_default }) => is_default) ?? cards[0]);
  if (cardMethod && wanted) return { method: cardMethod, saved: wanted };
  const method = methods.find(({ id }) => `${id}` === typed.method) ?? methods[0];
  return method && { method };
}

/** Trimmed; what was left empty is absent. */
async function readForm(ctx: Context): Promise<Typed> {
  return Object.fromEntries(
    [...(await readFormBody(ctx))].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== ''),
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
