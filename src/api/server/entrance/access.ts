import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../domain/errors';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import type { Database } from '../../../foundation/db/database';
import { type TppRegistry, thumbprintOf } from '../../../open-banking/tpps/registry';
import type { TppRow } from '../../../open-banking/tpps/tpp';
import { tokenDigest } from '../../../people/identity/tokens';
import type { Entrance } from '../route';
import { shownCertificate } from './peer';

/** Access tokens are base64url. Anything else is refused without asking the database. */
const BEARER = /^Bearer +([A-Za-z0-9_-]{20,200}) *$/i;

/** What the authorization server stores of an access token. */
interface TokenPayload {
  clientId: string;
  scope?: string;
  'x5t#S256'?: string;
}

interface TokenRow {
  model: 'AccessToken' | 'ClientCredentials';
  payload: TokenPayload;
  consent_id: string | null;
}

/** Who calls at the entrance: the provider, and the consent that its token stands for. */
export interface Caller {
  tpp: TppRow;
  /** Present for a token that a customer has consented to. */
  consentId?: string;
}

/**
 * Access tokens of third-party providers. Nothing of a token is cached: a revoked consent, a disabled provider and a used
 * code bite at the next call.
 */
export class EntranceAccess {
  constructor(
    private readonly database: Pick<Database, 'system'>,
    private readonly registry: TppRegistry,
  ) {}

  /**
   * The caller of a route. Throws `unauthorized` for a certificate that is missing, unknown, not good now or of a disabled
   * provider, and for a token that is unknown, has ended or was given over another certificate (RFC 8705, section 3).
   * Throws `forbidden` for a token without the scope, or of the other kind. A good token in the hands of somebody else may be
   * a stolen one: that is a line of the audit log. `source`: the address that the request came from.
   */
  async callerOf(request: IncomingMessage, { scope, token: kind }: Entrance, source: string): Promise<Caller> {
    const shown = shownCertificate(request);
    const token = await this.tokenOf(request.headers.authorization);
    const tpp = shown && (await this.registry.byCertificate(shown));
    const isOwn = token !== undefined && token.payload.clientId === tpp?.id;
    const isBound = isOwn && token.payload['x5t#S256'] === thumbprintOf(shown!.certificate);
    if (token && !isBound)
      await appendAuditLine(this.database.system, {
        actor: tpp?.id ?? (shown ? 'unknown certificate' : 'no certificate'),
        action: 'tpp.access',
        target: token.payload.clientId,
        source,
        result: 'refused',
        detail: { reason: 'the token was given over another certificate', scope },
      });
    if (!shown) throw new DomainError('unauthorized', 'Call this with your client certificate');
    if (!tpp) throw new DomainError('unauthorized', 'The client certificate is unknown or not valid');
    if (!token || !isBound) throw new DomainError('unauthorized', 'The access token is unknown or has expired');
    const isOfKind = token.model === (kind === 'client' ? 'ClientCredentials' : 'AccessToken');
    if (!isOfKind || !token.payload.scope?.split(' ').includes(scope))
      throw new DomainError('forbidden', 'This access token does not allow this operation');
    if (kind === 'client') return { tpp };
    // A newer authorisation, or the end of the consent, has taken the tokens of the earlier one.
    if (!token.consent_id) throw new DomainError('unauthorized', 'The access token is unknown or has expired');
    return { tpp, consentId: token.consent_id };
  }

  private async tokenOf(header: string | undefined): Promise<TokenRow | undefined> {
    const token = BEARER.exec(header ?? '')?.[1];
    if (token === undefined) return undefined;
    const { system } = this.database;
    return system('oidc_payloads as token')
      .leftJoin('consents as consent', (join) =>
        join.on('consent.grant_id', 'token.grant_id').andOn('consent.tpp_id', system.raw("token.payload->>'clientId'")),
      )
      .whereIn('token.model', ['AccessToken', 'ClientCredentials'])
      .where({ 'token.id': tokenDigest(token) })
      .where('token.expires_at', '>', system.raw('clock_timestamp()'))
      .where((live) =>
        live.whereNull('token.grant_id').orWhereExists(
          // A code that was used twice takes its grant with it, and so every token that it led to.
          system('oidc_payloads as held')
            .where('held.model', 'Grant')
            .whereRaw("held.id = translate(encode(sha256(convert_to(token.grant_id, 'UTF8')), 'base64'), '+/=', '-_')"),
        ),
      )
      .first('token.model', 'token.payload', 'consent.id as consent_id');
  }
}
