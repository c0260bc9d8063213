import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { ObieError } from '../obie-error';
import { signDetached } from './sign';
import { verifyDetached } from './verify';

/** The sender of a signed request. */
export interface SigningTpp {
  id: string;
  iss: string;
}

export interface SignatureDependencies<Tpp extends SigningTpp> {
  database: Database;
  /** The public key of a TPP; undefined where it has none of this id. */
  keyOf: (tpp: Tpp, kid: string) => Promise<JWK | KeyObject | undefined>;
  /** Our own key for answers. */
  signingKey: () => Promise<{ key: KeyObject; kid: string }>;
  /** Who we are in the signatures of answers: the issuer of the authorization server. */
  issuer: string;
  /** The trust anchor where keys are registered: the senders' and ours. */
  trustAnchor: string;
  maxAgeMs: number;
  skewMs: number;
}

/** Signatures of requests and answers on the entrance of open banking. */
export class Signatures<Tpp extends SigningTpp = SigningTpp> {
  constructor(private readonly deps: SignatureDependencies<Tpp>) {}

  /**
   * Throws `ObieError` (400) for a signature that is missing, malformed or wrong, and writes a line of the audit log: a
   * body that somebody has changed on its way, or a stolen token, shows itself here. Nothing of the body is kept. `source`: the
   * address that the request came from.
   */
  async verifyRequest(body: Buffer, signature: string | undefined, tpp: Tpp, source?: string): Promise<void> {
    const { keyOf, trustAnchor, maxAgeMs, skewMs } = this.deps;
    try {
      await verifyDetached(body, signature, {
        keyOf: (kid) => keyOf(tpp, kid),
        iss: tpp.iss,
        tan: trustAnchor,
        maxAgeMs,
        skewMs,
      });
    } catch (error) {
      if (error instanceof ObieError) await this.noteRefusal(tpp, error, source);
      throw error;
    }
  }

  /** The header `x-jws-signature` of an answer with these bytes. */
  async signResponse(bytes: Uint8Array): Promise<string> {
    const { signingKey, issuer, trustAnchor } = this.deps;
    return signDetached(bytes, { ...(await signingKey()), iss: issuer, tan: trustAnchor });
  }

  private async noteRefusal(
    tpp: Tpp,
    { problems: [{ ErrorCode, Path }] }: ObieError,
    source: string | undefined,
  ): Promise<void> {
    await appendAuditLine(this.deps.database.system, {
      actor: tpp.id,
      action: 'tpp.signature',
      target: tpp.id,
      source,
      result: 'refused',
      detail: { code: ErrorCode, claim: Path },
    });
  }
}
