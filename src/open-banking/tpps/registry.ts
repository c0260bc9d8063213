import { X509Certificate } from 'node:crypto';
import type { Database } from '../../foundation/db/database';
import type { JwksSource } from './jwks-source';
import type { PublicJwk, TppRow } from './tpp';

/** What a connection shows of its client. */
export interface ShownCertificate {
  certificate: X509Certificate;
  /** Whether one of our certificate authorities for clients has issued it. */
  isTrusted: boolean;
}

/** Finds third-party providers. Nothing of them is kept: what operators change bites at the next call. */
export class TppRegistry {
  constructor(
    private readonly database: Pick<Database, 'system'>,
    private readonly jwksSource: Pick<JwksSource, 'keysAt'>,
  ) {}

  /** Undefined for an unknown one. A disabled one is found too: see `disabled_at`. */
  byId(id: string): Promise<TppRow | undefined> {
    return this.find({ id });
  }

  /** `thumbprint`: x5t#S256. */
  byThumbprint(thumbprint: string): Promise<TppRow | undefined> {
    return this.find({ certificate_thumbprint: thumbprint });
  }

  /**
   * The provider that shows this certificate. A self-signed one must be the registered one. One of our certificate
   * authorities names its owner by the subject (RFC 8705, section 2.1.2), so a renewed one is good too. Undefined for an
   * unknown or disabled provider, and for a certificate that is not good at `now`.
   */
  async byCertificate({ certificate, isTrusted }: ShownCertificate, now = new Date()): Promise<TppRow | undefined> {
    if (!isGoodAt(certificate, now)) return undefined;
    const registered = await this.byThumbprint(thumbprintOf(certificate));
    const tpp =
      registered?.auth_method === 'self_signed_tls_client_auth' || !isTrusted
        ? registered
        : await this.bySubject(subjectOf(certificate));
    if (!tpp || tpp.disabled_at) return undefined;
    return tpp.auth_method === 'self_signed_tls_client_auth' || isTrusted ? tpp : undefined;
  }

  /** The tenants that the provider serves. */
  async tenantsOf(tppId: string): Promise<string[]> {
    const rows = await this.database.system('tpp_tenants').where({ tpp_id: tppId }).orderBy('tenant_id');
    return rows.map((row) => row.tenant_id);
  }

  /** All public keys of a provider. Empty if its address does not answer in time. */
  async keysOf(tpp: TppRow): Promise<PublicJwk[]> {
    return tpp.jwks_uri ? this.jwksSource.keysAt(tpp.jwks_uri) : (tpp.jwks?.keys ?? []);
  }

  /** One public key of a provider by its `kid`. Undefined if it has no such key. */
  async keyOf(tpp: TppRow, kid: string): Promise<PublicJwk | undefined> {
    const keys = tpp.jwks_uri ? await this.jwksSource.keysAt(tpp.jwks_uri, kid) : (tpp.jwks?.keys ?? []);
    return keys.find((key) => key.kid === kid);
  }

  private bySubject(subject: string): Promise<TppRow | undefined> {
    return this.find({ certificate_subject: subject, auth_method: 'tls_client_auth' });
  }

  private async find(narrow: Partial<TppRow>): Promise<TppRow | undefined> {
    return this.database.system('tpps').where(narrow).first();
  }
}

/** x5t#S256: RFC 8705, section 3.1. */
export function thumbprintOf(certificate: X509Certificate): string {
  return Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
}

/** The subject in one line, the most specific part first (RFC 4514). */
export function subjectOf(certificate: X509Certificate): string {
  return certificate.subject.split('\n').reverse().join(',');
}

/** Reads a PEM certificate. Undefined if it is none. */
export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

export function isGoodAt(certificate: X509Certificate, now: Date): boolean {
  return new Date(certificate.validFrom) <= now && now <= new Date(certificate.validTo);
}
