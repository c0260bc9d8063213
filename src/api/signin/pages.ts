import type { Context } from 'koa';
import { DomainError, notFound } from '../../domain/errors';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import type { Device, WebCustomer } from '../../people/customer-access/web-sessions';
import type { FieldView, FormPage } from '../records/form-page';
import type { AskedToConfirm, PageOutcome, PageSignIn, SignInPlace } from '../records/page-sign-in';
import { readFormBody, requireOwnOrigin } from '../server/form-body';
import { KnownDeviceCookie } from '../server/known-device-cookie';
import { MethodNotAllowed } from '../server/middleware/routing';
import { type CookieForm, SignInCookie } from './cookie';
import { type SignInProblem, type SignInWords, wordsIn } from './words';

/** Longer ones are nobody's. */
const MAX_TYPED = 500;

/** What a refusal of the sign-in means to who reads it, and the status of the answer. */
const REFUSALS: Partial<Record<DomainError['code'], [SignInProblem, status: number]>> = {
  unauthorized: ['refused', 403],
  rate_limited: ['tooOften', 429],
  two_factor_required: ['noCode', 403],
  customer_blocked: ['blocked', 403],
  code_refused: ['code', 403],
};

/** Where pages need a sign-in of their own, apart from that of the others. */
export interface SignInOptions {
  cookie?: CookieForm;
  /** How long a session lasts. Absent: as long as the pages of buyers have it. */
  sessionMs?: number;
}

/**
 * The forms by which customers sign in and out, and confirm a payment. They work without JavaScript and stand below the
 * address of any page of ours, which shows them in its own frame.
 */
export class SignInPages implements PageSignIn {
  private readonly cookie: SignInCookie;
  private readonly known: KnownDeviceCookie;

  constructor(
    private readonly identity: Pick<CustomerIdentity, 'webSignIn' | 'webSessions' | 'knownDevices'>,
    private readonly publicUrl: string,
    private readonly options: SignInOptions = {},
  ) {
    this.cookie = new SignInCookie(publicUrl, options.cookie);
    this.known = new KnownDeviceCookie(publicUrl, identity.knownDevices);
  }

  isOffered(tenantId: string): Promise<boolean> {
    return this.identity.webSignIn.isOffered(tenantId);
  }

  async visitor(ctx: Context, tenantId: string): Promise<WebCustomer | undefined> {
    const token = this.cookie.read(ctx);
    if (token === undefined) return undefined;
    if (ctx.method === 'POST') requireOwnOrigin(ctx, this.publicUrl);
    return this.identity.webSessions.find(tenantId, token);
  }

  async serve(place: SignInPlace, path: string): Promise<PageOutcome> {
    const { ctx } = place;
    const isPost = ctx.method === 'POST';
    if (isPost) requireOwnOrigin(ctx, this.publicUrl);
    switch (path) {
      case 'sign-in':
        return isPost ? this.signIn(place) : { status: 200, view: signInView(place, {}) };
      case 'sign-in/code':
        return isPost ? this.code(place) : this.askForCode(place);
      case 'sign-out':
        if (!isPost) throw new MethodNotAllowed(['POST']);
        return this.signOut(place);
      default:
        throw notFound('page');
    }
  }

  stepUpPage(language: string, asked: AskedToConfirm): FormPage {
    const words = wordsIn(language);
    const { amount, payee, method, action, hidden, isRefused, back } = asked;
    return {
      title: words.confirmTitle,
      text: words.confirmText[method],
      alert: isRefused ? words.wrong : undefined,
      facts: [
        { name: words.amount, value: amount },
        { name: words.payee, value: payee },
      ],
      form: {
        action,
        hidden,
        ways: [],
        fields: [codeField(words, isRefused ? 'code' : undefined, method === 'totp')],
        button: words.confirm,
      },
      links: [{ href: back, text: words.startAgain }],
    };
  }

  private async signIn(place: SignInPlace): Promise<PageOutcome> {
    const { ctx, tenantId } = place;
    const sent = await readFormBody(ctx);
    const value = (sent.get('name') ?? '').trim();
    // Spaces belong to a password.
    const password = sent.get('password') ?? '';
    const missing: Typed = { ...(value ? {} : { name: 'required' }), ...(password ? {} : { password: 'required' }) };
    if (Object.keys(missing).length > 0) return { status: 400, view: signInView(place, missing, value) };
    if (value.length > MAX_TYPED || password.length > MAX_TYPED) return refused(place, 'unauthorized', value);
    try {
      const device = this.deviceOf(ctx);
      const entered = await this.identity.webSignIn.withPassword(tenantId, { value, password }, device, {
        needsCode: place.needsCode,
        sessionMs: this.options.sessionMs,
      });
      this.cookie.write(ctx, entered.token);
      if (entered.next === 'code') return { location: at(place, '/sign-in/code') };
      this.remember(ctx, entered.customerId);
      return { location: at(place, '') };
    } catch (error) {
      return refusedBy(error, place, value);
    }
  }

