import type { Context } from 'koa';
import { errors, type default as Provider } from 'oidc-provider';
import { DomainError, notFound } from '../../domain/errors';
import { localAmount, localTime } from '../../domain/localized';
import type { Database } from '../../foundation/db/database';
import { accountsToChoose, type OwnAccount } from '../../open-banking/consents/accounts';
import { type ConsentRow, ownConsentsPath } from '../../open-banking/consents/consent';
import type { Consents } from '../../open-banking/consents/service';
import { actOf } from '../../open-banking/payments/initiation';
import type { StepUps } from '../../people/customer-access/step-ups';
import type { WebCustomer } from '../../people/customer-access/web-sessions';
import type { PageSignIn } from '../records/page-sign-in';
import { readFormBody, requireOwnOrigin } from '../server/form-body';
import { acrOf, essentialAcrs, insistsOnSca } from './acr';
import { bankOf, type Fact, redirect, showPage, type View } from './frame';
import { consentIdOf } from './request-rules';
import { sightsOf } from './sights';
import { type ConsentWords, wordsFor } from './words';

/** Refusals that the customer can read, and come back from. */
const PROBLEMS: Partial<Record<DomainError['code'], keyof ConsentWords['problems']>> = {
  unavailable: 'unavailable',
  customer_blocked: 'blocked',
  rate_limited: 'tooOften',
  two_factor_required: 'noCode',
};

/** Also where the answer to a form redirects to: to the provider. */
const FORM_ACTION = "'self' https: http:";

const NOT_AUTHORISED = { error: 'access_denied', error_description: 'the consent cannot be authorised' };

/** Why nobody can decide any more. */
type Gone = keyof ConsentWords['gone'];

export interface ConsentPageDependencies {
  provider: Provider;
  database: Database;
  consents: Pick<Consents, 'forAuthorisation' | 'authorise' | 'reject' | 'noteFailure'>;
  signIn: PageSignIn;
  stepUps: Pick<StepUps, 'ask' | 'confirm' | 'find'>;
  /** Base address of the entrance. */
  authUrl: string;
}

interface Visit {
  ctx: Context;
  words: ConsentWords;
  base: string;
  consent: ConsentRow;
  tppName: string;
  bank: string;
  visitor?: WebCustomer;
  /** The provider insists on a second factor (`acr`). */
  needsCode: boolean;
  params: Record<string, unknown>;
}

/**
 * The page on which a customer signs in, sees who asks for what and until when, and confirms or refuses. It works without
 * JavaScript. The cookie of the interaction, which no other site's form brings along, ties it to the browser that began.
 */
export class ConsentPages {
  constructor(private readonly deps: ConsentPageDependencies) {}

  readonly serve = async (ctx: Context): Promise<void> => {
    const { provider, consents, signIn, database, authUrl } = this.deps;
    const [, , uid = '', ...rest] = ctx.path.split('/');
    const words = wordsFor(ctx);
    ctx.state.loggedPath = `/interaction/…${rest.length > 0 ? `/${rest.join('/')}` : ''}`;
    if (ctx.method === 'POST') requireOwnOrigin(ctx, authUrl);
    const details = await interactionOf(provider, ctx);
    if (details?.uid !== uid) return this.over(ctx, words, 404);
    const { params } = details;
    const [tppId, consentId] = [String(params.client_id), consentIdOf(params)];
    let found: Awaited<ReturnType<Consents['forAuthorisation']>>;
    try {
      found = await consents.forAuthorisation(tppId, consentId);
    } catch (error) {
      const gone = goneBy(error);
      if (!gone) throw error;
      // The way back from the page that says so.
      return gone === 'ended' && rest[0] === 'back'
        ? this.finish(ctx, NOT_AUTHORISED)
        : this.gone(ctx, words, gone, `/interaction/${uid}`);
    }
    const { consent, tppName } = found;
    const bank = (await bankOf(database, consent.tenant_id)) ?? '';
    const needsCode = consent.kind !== 'payment' && insistsOnSca(params.claims);
    const known = await signIn.visitor(ctx, consent.tenant_id);
    const visitor = needsCode && !known?.hasSecondFactor ? undefined : known;
    const base = `/interaction/${uid}`;
    const visit: Visit = { ctx, words, base, consent, tppName, bank, visitor, needsCode, params };
    if (rest[0] === 'sign-in' || rest[0] === 'sign-out') return this.account(visit, rest.join('/'));
    if (rest.length > 0) throw notFound('page');
    if (!visitor) return redirect(ctx, `${visit.base}/sign-in?lang=${words.language}`);
    if (ctx.method === 'POST') return this.decide(visit, visitor);
    return this.ask(visit, visitor, 200);
  };

