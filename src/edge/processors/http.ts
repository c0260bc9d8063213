import { circuitBreaker, handleWhenResult, isBrokenCircuitError, SamplingBreaker } from 'cockatiel';
import { Pool } from 'undici';

/** What a connector is made with. */
export interface ConnectorOptions {
  /** Scheme, host, port and path before those of the processor's API. */
  baseUrl: string;
  /** With which we authenticate there. */
  apiKey: string;
  /** For one whole call, in milliseconds. */
  timeoutMs: number;
}

export interface ProcessorHttpOptions {
  /** Scheme, host, port and the path that all requests start with. */
  baseUrl: string;
  /** For one whole call, connection to last byte of the answer, in milliseconds. Below every activity time-out. */
  timeoutMs: number;
  /** Sent with every request, such as the processor's credentials. */
  headers?: Record<string, string>;
}

export interface ProcessorHttpRequest {
  method: 'GET' | 'POST';
  /** Appended to the path of `baseUrl`; percent-encoded by the caller. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/**
 * What became of one call. `answer` is a status below 500 with its whole body. `not_charged`: nothing of the request was
 * written, which says nothing about an earlier call for the same payment. `unknown`: it may have had its effect.
 */
export type ProcessorHttpResult =
  | { kind: 'answer'; status: number; text: string }
  | { kind: 'not_charged'; detail: string }
  | { kind: 'unknown'; detail: string };

/** Failures that happen before a connection exists, so that no byte of the request can have left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Processor pages and settlement reports stay far below this; more is a fault of the other side. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How long the circuit stays open before one call tries again. */
const CIRCUIT_REST_MS = 2_000;

/**
 * HTTP to one processor: pooled keep-alive connections, a deadline per call, and a circuit breaker that opens when nine
 * of ten calls fail at a rate of five a second over ten seconds. Failures are answers, not exceptions, and no answer repeats any
 * part of a request.
 */
export class ProcessorHttp {
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly breaker = circuitBreaker(
    handleWhenResult((result) => (result as ProcessorHttpResult).kind !== 'answer'),
    {
      halfOpenAfter: CIRCUIT_REST_MS,
      breaker: new SamplingBreaker({ threshold: 0.9, duration: 10_000, minimumRps: 5 }),
    },
  );

  constructor(private readonly options: ProcessorHttpOptions) {
    const url = new URL(options.baseUrl);
    this.basePath = url.pathname.replace(/\/$/, '');
    this.pool = new Pool(url.origin, {
      connections: 256,
      // Shorter than the processor's, so that a connection is not reused in the moment in which it is being closed.
      keepAliveTimeout: 4_000,
      connect: { timeout: Math.max(1, Math.floor(options.timeoutMs / 2)) },
      // The deadline of the whole call is ours; undici's own clock has a resolution of a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  /** Sends one request once. It is never repeated here: who repeats must know what it means. */
  async send(request: ProcessorHttpRequest): Promise<ProcessorHttpResult> {
    try {
      return await this.breaker.execute(() => this.once(request));
    } catch (error) {
      // once() does not throw: the only error here is the breaker's own refusal.
      if (!isBrokenCircuitError(error)) throw error;
      return { kind: 'not_charged', detail: 'the processor has been failing, the circuit is open' };
    }
  }

  get(path: string): Promise<ProcessorHttpResult> {
    return this.send({ method: 'GET', path });
  }

  postForm(path: string, form: URLSearchParams): Promise<ProcessorHttpResult> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.send({ method: 'POST', path, headers, body: form.toString() });
  }

  /** @param idempotencyKey sent as the header of that name, where the processor knows one. */
  postJson(path: string, body: object, idempotencyKey?: string): Promise<ProcessorHttpResult> {
    const headers = {
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    };
    return this.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
  }

  /** Waits for running calls and closes the connections. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private async once(request: ProcessorHttpRequest): Promise<ProcessorHttpResult> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.options.timeoutMs);
    try {
      const { statusCode, body } = await this.pool.request({
        method: request.method,
        path: this.basePath + request.path,
        headers: { ...this.options.headers, ...request.headers },
        body: request.body,
        signal: deadline.signal,
      });
      const text = await body.text();
      if (statusCode >= 500) return { kind: 'unknown', detail: `the processor answered ${statusCode}` };
      return { kind: 'answer', status: statusCode, text };
    } catch (error) {
      return failed(error, deadline.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A form, or a query. Absent and empty members are left out. */
export function formOf(fields: Record<string, string | undefined>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, value);
  return form;
}

function failed(error: unknown, timedOut: boolean): ProcessorHttpResult {
  if (timedOut) return { kind: 'unknown', detail: 'the processor did not answer in time' };
  const code = codeOf(error);
  if (NEVER_SENT.has(code)) return { kind: 'not_charged', detail: `the processor cannot be reached (${code})` };
  return { kind: 'unknown', detail: `the connection to the processor broke (${code})` };
}

/** A host with several addresses fails with one error per address; all of them have to say the same. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const codes = new Set(error.errors.map(codeOf));
    return [...codes].find((code) => !NEVER_SENT.has(code)) ?? [...codes][0] ?? 'no code';
  }
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'no code';
}
