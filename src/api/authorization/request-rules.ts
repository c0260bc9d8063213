import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { DomainError } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import type { ConsentKind, ConsentRow } from '../../open-banking/consents/consent';
import { TPP_SCOPES, type TppScope } from '../../open-banking/tpps/tpp';
import { tokenDigest } from '../../people/identity/tokens';
import { ACRS, essentialAcrs } from './acr';

/** What a token for each kind of consent is good for. */
const SCOPE_OF: Record<ConsentKind, TppScope> = {
  account: 'accounts',
  payment: 'payments',
  funds: 'fundsconfirmations',
};
const KNOWN_SCOPES: readonly string[] = ['openid', ...TPP_SCOPES];
/** FAPI 1.0 Advanced, section 5.2.2: a request object is good for an hour at most. */
const REQUEST_OBJECT_SECONDS = 3_600;

interface RequestObject {
  scope?: unknown;
  jti?: unknown;
  exp?: unknown;
  nbf?: unknown;
}

interface RequestRulesDependencies {
  database: Pick<Database, 'system'>;
  consents: { forAuthorisation(tppId: string, consentId: string): Promise<{ consent: ConsentRow }> };
}

/** What we ask of an authorization request beyond the library's own checks. */
export class RequestRules {
  /** Of request objects whose signature is not checked yet. */
  private readonly unchecked = new WeakMap<object, { id: string; exp: number; scope: unknown }>();

  constructor(private readonly deps: RequestRulesDependencies) {}

  /** The claims of a request object, before its signature is checked. Throws `InvalidRequestObject`. */
  readonly checkRequestObject = (ctx: KoaContextWithOIDC, claims: RequestObject): void => {
    // A pushed one was checked, and used up, when it was pushed.
    if (ctx.oidc.entities.PushedAuthorizationRequest) return;
    const { jti, exp, nbf, scope } = claims;
    if (typeof exp !== 'number' || typeof nbf !== 'number' || exp - nbf > REQUEST_OBJECT_SECONDS)
      throw new errors.InvalidRequestObject('nbf and exp are required, at most an hour apart');
    if (jti !== undefined && (typeof jti !== 'string' || jti === '' || jti.length > 256))
      throw new errors.InvalidRequestObject('jti has 1 to 256 characters');
    // FAPI does not ask for a jti. Without one, the object itself is what may be used once.
    this.unchecked.set(ctx.oidc, { id: jti ?? String(ctx.oidc.params?.request), exp, scope });
  };

  /**
   * The claims that a request asks for. Those for a userinfo endpoint are left out here: there is none, and providers of the
   * UK send `openbanking_intent_id` for both places, so to the library's own error we prefer to read it. Throws
   * `InvalidRequest`.
   */
  readonly checkClaims = (_ctx: KoaContextWithOIDC, claims: { id_token?: object; userinfo?: object }): void => {
    for (const asked of Object.values({ ...claims.id_token, ...claims.userinfo }))
      if (asked !== null && (typeof asked !== 'object' || Array.isArray(asked)))
        throw new errors.InvalidRequest('members of claims must be null or objects');
    delete claims.userinfo;
  };

  /** Runs last, with everything verified. Throws what the library sends back to the client. */
  readonly checkRequest = async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { params, client } = ctx.oidc;
    const scopes = String(params?.scope ?? '').split(' ');
    if (!this.sentScopes(ctx).every((scope) => KNOWN_SCOPES.includes(scope)))
      throw new errors.InvalidScope('unknown scope', 'scope');
    const consent = await this.consentOf(client!.clientId, consentIdOf(params ?? {}));
    if (!scopes.includes(SCOPE_OF[consent.kind]) || scopes.filter((scope) => scope !== 'openid').length !== 1)
      throw new errors.InvalidScope(`the scope of this consent is ${SCOPE_OF[consent.kind]}`, 'scope');
    // What cannot be met counts as a failed authentication, never as one of less.
    if (essentialAcrs(params?.claims)?.length === 0)
      throw new errors.UnmetAuthenticationRequirements(`acr is one of ${ACRS.join(', ')}`);
    await this.useUp(ctx);
  };

  /** What the client has sent, or signed. The library has left unknown scopes out by now; to us they are an error. */
  private sentScopes({ oidc, query }: KoaContextWithOIDC): string[] {
    const object = this.unchecked.get(oidc);
    // Beside a pushed request, nothing else that is sent counts. It was checked when it was pushed.
    if (oidc.entities.PushedAuthorizationRequest) return [];
    const sent = object ? object.scope : (oidc.body?.scope ?? query.scope);
    return String(sent ?? '')
      .split(' ')
      .filter(Boolean);
  }

  private async consentOf(tppId: string, consentId: string): Promise<ConsentRow> {
    try {
      return (await this.deps.consents.forAuthorisation(tppId, consentId)).consent;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new errors.InvalidRequest('the consent cannot be authorised');
    }
  }

  /** One insert decides which of several requests with the same object is the first. */
  private async useUp({ oidc }: KoaContextWithOIDC): Promise<void> {
    const object = this.unchecked.get(oidc);
    if (!object) return;
    const { system } = this.deps.database;
    const used = await system('oidc_payloads')
      .insert({
        model: 'ReplayDetection',
        id: tokenDigest(`${oidc.client!.clientId} ${object.id}`),
        payload: '{}',
        expires_at: new Date(object.exp * 1000 + REQUEST_OBJECT_SECONDS * 1000),
      })
      .onConflict(['model', 'id'])
      .ignore()
      .returning('id');
    if (used.length === 0) throw new errors.InvalidRequestObject('the request object was used before');
  }
}

/**
 * The consent that an authorization request names: by `consent_id`, or as the UK standard does by the claim
 * `openbanking_intent_id`. Throws `InvalidRequest` if none or two are named.
 */
export function consentIdOf(params: Record<string, unknown>): string {
  const named = [params.consent_id, ...intentsIn(params.claims)].filter((id) => id !== undefined);
  const [id] = named;
  if (typeof id !== 'string' || !named.every((other) => other === id))
    throw new errors.InvalidRequest('name one consent, by consent_id or openbanking_intent_id');
  return id;
}

function intentsIn(claims: unknown): unknown[] {
  if (typeof claims !== 'string') return [];
  try {
    const { id_token, userinfo } = JSON.parse(claims);
    return [id_token, userinfo].map((part) => part?.openbanking_intent_id?.value);
  } catch {
    return [];
  }
}