  private async account(visit: Visit, path: string): Promise<void> {
    const { ctx, consent, words, base, needsCode } = visit;
    const place = { ctx, tenantId: consent.tenant_id, language: words.language, base, needsCode };
    const outcome = await this.deps.signIn.serve(place, path);
    if ('location' in outcome) return redirect(ctx, outcome.location);
    // The way back would lead here again.
    return this.show(visit, outcome.status, { ...outcome.view, links: [] });
  }

  private async ask(visit: Visit, visitor: WebCustomer, status: number, alert?: string): Promise<void> {
    const { consent, words, tppName, base } = visit;
    if (consent.customer_id && consent.customer_id !== visitor.customerId)
      return this.show(visit, 403, { title: words.otherCustomer, text: words.otherCustomerText });
    const accounts = await this.deps.database.tenant(consent.tenant_id, (trx) =>
      accountsToChoose(trx, consent, visitor.customerId),
    );
    const view: View = {
      title: words.title[consent.kind],
      text: words.text[consent.kind](tppName),
      alert: accounts.length === 0 ? words.noAccounts : alert,
      permissions: sightsOf(consent, words),
      facts: factsOf(visit),
      choice: choiceOf(visit, accounts),
      form: {
        action: `${base}?lang=${words.language}`,
        // Without an account there is nothing to confirm.
        button: accounts.length > 0 ? words.confirm : '',
        hidden: [],
        ways: [],
        fields: [],
      },
      refuse: words.refuse,
    };
    return this.show(visit, status, view);
  }

  private async decide(visit: Visit, visitor: WebCustomer): Promise<void> {
    const { ctx, consent, words } = visit;
    const sent = await readFormBody(ctx);
    const { customerId } = visitor;
    if (consent.customer_id && consent.customer_id !== customerId) return this.ask(visit, visitor, 403);
    const by = { source: ctx.state.source, requestId: ctx.state.requestId };
    if (sent.get('decision') === 'refuse') return this.refuse(visit, { customerId, ...by });
    const accountIds = [...new Set(sent.getAll('account'))];
    if (accountIds.length === 0) return this.ask(visit, visitor, 400, words.chooseAccount);
    try {
      const stepUpId = consent.kind === 'payment' ? await this.confirmed(visit, visitor, sent) : undefined;
      if (consent.kind === 'payment' && !stepUpId) return;
      const acr = acrOf(visitor, stepUpId, essentialAcrs(visit.params.claims));
      await this.authorise(visit, { customerId, accountIds, stepUpId, ...by }, acr);
    } catch (error) {
      await this.deps.consents.noteFailure(consent.tpp_id, consent.id, reasonOf(error));
      if (!(error instanceof DomainError)) throw error;
      const gone = goneBy(error);
      if (gone) return this.gone(ctx, words, gone, visit.base);
      const problem = PROBLEMS[error.code];
      return this.ask(visit, visitor, problem ? 409 : 400, problem ? words.problems[problem] : words.failed);
    }
  }

  private async refuse(
    { ctx, consent, words, base }: Visit,
    by: { customerId: string; source: string; requestId: string },
  ): Promise<void> {
    try {
      await this.deps.consents.reject(consent.tpp_id, consent.id, by);
    } catch (error) {
      const gone = goneBy(error);
      if (!gone) throw error;
      return this.gone(ctx, words, gone, base);
    }
    return this.finish(ctx, { error: 'access_denied', error_description: 'the customer has refused' });
  }

  private async authorise(
    { ctx, consent, params }: Visit,
    by: { customerId: string; accountIds: string[]; stepUpId?: string; source: string; requestId: string },
    acr: string,
  ): Promise<void> {
    const grant = new this.deps.provider.Grant({ accountId: by.customerId, clientId: consent.tpp_id });
    grant.addOIDCScope(String(params.scope));
    const claims = typeof params.claims === 'string' ? JSON.parse(params.claims) : {};
    grant.addOIDCClaims(Object.keys({ ...claims.id_token, ...claims.userinfo }));
    const grantId = await grant.save();
    await this.deps.consents.authorise(consent.tpp_id, consent.id, { ...by, grantId });
    return this.finish(ctx, {
      login: { accountId: by.customerId, acr, remember: false },
      consent: { grantId },
    });
  }

