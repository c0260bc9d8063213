import type { Context } from 'koa';
import { DomainError } from '../../domain/errors';
import { isOverConsent } from '../../domain/states/consent';
import type { Database } from '../../foundation/db/database';
import { Mac } from '../../foundation/vault/keyring';
import { type ConsentRow, ownConsentsPath } from '../../open-banking/consents/consent';
import type { Consents } from '../../open-banking/consents/service';
import type { BankPayments } from '../../open-banking/payments/service';
import type { WebCustomer } from '../../people/customer-access/web-sessions';
import type { PageSignIn } from '../records/page-sign-in';
import { readFormBody, requireOwnOrigin } from '../server/form-body';
import { MethodNotAllowed } from '../server/middleware/routing';
import { bankOf, redirect, showPage, type View } from './frame';
import { listView, oneView, type Reading } from './own-views';
import { OWN_WORDS } from './own-words';
import { wordsFor } from './words';

const PAGE = 20;
const TENANT = /^[A-Za-z0-9_-]{1,64}$/;
const ROW = /^[a-z]{2,4}_[0-9a-z]{26}$/;

export interface OwnConsentsDependencies {
  database: Database;
  consents: Pick<Consents, 'glance' | 'find' | 'accesses' | 'revoke' | 'authenticateBy'>;
  payments: Pick<BankPayments, 'ofConsent'>;
  /** With a cookie of its own. */
  ownSignIn: PageSignIn;
  /** VAULT_HMAC_KEY. */
  hmacKey: string;
  /** Base address of the entrance. */
  authUrl: string;
}

interface Visit extends Reading {
  ctx: Context;
  tenantId: string;
  bank: string;
  visitor?: WebCustomer;
}

/**
 * The pages on which customers see what they have allowed to third parties, and end it (PSD2 RTS; UK Open Banking, access
 * dashboards). They work without JavaScript. Each form carries a token of its session, which no other site knows.
 */
export class OwnConsentPages {
  private readonly mac: Mac;

  constructor(private readonly deps: OwnConsentsDependencies) {
    this.mac = new Mac(deps.hmacKey, 'forms of customers');
  }

  readonly serve = async (ctx: Context): Promise<void> => {
    const { database, ownSignIn, authUrl } = this.deps;
    const words = wordsFor(ctx);
    const [, tenantId = '', ...rest] = ctx.path.split('/').filter(Boolean);
    const [first = '', ...more] = rest;
    ctx.state.loggedPath = '/consents/…';
    if (ctx.method === 'POST') requireOwnOrigin(ctx, authUrl);
    const bank = TENANT.test(tenantId) ? await bankOf(database, tenantId) : undefined;
    const base = ownConsentsPath(tenantId);
    const visit: Visit = { ctx, words, own: OWN_WORDS[words.language], tenantId, bank: bank ?? '', base };
    if (bank === undefined) return this.nothing(visit);
    visit.visitor = await ownSignIn.visitor(ctx, tenantId);
    if (first === 'sign-in' || first === 'sign-out') return this.account(visit, rest.join('/'));
    if (!visit.visitor) return redirect(ctx, `${base}/sign-in?lang=${words.language}`);
    try {
      if (first === '') return await this.list(visit, visit.visitor);
      if (!ROW.test(first) || more.length > 1 || (more[0] ?? 'end') !== 'end') return this.nothing(visit);
      return await (more[0] ? this.end(visit, visit.visitor, first) : this.one(visit, visit.visitor, first));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return this.nothing(visit);
      throw error;
    }
  };

  private async account(visit: Visit, path: string): Promise<void> {
    const { ctx, tenantId, words, base, visitor } = visit;
    if (path === 'sign-out' && ctx.method === 'POST' && visitor && !(await this.isOwnForm(ctx, visitor)))
      return this.stale(visit);
    const outcome = await this.deps.ownSignIn.serve({ ctx, tenantId, language: words.language, base }, path);
    if ('location' in outcome) return redirect(ctx, outcome.location);
    // The way back would lead here again.
    return this.show(visit, outcome.status, { ...outcome.view, links: [] });
  }

  private async list(visit: Visit, { customerId }: WebCustomer): Promise<void> {
    const { ctx, tenantId } = visit;
    requireGet(ctx);
    const pageOf = (isOver: boolean, cursor?: string) =>
      this.deps.consents.glance(tenantId, customerId, { isOver, limit: PAGE, cursor });
    const [open, over] = [await pageOf(false, cursorIn(ctx, 'after')), await pageOf(true, cursorIn(ctx, 'endedAfter'))];
    const shown = (row: ConsentRow) => this.deps.consents.authenticateBy(row);
    this.show(visit, 200, listView(visit, { open, over, limit: PAGE }, shown));
  }