  private async askForCode(place: SignInPlace): Promise<PageOutcome> {
    const token = this.cookie.read(place.ctx);
    const waits = token && (await this.identity.webSessions.waiting(place.tenantId, token));
    return waits ? { status: 200, view: codeView(place) } : { location: at(place, '/sign-in') };
  }

  private async code(place: SignInPlace): Promise<PageOutcome> {
    const { ctx, tenantId } = place;
    const code = ((await readFormBody(ctx)).get('code') ?? '').trim().slice(0, MAX_TYPED);
    const waiting = this.cookie.read(ctx);
    if (!waiting) return { location: at(place, '/sign-in') };
    if (code === '') return { status: 400, view: codeView(place, 'required') };
    try {
      const device = this.deviceOf(ctx);
      const { token, customerId } = await this.identity.webSignIn.withCode(tenantId, waiting, code, device, {
        sessionMs: this.options.sessionMs,
      });
      this.cookie.write(ctx, token);
      this.remember(ctx, customerId);
      return { location: at(place, '') };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'code_refused') return { status: 403, view: codeView(place, 'code') };
      // The form sent twice: the first has signed in, and has the cookie.
      if (error.code === 'unauthorized') return { location: at(place, '/sign-in') };
      return refusedBy(error, place, '');
    }
  }

  private async signOut(place: SignInPlace): Promise<PageOutcome> {
    const { ctx, tenantId } = place;
    const everywhere = (await readFormBody(ctx)).has('everywhere');
    const token = this.cookie.read(ctx);
    if (token) await this.identity.webSignIn.signOut(tenantId, token, { everywhere });
    this.cookie.clear(ctx);
    return { location: at(place, '') };
  }

  private deviceOf(ctx: Context): Device {
    return { source: ctx.state.source, userAgent: ctx.get('user-agent'), known: this.known.read(ctx.headers) };
  }

  private remember(ctx: Context, customerId: string): void {
    ctx.append('Set-Cookie', this.known.holding(ctx.headers, customerId));
  }
}

type Typed = Partial<Record<'name' | 'password', SignInProblem>>;

const at = ({ base, language }: SignInPlace, below: string) => `${base}${below}?lang=${language}`;

function refusedBy(error: unknown, place: SignInPlace, value: string): PageOutcome {
  if (!(error instanceof DomainError) || !REFUSALS[error.code]) throw error;
  if (error.retryAfterSeconds) place.ctx.set('Retry-After', `${error.retryAfterSeconds}`);
  return refused(place, error.code, value);
}

function refused(place: SignInPlace, code: DomainError['code'], value: string): PageOutcome {
  const [problem, status] = REFUSALS[code]!;
  return { status, view: { ...signInView(place, {}, value), alert: wordsIn(place.language).problems[problem] } };
}

/** What was typed stays, the password excepted. */
function signInView(place: SignInPlace, problems: Typed, value = ''): FormPage {
  const words = wordsIn(place.language);
  return {
    title: words.title,
    alert: Object.keys(problems).length > 0 ? words.wrong : undefined,
    form: {
      action: at(place, '/sign-in'),
      hidden: [],
      ways: [],
      fields: [
        { ...fieldOf(words, 'name', words.name, problems.name), value, autocomplete: 'username' },
        {
          ...fieldOf(words, 'password', words.password, problems.password),
          type: 'password',
          autocomplete: 'current-password',
        },
      ],
      button: words.signIn,
    },
    links: [{ href: at(place, ''), text: words.back }],
  };
}

function codeView(place: SignInPlace, problem?: SignInProblem): FormPage {
  const words = wordsIn(place.language);
  return {
    title: words.codeTitle,
    text: words.codeText,
    alert: problem && words.wrong,
    form: {
      action: at(place, '/sign-in/code'),
      hidden: [],
      ways: [],
      fields: [codeField(words, problem, true)],
      button: words.goOn,
    },
    links: [{ href: at(place, '/sign-in'), text: words.startAgain }],
  };
}

function codeField(words: SignInWords, problem: SignInProblem | undefined, mayRecover: boolean): FieldView {
  const field = fieldOf(words, 'code', words.code, problem);
  const hint = mayRecover ? words.codeHint : undefined;
  return {
    ...field,
    hint,
    // Recovery codes have letters.
    mode: mayRecover ? undefined : 'numeric',
    autocomplete: 'one-time-code',
    describedBy: [hint && 'code-hint', field.describedBy].filter(Boolean).join(' ') || undefined,
  };
}

function fieldOf(words: SignInWords, name: string, label: string, problem: SignInProblem | undefined): FieldView {
  return {
    name,
    label,
    value: '',
    type: 'text',
    required: true,
    problem: problem && words.problems[problem],
    describedBy: problem && `${name}-problem`,
  };
}
