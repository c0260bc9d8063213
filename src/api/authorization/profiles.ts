import type { KoaContextWithOIDC, ResponseType } from 'oidc-provider';
import type { TppProfile } from '../../open-banking/tpps/tpp';

/**
 * What each profile may ask the authorization endpoint for. FAPI 1.0 Advanced wants an answer that is signed (section
 * 5.2.2): by an id token beside the code, or as a JWT (JARM), which the library asks for with `code`.
 */
export const RESPONSE_TYPES: Record<TppProfile, ResponseType[]> = {
  fapi1: ['code'],
  fapi1_advanced: ['code id_token', 'code'],
  fapi2: ['code'],
};

/** What `TppClients` has said of a provider, as the library shows it. */
interface RegisteredRules {
  requirePushedAuthorizationRequests?: boolean;
  requireSignedRequestObject?: boolean;
}

/** The library's name of the profile that a provider is registered for. */
export function fapiProfileOf(_ctx: KoaContextWithOIDC, client?: RegisteredRules): '1.0 Final' | '2.0' | undefined {
  if (client?.requirePushedAuthorizationRequests) return '2.0';
  return client?.requireSignedRequestObject ? '1.0 Final' : undefined;
}

/**
 * PKCE is required of all but one: FAPI 1.0 Advanced binds a code by the id token or the JWT that it comes with, and asks
 * for PKCE with pushed requests (section 5.2.2, clause 18).
 */
export function requiresPkce(ctx: KoaContextWithOIDC, client: RegisteredRules): boolean {
  return fapiProfileOf(ctx, client) !== '1.0 Final' || ctx.oidc.route === 'pushed_authorization_request';
}
