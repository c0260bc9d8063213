import type { KeyObject } from 'node:crypto';
import { FlattenedSign } from 'jose';
import { CLAIMS, CRITICAL } from './header';

/** Who signs, and with what. */
export interface Signer {
  /** A private key for PS256. */
  key: KeyObject;
  kid: string;
  iss: string;
  tan: string;
  now?: Date;
}

/** The detached signature (RFC 7515, appendix F) over these bytes, with the claims of UK Open Banking 3.1.11. */
export async function signDetached(
  bytes: Uint8Array,
  { key, kid, iss, tan, now = new Date() }: Signer,
): Promise<string> {
  const jws = await new FlattenedSign(bytes)
    .setProtectedHeader({
      alg: 'PS256',
      kid,
      typ: 'JOSE',
      cty: 'application/json',
      crit: [...CRITICAL],
      [CLAIMS.issuedAt]: Math.floor(now.getTime() / 1_000),
      [CLAIMS.issuer]: iss,
      [CLAIMS.trustAnchor]: tan,
    })
    .sign(key, { crit: Object.fromEntries(CRITICAL.map((claim) => [claim, true])) });
  return `${jws.protected}..${jws.signature}`;
}
