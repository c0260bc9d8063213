import type { paths } from 'openapi';
import { scopeHeaders } from '../session/scope';

/** The calls of the public API, typed by its OpenAPI document. The session cookie goes along by itself. */

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Success<R> = {
  [S in keyof R & (200 | 201 | 202)]: R[S] extends { content: { 'application/json': infer Body } } ? Body : undefined;
}[keyof R & (200 | 201 | 202)];

/** The body of a successful answer. */
export type Answer<P extends keyof paths, M extends Method = 'get'> =
  Operation<P, M> extends { responses: infer R } ? Success<R> : never;

/** A record of a list. */
export type RecordOf<P extends PathOf<'get'>> = Answer<P> extends { data: (infer Row)[] } ? Row : never;

type PathParams<Op> = Op extends { parameters: { path: infer Params } } ? Params : undefined;
type Query<Op> = Op extends { parameters: { query?: infer Params } } ? Params : undefined;
/** What is sent as JSON. */
export type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends {
    requestBody?: infer Request;
  }
    ? NonNullable<Request> extends { content: { 'application/json': infer Body } }
      ? Body
      : undefined
    : undefined;

/** What goes with a request. */
export interface Sent<P extends keyof paths, M extends Method> {
  path?: PathParams<Operation<P, M>>;
  query?: Query<Operation<P, M>>;
  body?: BodyOf<P, M>;
  /** Instead of `body`: a file, sent as it is. */
  file?: File | Blob;
  /** The same key and the same body: done at most once. */
  idempotencyKey?: string;
  /** Beside those of every request; an undefined one is left out. */
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Default a minute; 0: as long as it takes. */
  timeoutMs?: number;
}

/** What the API said instead of doing it; or `lost`, when its answer did not come and nobody knows whether it did. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    readonly code: string,
    readonly details: readonly { field: string; message: string }[] = [],
    readonly requestId?: string,
    readonly retryAfterMs?: number,
    /** All that it said. */
    readonly body?: unknown,
  ) {
    super(message);
  }

  /** Whether the request may have been carried out all the same. */
  get lost(): boolean {
    return this.status === 0 || this.status >= 500 || this.code === 'idempotency_in_progress';
  }
}

const TIMEOUT_MS = 60_000;

/** What goes with a request whose path is not known to the compiler. */
interface Untyped {
  path?: Record<string, string>;
  query?: object;
  body?: unknown;
  file?: Blob;
  idempotencyKey?: string;
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Sends a request. Throws ApiError. */
export async function request(
  method: Method,
  path: string,
  { path: params, query, body, file, idempotencyKey, headers, signal, timeoutMs = TIMEOUT_MS }: Untyped,
): Promise<Response> {
  const address = addressOf(path, params, query);
  let response: Response;
  try {
    response = await fetch(address, {
      method: method.toUpperCase(),
      credentials: 'same-origin',
      cache: 'no-store',
      headers: sent({
        Accept: 'application/json',
        'X-Requested-With': 'tillway-console',
        ...scopeHeaders(),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(file !== undefined && { 'Content-Type': file.type || 'application/octet-stream' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...headers,
      }),
      body: file ?? (body !== undefined ? JSON.stringify(body) : undefined),
      signal: anyOf(signal, timeoutMs),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError('No answer came', 0, 'no_answer');
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

function sent(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
}

async function json<P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  given: Sent<P, M> = {},
): Promise<Answer<P, M>> {
  const response = await request(method, path as string, given as never);
  if (response.status === 204) return undefined as Answer<P, M>;
  const text = await response.text().catch(() => {
    throw new ApiError('No answer came', 0, 'no_answer');
  });
  return (text === '' ? undefined : JSON.parse(text)) as Answer<P, M>;
}

/** One function for each method: `api.get('/ipg/…/{paymentId}/events', { path: { paymentId } })`. */
export const api = {
  get: <P extends PathOf<'get'>>(path: P, sent?: Sent<P, 'get'>) => json('get', path, sent),
  post: <P extends PathOf<'post'>>(path: P, sent?: Sent<P, 'post'>) => json('post', path, sent),
  put: <P extends PathOf<'put'>>(path: P, sent?: Sent<P, 'put'>) => json('put', path, sent),
  patch: <P extends PathOf<'patch'>>(path: P, sent?: Sent<P, 'patch'>) => json('patch', path, sent),
  delete: <P extends PathOf<'delete'>>(path: P, sent?: Sent<P, 'delete'>) => json('delete', path, sent),
};

/** The address of a call: parameters in their places, the query without what is empty. */
export function addressOf(path: string, params: Record<string, string> = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.append(name, String(value));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

async function refusalOf(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const retryAfter = Number(response.headers.get('retry-after'));
  return new ApiError(
    (said.message as string | undefined) ?? response.statusText,
    response.status,
    (said.code as string | undefined) ?? 'unknown',
    (said.details as { field: string; message: string }[] | undefined) ?? [],
    (said.requestId as string | undefined) ?? response.headers.get('x-request-id') ?? undefined,
    Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : undefined,
    said,
  );
}

function anyOf(given: AbortSignal | undefined, timeoutMs: number): AbortSignal | undefined {
  if (timeoutMs === 0) return given;
  const limit = AbortSignal.timeout(timeoutMs);
  return given ? AbortSignal.any([given, limit]) : limit;
}
