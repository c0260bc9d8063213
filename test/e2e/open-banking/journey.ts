import { createHash, randomBytes } from 'node:crypto';
import type { Credentials } from '../../setup/stack';
import type { Json } from '../client';
import { codeIn, hiddenOf, letter, lettersTo, type Member, PASSWORD } from '../page-visitors';
import { type EntranceCaller, type EntranceReply, seededTpp } from './tpp';

const CONSENT = '/open-banking/2.0.0/consent';
/** Not the code: somebody typed it wrong. */
const mistyped = (code: string) => (code === '000000' ? '000001' : '000000');
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** What a provider keeps between sending a customer to the bank and the customer's way back. */
export class Journey {
  private readonly verifier = randomBytes(32).toString('base64url');
  /** Where the provider sends its customer: from the root of the entrance. */
  readonly start: string;

  constructor(
    private readonly redirectUri: string,
    authorisationUrl: string,
  ) {
    const url = new URL(authorisationUrl);
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    const own = { state: 'a-state', nonce: 'a-nonce', code_challenge: challenge, code_challenge_method: 'S256' };
    for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
    this.start = url.pathname + url.search;
  }

  /** What the provider sends for its tokens. `back`: where the customer came back to. */
  exchange(back: URL, more: Record<string, string> = {}): Record<string, string> {
    return {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      ...more,
    };
  }
}

/** The seeded provider of a tenant, and what it asks of customers. */
export class Provider {
  readonly caller: EntranceCaller;

  constructor(private readonly credentials: Credentials) {
    this.caller = seededTpp(credentials);
  }

  close(): void {
    this.caller.close();
  }

  /** A header with a token of the provider's own. */
  async bearer(scope = 'accounts'): Promise<{ authorization: string }> {
    const { body } = await this.caller.token({ grant_type: 'client_credentials', scope });
    return { authorization: `Bearer ${body.access_token}` };
  }

  /** A consent to read accounts: those of now with their numbers, and balances, unless overridden. */
  async accountConsent(customerId: string, changed: object = {}): Promise<Json> {
    const record = {
      serviceProvider: this.credentials.tpp.name,
      customerId,
      customerType: 'Person',
      status: 'AwaitingAuthorisation',
      consentedDate: inDays(0),
      sharingStartDate: inDays(-30),
      sharingEndDate: inDays(30),
      expiryDate: inDays(60),
      permissions: [{ name: 'ReadAccountsDetail' }, { name: 'ReadBalances' }],
      tenantId: this.credentials.tenantId,
      ...changed,
    };
    const headers = await this.bearer();
    const { status, body } = await this.caller.send(CONSENT, { method: 'POST', headers, json: record });
    if (status !== 201) throw new Error(`no consent: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async statusOf(consentId: string): Promise<string> {
    return (await this.caller.send(`${CONSENT}/${consentId}`, { headers: await this.bearer() })).body.status;
  }

  /** To have a consent authorised. The answer to a consent to read accounts says where; of others the provider knows. */
  journey({ consentId, authorisationUrl }: { consentId: string; authorisationUrl?: string }): Journey {
    const { authUrl, tpp } = this.credentials;
    const query = new URLSearchParams({
      client_id: tpp.clientId,
      response_type: 'code',
      scope: 'openid payments',
      consent_id: consentId,
      redirect_uri: tpp.redirectUri,
    });
    return new Journey(tpp.redirectUri, authorisationUrl ?? `${authUrl}/authorize?${query}`);
  }
}

/** Ids of the accounts that a page lets its customer choose from. */
export const accountsIn = ({ text }: Pick<EntranceReply, 'text'>) =>
  [...text.matchAll(/name="account" value="(\d+)"/g)].map(([, id]) => id!);

/** A customer's browser without JavaScript: it keeps cookies, and says where its forms come from. */
export class Customer {
  private readonly jar = new Map<string, string>();

  /** `browser`: shows no certificate. */
  constructor(private readonly browser: EntranceCaller) {}

  async send(url: string, form?: URLSearchParams, origin = this.browser.authUrl): Promise<EntranceReply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(form && { origin }) };
    const reply = await this.browser.send(url, { headers, ...(form && { method: 'POST', form }) });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.jar.set(name!, value!);
    }
    return reply;
  }

  /** Somebody who is signed in likewise, and has opened nothing yet. Cookies of a request hold below its address alone. */
  tab(): Customer {
    const tab = new Customer(this.browser);
    for (const [name, value] of this.jar) if (/tillway_(customer|consents)$/.test(name)) tab.jar.set(name, value);
    return tab;
  }

  /** Follows the provider's link. Answers the address of the page. */
  async open({ start }: Journey): Promise<string> {
    const { headers } = await this.send(start);
    return headers.location!;
  }

  /** From the provider's link to the page that asks. Answers its address and what it shows. */
  async signIn(
    journey: Journey,
    { email }: Pick<Member, 'email'>,
    password = PASSWORD,
  ): Promise<{ page: string; shown: EntranceReply }> {
    const page = await this.open(journey);
    await this.send(page);
    await this.send(`${page}/sign-in`, new URLSearchParams({ name: email, password }));
    return { page, shown: await this.send(page) };
  }

  /** Presses a button of the page. */
  press(
    page: string,
    decision: 'confirm' | 'refuse',
    accounts: string[],
    more: Record<string, string> = {},
  ): Promise<EntranceReply> {
    const form = new URLSearchParams({ decision, ...more });
    for (const id of accounts) form.append('account', id);
    return this.send(page, form);
  }

  /** Follows the redirects of an answer to the provider. */
  async back(decided: EntranceReply): Promise<URL> {
    if (decided.status !== 303) throw new Error(`not decided: ${decided.status}`);
    const resume = new URL(decided.headers.location!);
    return new URL((await this.send(resume.pathname + resume.search)).headers.location!);
  }

  /** Presses a button, and follows the redirects to the provider. */
  async decide(page: string, decision: 'confirm' | 'refuse', accounts: string[]): Promise<URL> {
    return this.back(await this.press(page, decision, accounts));
  }

  /** Asks to pay from the first account. Answers the form that asks for the code, and the message that brings it. */
  async askToPay(
    page: string,
    shown: EntranceReply,
    { email }: Pick<Member, 'email'>,
    apiUrl: string,
  ): Promise<{ asked: EntranceReply; message: string; confirm(isWrong?: boolean): Promise<EntranceReply> }> {
    const earlier = await lettersTo(apiUrl, email);
    const asked = await this.press(page, 'confirm', accountsIn(shown).slice(0, 1));
    const message = await letter(apiUrl, email, earlier);
    const fields = hiddenOf(asked);
    const confirm = (isWrong = false) => {
      const code = codeIn(message);
      return this.press(page, 'confirm', [], { ...fields, code: isWrong ? mistyped(code) : code });
    };
    return { asked, message, confirm };
  }
}
