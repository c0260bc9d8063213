import { createHash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { Json } from '../client';
import type { Member } from '../page-visitors';
import { accountsIn, Customer, type Journey } from './journey';
import type { RegisteredTpp } from './registered';
import type { EntranceCaller, EntranceReply } from './tpp';

export type Params = Record<string, string | undefined>;

/** What is said of a request object beyond its parameters. A claim that is undefined is left out. */
export interface Made {
  alg?: string;
  kid?: string;
  key?: KeyObject;
  claims?: Json;
}

/** What one authorization request says, and what its provider keeps for the exchange. */
export interface Asked {
  consentId: string;
  verifier: string;
  params: Params;
}

/** Authorization requests of one provider, right but for what a test changes. */
export class Requests {
  constructor(
    readonly tpp: RegisteredTpp,
    readonly member: Member,
    readonly browser: EntranceCaller,
    private readonly defaults: Params,
  ) {}

  get authUrl(): string {
    return this.browser.authUrl;
  }

  /** With PKCE. `changed`: a parameter that is undefined is left out. */
  async asked(changed: Params = {}): Promise<Asked> {
    const { consentId } = await this.tpp.provider.accountConsent(this.member.customerId);
    const verifier = randomBytes(32).toString('base64url');
    const intent = { id_token: { openbanking_intent_id: { value: consentId, essential: true } } };
    const params = {
      client_id: this.tpp.id,
      scope: 'openid accounts',
      redirect_uri: this.tpp.credentials.tpp.redirectUri,
      state: 'a-state',
      nonce: 'a-nonce',
      claims: JSON.stringify(intent),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...this.defaults,
      ...changed,
    };
    return { consentId, verifier, params };
  }

  /** The parameters as a request object (RFC 9101). */
  async object({ params }: Pick<Asked, 'params'>, made: Made = {}): Promise<string> {
    const { alg = 'PS256', kid = 'signing-1', key = this.tpp.key, claims } = made;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, nbf: now, exp: now + 300 };
    const payload = { ...params, iss: this.tpp.id, aud: this.authUrl, jti: randomUUID(), ...times, ...claims };
    if (alg === 'none') return new UnsecuredJWT(payload).encode();
    return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
  }

  /** Where a browser goes with a request object. `outside`: what stands beside it. */
  async byValue(asked: Pick<Asked, 'params'>, made: Made = {}, outside: Params = {}): Promise<string> {
    const { client_id, response_type, scope, redirect_uri } = { ...asked.params, ...made.claims };
    const request = await this.object(asked, made);
    return this.plain({ client_id, response_type, scope, redirect_uri, ...outside, request });
  }

  /** Where a browser goes with the parameters as they are. */
  plain(params: Params): string {
    return `/authorize?${new URLSearchParams(given(params))}`;
  }

  push(params: Params, caller = this.tpp.caller): Promise<EntranceReply> {
    return caller.send('/par', { method: 'POST', form: given(params) });
  }

  /** Pushes the parameters. Answers where a browser goes then. */
  async pushed(params: Params): Promise<string> {
    const { status, body } = await this.push(params);
    if (status !== 201) throw new Error(`not pushed: ${status} ${JSON.stringify(body)}`);
    return this.plain({ client_id: this.tpp.id, request_uri: body.request_uri });
  }

  /** What comes of a request: `page`; `stays` if nobody is sent on; else the error that the provider is told. */
  async outcome(path: string): Promise<string> {
    const { status, headers } = await this.browser.send(path);
    if (!headers.location) return status === 400 ? 'stays' : `status ${status}`;
    if (headers.location.includes('/interaction/')) return 'page';
    return answerIn(new URL(headers.location)).error ?? 'no error';
  }

  /** The customer signs in and decides. Answers where the customer comes back to. */
  async decided(path: string, decision: 'confirm' | 'refuse' = 'confirm'): Promise<URL> {
    const customer = new Customer(this.browser);
    const { page, shown } = await customer.signIn({ start: path } as Journey, this.member);
    return customer.decide(page, decision, accountsIn(shown));
  }

  /** Exchanges a code. `changed`: a parameter that is undefined is left out. */
  exchange(back: URL, { verifier, params }: Asked, changed: Params = {}, caller = this.tpp.caller) {
    const form = {
      grant_type: 'authorization_code',
      code: answerIn(back).code,
      redirect_uri: params.redirect_uri,
      code_verifier: params.code_challenge && verifier,
      ...changed,
    };
    return caller.token(given(form));
  }
}

/** The parameters of an answer, wherever they stand. */
export function answerIn({ hash, search }: URL): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)));
}

function given(params: Params): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