  /** The confirmation of amount and payee. Undefined if the page has asked for the code, for the first time or again. */
  private async confirmed(visit: Visit, visitor: WebCustomer, sent: URLSearchParams): Promise<string | undefined> {
    const { consent, words } = visit;
    const whose = { tenantId: consent.tenant_id, customerId: visitor.customerId };
    const asked = sent.get('stepUp');
    if (!asked) {
      const { stepUpId } = await this.deps.stepUps.ask(actOf(consent, visitor.customerId), words.language);
      await this.askForCode(visit, whose, stepUpId, sent, false);
      return undefined;
    }
    try {
      await this.deps.stepUps.confirm(whose, asked, (sent.get('code') ?? '').trim().slice(0, 64));
      return asked;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'code_refused') throw error;
      await this.askForCode(visit, whose, asked, sent, true);
      return undefined;
    }
  }

  private async askForCode(
    visit: Visit,
    whose: { tenantId: string; customerId: string },
    stepUpId: string,
    sent: URLSearchParams,
    isRefused: boolean,
  ): Promise<void> {
    const { words, base } = visit;
    const row = await this.deps.stepUps.find(whose, stepUpId);
    const view = this.deps.signIn.stepUpPage(words.language, {
      amount: localAmount(words.locale, row.amount_minor, row.currency),
      payee: row.payee_name,
      method: row.method,
      action: `${base}?lang=${words.language}`,
      hidden: [...sent.getAll('account').map((id): [string, string] => ['account', id]), ['stepUp', stepUpId]],
      isRefused,
      back: `${base}?lang=${words.language}`,
    });
    await this.show(visit, isRefused ? 403 : 200, { ...view, refuse: words.refuse });
  }

  private async finish(ctx: Context, result: Record<string, unknown>): Promise<void> {
    const location = await this.deps.provider.interactionResult(ctx.req, ctx.res, result as never, {
      mergeWithLastSubmission: false,
    });
    redirect(ctx, location);
  }

  private over(ctx: Context, words: ConsentWords, status: number): void {
    showPage(ctx, status, { title: words.over, text: words.overText }, { words, bank: '', formAction: FORM_ACTION });
  }

  /** The consent has ended, or its provider may not act, while the customer was on the way. */
  private gone(ctx: Context, words: ConsentWords, why: Gone, base: string): void {
    const links = why === 'ended' ? [{ href: `${base}/back`, text: words.goBack }] : [];
    const view = { title: words.over, text: words.gone[why], links };
    showPage(ctx, 409, view, { words, bank: '', formAction: FORM_ACTION });
  }

  private show({ ctx, words, bank, base, visitor, consent }: Visit, status: number, view: View): void {
    const signOutHref = `${base}/sign-out?lang=${words.language}`;
    showPage(ctx, status, view, {
      words,
      bank,
      visitor: visitor && { name: visitor.name, signOutHref },
      consentsHref: `${ownConsentsPath(consent.tenant_id)}?lang=${words.language}`,
      formAction: FORM_ACTION,
    });
  }
}

function choiceOf({ consent, words }: Visit, accounts: OwnAccount[]): View['choice'] {
  if (accounts.length === 0) return undefined;
  const type = consent.kind === 'account' ? 'checkbox' : 'radio';
  return {
    legend: type === 'checkbox' ? words.accounts : words.account,
    type,
    accounts: accounts.map(({ id, iban, currency }, index) => ({
      id: String(id),
      name: `${iban.replace(/(.{4})(?=.)/g, '$1 ')} (${currency})`,
      isChosen: accounts.length === 1 || (type === 'radio' && index === 0),
    })),
  };
}

function factsOf({ consent, words }: Visit): Fact[] {
  const time = (at: Date) => localTime(words.locale, at);
  const { kind, sharing_from, sharing_to, expires_at, customer_id } = consent;
  const until = { name: words.until, value: expires_at ? time(expires_at) : words.untilRevoked };
  if (kind === 'payment') {
    const { amountMinor, currency, payee } = actOf(consent, customer_id ?? '');
    return [
      { name: words.amount, value: localAmount(words.locale, amountMinor, currency) },
      { name: words.payee, value: `${payee.name} (${payee.id})` },
    ];
  }
  if (!sharing_from || !sharing_to) return [until];
  return [{ name: words.sharedFrom, value: `${time(sharing_from)} – ${time(sharing_to)}` }, until];
}

async function interactionOf(provider: Provider, ctx: Context) {
  try {
    return await provider.interactionDetails(ctx.req, ctx.res);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

function goneBy(error: unknown): Gone | undefined {
  if (!(error instanceof DomainError)) return undefined;
  if (error.code === 'consent_not_usable') return 'provider';
  return error.code === 'invalid_state' || error.code === 'not_found' ? 'ended' : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof DomainError ? error.code : 'internal_error';
}
