import type { JsonWebKey } from 'node:crypto';

/**
 * Which rules of the OpenID Foundation the provider's requests are held to. `fapi1_advanced` is FAPI 1.0 Advanced as a
 * whole; `fapi1` is its mutual TLS with PKCE, where requests and answers need no signature.
 */
export const TPP_PROFILES = ['fapi1', 'fapi1_advanced', 'fapi2'] as const;
export type TppProfile = (typeof TPP_PROFILES)[number];

/** How the certificate names the provider (RFC 8705, section 2): by itself, or by its subject and our certificate authority. */
export const TPP_AUTH_METHODS = ['self_signed_tls_client_auth', 'tls_client_auth'] as const;
export type TppAuthMethod = (typeof TPP_AUTH_METHODS)[number];

/** A public key of a provider: RFC 7517. */
export interface PublicJwk extends JsonWebKey {
  kid?: string;
  alg?: string;
  use?: string;
}

export interface Jwks {
  keys: PublicJwk[];
}

/** One row of `tpps`: a third-party provider. */
export interface TppRow {
  id: string;
  name: string;
  profile: TppProfile;
  auth_method: TppAuthMethod;
  /** x5t#S256 of RFC 8705, section 3.1. */
  certificate_thumbprint: string;
  /** RFC 4514. */
  certificate_subject: string;
  certificate_pem: string;
  certificate_expires_at: Date;
  redirect_uris: string[];
  /** Exactly one of `jwks` and `jwks_uri`. */
  jwks: Jwks | null;
  jwks_uri: string | null;
  /** What its signatures say in the claim `http://openbanking.org.uk/iss`. */
  iss: string;
  disabled_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What an access token of a provider may be good for. */
export const TPP_SCOPES = ['accounts', 'payments', 'fundsconfirmations'] as const;
export type TppScope = (typeof TPP_SCOPES)[number];
