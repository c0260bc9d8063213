import type { ObjectSchema, Schema, StringSchema } from 'joi';
import type { Middleware } from 'koa';
import type { TppScope } from '../../open-banking/tpps/tpp';
import type { Role } from '../../people/identity/principal';
import type { RequestContext } from './context';

/** The answer of a handler. An object is sent as JSON. A string, Buffer or stream is sent as it is, with its own content-type. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string | string[]>;
}

export interface ResponseSpec {
  description: string;
  /** Joi schema of the JSON body, for the OpenAPI document. Absent if there is no body or it is not JSON. */
  schema?: Schema;
  contentType?: string;
  /** Other media types that the caller may request with `Accept`. */
  alternatives?: readonly string[];
}

/** What a route at the entrance of third-party providers asks for. */
export interface Entrance {
  /** The scope that the access token must have. */
  scope: TppScope;
  /** `client`: a token of the provider itself. `consent`: one that a customer has consented to, with the consent still usable. */
  token: 'client' | 'consent';
  /** `documented`: the error object of all other areas. `obie`: that of the UK Open Banking standard 3.1.11. */
  errors: 'documented' | 'obie';
  /** The request has a detached signature over its raw body (`x-jws-signature`), and so has the answer. */
  signed?: true;
  /** Needs `x-idempotency-key`. The handler gets the same `resourceId` at every repeat. */
  idempotent?: true;
}

/** One endpoint. The router, the validator and the OpenAPI document are made from it. */
export interface Route<Body = unknown, Query = unknown, Params = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Literal segments and `{name}` parameters: `/payments/{paymentId}/refund`. Other characters, commas too, are literal. */
  path: string;
  /** Tag of the OpenAPI document. */
  area: string;
  summary: string;
  description?: string;
  /** The roles that may call it; all others get 403. `public` needs no token. */
  roles: readonly Role[] | 'public';
  /** Open to a user who still has to add the second factor that the role needs. All other routes answer 403. */
  enrolling?: true;
  /** The header that must name the organization or tenant. If it is missing the answer is 400, for a foreign one 403. */
  identity?: 'organizationId' | 'tenantId';
  /** Further required headers, by name. The headers of the conventions are not listed here. */
  headers?: Record<string, StringSchema>;
  params?: ObjectSchema<Params>;
  query?: ObjectSchema<Query>;
  /** Unknown members are refused. An array schema is possible, as in bulk creation. */
  body?: Schema<Body>;
  /** The schema sees `null` members. Otherwise they count as absent. */
  keepNulls?: boolean;
  /** The request may have no body. The schema then sees `{}`. */
  optionalBody?: boolean;
  /** The body is a file of one of these media types. The handler reads it from `ctx.upload`. */
  uploads?: readonly string[];
  /** Bytes; default `config.api.bodyLimitBytes`. */
  bodyLimit?: number;
  /**
   * Accepts `Idempotency-Key`. Set it on every route that creates or moves something. `claims`: the handler has the key
   * claimed (`ctx.keyClaim`) in the transaction of what it writes.
   */
  idempotent?: boolean | 'claims';
  /** The route is served at the entrance of third-party providers (AUTH_PORT) only. Its role is `tpp`. */
  entrance?: Entrance;
  /** Further error statuses than those of its method: 401 and 429 of a public route that signs somebody in, 409 of a GET. */
  errors?: readonly number[];
  /** The successful answers. The OpenAPI document adds the error answers itself. */
  responses: Record<number, ResponseSpec>;
  handler(ctx: RequestContext<Body, Query, Params>): Promise<Answer>;
}

/**
 * Declares a route with the types of its body, query and params:
 * `route<RefundBody, unknown, { paymentId: string }>({ … })`. Method bivariance lets all go into one `Route[]`.
 */
export function route<Body = unknown, Query = unknown, Params = unknown>(spec: Route<Body, Query, Params>): Route {
  return spec as Route;
}

/**
 * Something outside the conventions (OAuth, processor callbacks, pages): a Koa middleware that gets every request under
 * `prefix` with the body unread. Request id, log line, security headers and error body still apply.
 */
export interface RawMount {
  prefix: string;
  middleware: Middleware;
  /** Has limits of its own: requests of one source are not counted (API_ANONYMOUS_PER_SECOND). */
  limitsItself?: true;
}
