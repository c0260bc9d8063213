import type { ObjectSchema, Schema, StringSchema } from 'joi';
import type { Middleware } from 'koa';
import type { Role } from '../../people/identity/principal';
import type { RequestContext } from './context';

/** What a handler answers. An object is sent as JSON; a string, Buffer or stream as it is, with its own content-type. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ResponseSpec {
  description: string;
  /** Joi schema of the JSON body, for the OpenAPI document; absent: no body, or not JSON. */
  schema?: Schema;
  contentType?: string;
  /** Other media types that the caller may ask for by `Accept`. */
  alternatives?: readonly string[];
}

/** One endpoint. The router, the validator and the OpenAPI document are all made from this. */
export interface Route<Body = unknown, Query = unknown, Params = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Literal segments and `{name}` parameters: `/payments/{paymentId}/refund`. Other characters, commas too, are literal. */
  path: string;
  /** Tag of the OpenAPI document. */
  area: string;
  summary: string;
  description?: string;
  /** Who may call; everybody else gets 403. `public` asks for no token. */
  roles: readonly Role[] | 'public';
  /** The header that must name the organization or tenant: missing 400, foreign 403. */
  identity?: 'organizationId' | 'tenantId';
  /** Headers of its own that must be there, by name, beside the conventions'. */
  headers?: Record<string, StringSchema>;
  params?: ObjectSchema<Params>;
  query?: ObjectSchema<Query>;
  /** Unknown members are refused. An array schema is possible (bulk creation). */
  body?: Schema<Body>;
  /** `null` members reach the schema instead of counting as absent. */
  keepNulls?: boolean;
  /** The body may be left out altogether; the schema then sees `{}`. */
  optionalBody?: boolean;
  /** The body is no JSON but a file of one of these media types, read by the handler from `ctx.upload`. */
  uploads?: readonly string[];
  /** Bytes; default `config.api.bodyLimitBytes`. */
  bodyLimit?: number;
  /** Honours `Idempotency-Key`: for everything that creates or moves something. */
  idempotent?: boolean;
  /** Refusals of a public route beside those of every public route: 401 and 429, where it signs somebody in. */
  errors?: readonly number[];
  /** The successful answers; the error answers are documented by themselves. */
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
 * `prefix`, body unread, with request id, log line, security headers and error body still around it.
 */
export interface RawMount {
  prefix: string;
  middleware: Middleware;
}
