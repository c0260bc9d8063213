import type { IncomingHttpHeaders } from 'node:http';
import { typeidUnboxed } from 'typeid-js';
import { ID_PREFIXES, type IdKind, idFromUuid } from '../../domain/ids';
import type { Principal } from '../../people/identity/principal';

/** The tenant and organization a request works on, after its headers have narrowed what the token may see. */
export interface Scope {
  readonly tenantId?: string;
  readonly organizationId?: string;
}

/** A body that is a file: what it claims to be, and its bytes as they come in. */
export interface Upload {
  readonly contentType: string;
  /** Throws `payload_too_large` once there are more bytes than the route takes. */
  readonly content: AsyncIterable<Buffer>;
}

/** Everything a handler may know of a request. `params`, `query` and `body` are validated and converted. */
export class RequestContext<Body = unknown, Query = unknown, Params = unknown> {
  constructor(
    readonly requestId: string,
    readonly method: string,
    readonly path: string,
    /** Address of the caller; a proxy's word for it counts only where TRUSTED_PROXIES names the proxy. */
    readonly source: string,
    readonly headers: IncomingHttpHeaders,
    readonly params: Params,
    readonly query: Query,
    readonly body: Body,
    private readonly caller: Principal | undefined,
    private readonly scope: Scope,
    /** UUIDv7 kept with the idempotency key; whoever repeats or takes over the request gets the same one. */
    private readonly resourceSeed: string | undefined,
    private readonly file?: Upload,
  ) {}

  /** The body of a route that takes files. Throws on any other. */
  get upload(): Upload {
    return present(this.file, 'upload');
  }

  /** The signed-in client. Throws on a public route: asking there is a mistake in the route. */
  get principal(): Principal {
    return present(this.caller, 'principal');
  }

  /** The tenant this request works in. Throws for ops on a route without identity header. */
  get tenantId(): string {
    return present(this.scope.tenantId, 'tenantId');
  }

  /** Undefined for ops who named no tenant. */
  get tenantIdIfAny(): string | undefined {
    return this.scope.tenantId;
  }

  /** The organization this request works for. Throws on a route that neither asks for one nor limits itself to merchants. */
  get organizationId(): string {
    return present(this.scope.organizationId, 'organizationId');
  }

  /** Undefined where a tenant admin or ops looks at a whole tenant. */
  get organizationIdIfAny(): string | undefined {
    return this.scope.organizationId;
  }

  /**
   * The id of the one resource of this kind that the request creates: the same at every repeat under one idempotency
   * key, also after a crash, and new otherwise.
   */
  resourceId(kind: IdKind): string {
    return this.resourceSeed === undefined ? typeidUnboxed(ID_PREFIXES[kind]) : idFromUuid(kind, this.resourceSeed);
  }
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is not known on this route`);
  return value;
}