  private async one(
    visit: Visit,
    { customerId }: WebCustomer,
    consentId: string,
    { status = 200, alert }: { status?: number; alert?: string } = {},
  ): Promise<void> {
    const { ctx, tenantId, own } = visit;
    const { consents, payments } = this.deps;
    const scope = { tenantId, customerId };
    const whole = await consents.find(scope, consentId);
    const accesses = await consents.accesses(scope, consentId, { limit: PAGE, cursor: cursorIn(ctx, 'after') });
    const payment = whole.consent.kind === 'payment' ? await payments.ofConsent(tenantId, consentId) : undefined;
    const authenticateBy = consents.authenticateBy(whole.consent);
    const view = oneView(visit, { ...whole, accesses, payment, authenticateBy, limit: PAGE });
    const hasJustEnded = ctx.query.ended !== undefined && isOverConsent(whole.consent.status);
    this.show(visit, status, { ...view, text: hasJustEnded ? own.hasEnded : view.text, alert });
  }

  /** Asks first, then ends it. One that has ended, such as in another tab, is told so. */
  private async end(visit: Visit, visitor: WebCustomer, consentId: string): Promise<void> {
    const { ctx, tenantId, own, words, base } = visit;
    const { customerId } = visitor;
    const scope = { tenantId, customerId };
    const here = `${base}/${consentId}`;
    const { consent, tppName } = await this.deps.consents.find(scope, consentId);
    if (ctx.method === 'POST') {
      if (!(await this.isOwnForm(ctx, visitor))) return this.stale(visit);
      const by = { id: customerId, source: ctx.state.source, requestId: ctx.state.requestId };
      try {
        await this.deps.consents.revoke(scope, consentId, 'The customer has ended it.', by);
        return redirect(ctx, `${here}?ended=now&lang=${words.language}`);
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'invalid_state') throw error;
        return this.one(visit, visitor, consentId, { status: 409, alert: own.hadEnded });
      }
    }
    requireGet(ctx);
    const { status } = consent;
    if (status !== 'Authorised' && status !== 'AwaitingAuthorisation')
      return this.one(visit, visitor, consentId, { alert: own.hadEnded });
    return this.show(visit, 200, {
      title: own.endTitle(tppName),
      text: own.endText[status],
      form: {
        action: `${here}/end?lang=${words.language}`,
        hidden: [['csrf', this.tokenOf(visitor)]],
        ways: [],
        fields: [],
        button: own.endNow,
      },
      links: [{ href: `${here}?lang=${words.language}`, text: own.keep }],
    });
  }

  private tokenOf({ sessionId }: WebCustomer): string {
    return this.mac.of(sessionId).toString('base64url');
  }

  /** Whether a form was made by our page for this very session. */
  private async isOwnForm(ctx: Context, visitor: WebCustomer): Promise<boolean> {
    const sent = (await readFormBody(ctx)).get('csrf') ?? '';
    return this.mac.matches(Buffer.from(sent, 'base64url'), visitor.sessionId);
  }

  private stale(visit: Visit): void {
    const { own, base, words } = visit;
    const links = [{ href: `${base}?lang=${words.language}`, text: own.back }];
    this.show(visit, 403, { title: own.stale, text: own.staleText, links });
  }

  private nothing(visit: Visit): void {
    const { own, bank, base, words } = visit;
    const links = bank ? [{ href: `${base}?lang=${words.language}`, text: own.back }] : [];
    this.show(visit, 404, { title: own.unknown, text: own.unknownText, links });
  }

  private show({ ctx, words, bank, base, visitor }: Visit, status: number, view: View): void {
    const signOutHref = `${base}/sign-out?lang=${words.language}`;
    const hidden = (who: WebCustomer): [string, string][] => [['csrf', this.tokenOf(who)]];
    showPage(ctx, status, view, {
      words,
      bank,
      visitor: visitor && { name: visitor.name, signOutHref, hidden: hidden(visitor) },
      formAction: "'self'",
    });
  }
}

/** Where a list goes on. What is no id of ours begins the list anew. */
function cursorIn(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  return typeof value === 'string' && ROW.test(value) ? value : undefined;
}

function requireGet(ctx: Context): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new MethodNotAllowed(['GET']);
}
