import type { IncomingHttpHeaders } from 'node:http';
import { typeidUnboxed } from 'typeid-js';
import { ID_PREFIXES, type IdKind, idFromUuid } from '../../domain/ids';
import type { KeyClaim } from '../../foundation/db/key-claim';
import type { UsableConsent } from '../../open-banking/consents/usable';
import type { TppRow } from '../../open-banking/tpps/tpp';
import type { Principal } from '../../people/identity/principal';

/** The tenant and organization of a request. The headers narrow what the token may see. */
export interface Scope {
  readonly tenantId?: string;
  readonly organizationId?: string;
}

/** A body that is a file: its declared type, and its bytes as a stream. */
export interface Upload {
  readonly contentType: string;
  /** Throws `payload_too_large` after more bytes than the route allows. */
  readonly content: AsyncIterable<Buffer>;
}

/** What a request at the entrance of third-party providers has beyond others. */
export interface EntranceCall {
  readonly tpp: TppRow;
  /** `x-fapi-interaction-id`: the caller's, or made by us. */
  readonly interactionId: string;
  /** The body as it came: what signatures are over. Empty if there is none. */
  readonly rawBody: Buffer;
  /** Whether the customer is there (`x-fapi-customer-ip-address`): only then a call is no unattended refresh. */
  readonly customerPresent: boolean;
  /** Of a route whose token stands for a consent: read for this request, and usable. */
  readonly consent?: UsableConsent;
}

/** What a handler knows of a request. `params`, `query` and `body` are validated and converted. */
export class RequestContext<Body = unknown, Query = unknown, Params = unknown> {
  constructor(
    readonly requestId: string,
    readonly method: string,
    readonly path: string,
    /** Address of the caller. We believe a proxy about it only if TRUSTED_PROXIES names the proxy. */
    readonly source: string,
    readonly headers: IncomingHttpHeaders,
    readonly params: Params,
    readonly query: Query,
    readonly body: Body,
    private readonly caller: Principal | undefined,
    private readonly scope: Scope,
    /** UUIDv7 stored with the idempotency key. A repeat of the request gets the same one, also in another process. */
    private readonly resourceSeed: string | undefined,
    private readonly file?: Upload,
    private readonly entranceCall?: EntranceCall,
    /** Of a route that claims its idempotency key with what it writes down. */
    readonly keyClaim?: KeyClaim,
  ) {}

  /** The third-party provider that calls. This and the following throw on routes without `entrance`. */
  get tpp(): TppRow {
    return present(this.entranceCall, 'entrance').tpp;
  }

  /** The consent of a route with `token: 'consent'`. */
  get consent(): UsableConsent {
    return present(this.entranceCall?.consent, 'consent');
  }

  get interactionId(): string {
    return present(this.entranceCall, 'entrance').interactionId;
  }

  get rawBody(): Buffer {
    return present(this.entranceCall, 'entrance').rawBody;
  }

  get customerPresent(): boolean {
    return present(this.entranceCall, 'entrance').customerPresent;
  }

  /** The body of a route that takes files. Throws on other routes. */
  get upload(): Upload {
    return present(this.file, 'upload');
  }

  /** The signed-in client. Throws on a public route, which must not ask for it. */
  get principal(): Principal {
    return present(this.caller, 'principal');
  }

  /** The tenant of this request. Throws for ops on a route without identity header. */
  get tenantId(): string {
    return present(this.scope.tenantId, 'tenantId');
  }

  /** The tenant, or undefined for ops who named none. */
  get tenantIdIfAny(): string | undefined {
    return this.scope.tenantId;
  }

  /** The organization of this request. Throws on a route that asks for none and is open to others than merchants. */
  get organizationId(): string {
    return present(this.scope.organizationId, 'organizationId');
  }

  /** The organization, or undefined when a tenant admin or ops works on a whole tenant. */
  get organizationIdIfAny(): string | undefined {
    return this.scope.organizationId;
  }

  /**
   * The id of the one resource of this kind that the request creates. A repeat with the same idempotency key gets the
   * same id, also after a crash. Other requests get a new one.
   */
  resourceId(kind: IdKind): string {
    return this.resourceSeed === undefined ? typeidUnboxed(ID_PREFIXES[kind]) : idFromUuid(kind, this.resourceSeed);
  }
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is not known on this route`);
  return value;
}
