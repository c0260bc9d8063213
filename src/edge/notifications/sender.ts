import { Agent } from 'undici';
import { ForbiddenTarget, type OutboundGuard } from '../../foundation/outbound/guard';
import { signatureOf } from './signature';

/** One try to deliver. Exactly one of `status` without `error` (2xx), `status` with `error`, or `error` alone. */
export interface Attempt {
  at: Date;
  status: number | null;
  /** Why it does not count as delivered; never any part of an answer. */
  error: string | null;
  durationMs: number;
}

export interface Message {
  id: string;
  url: string;
  body: string;
  /** The secret of the merchant account or the endpoint, then those it replaced a short while ago. */
  secrets: readonly string[];
}

export interface SenderOptions {
  guard: OutboundGuard;
  /** For one whole try, resolution to last byte, in milliseconds. */
  timeoutMs: number;
  /** Connections to one endpoint. */
  connections: number;
}

/** What a merchant answers is of no interest beyond its status. */
const ANSWER_BYTES = 16 * 1024;

/** Posts notifications, each try signed anew. Redirects are not followed. */
export class NotificationSender {
  private readonly agent: Agent;

  constructor(private readonly options: SenderOptions) {
    const { guard, timeoutMs, connections } = options;
    this.agent = new Agent({
      connect: guard.connector({ timeout: timeoutMs }),
      connections,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      // The deadline of the whole try is ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: ANSWER_BYTES,
    });
  }

  /**
   * Sends once. A failure is an answer, not an exception; only `signal` makes it reject, and then nothing is known about
   * whether the merchant got it.
   */
  async send({ id, url, body, secrets }: Message, signal?: AbortSignal): Promise<Attempt> {
    const at = new Date();
    const beganAt = performance.now();
    const attempt = (status: number | null, error: string | null): Attempt => ({
      at,
      status,
      error,
      durationMs: Math.round(performance.now() - beganAt),
    });
    const refusal = this.options.guard.refusal(url);
    if (refusal) return attempt(null, `the address ${refusal}`);
    const deadline = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const target = new URL(url);
      const response = await this.agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Tillway-Notifications/1',
          'webhook-id': id,
          'webhook-signature': signatureOf(body, secrets, at),
        },
        body,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      const { statusCode } = response;
      // The status has said it all; what becomes of the rest changes nothing.
      await response.body.dump({ limit: ANSWER_BYTES, signal: deadline }).catch(() => undefined);
      return attempt(statusCode, errorOf(statusCode));
    } catch (error) {
      signal?.throwIfAborted();
      return attempt(null, deadline.aborted ? `no answer within ${this.options.timeoutMs} ms` : reasonOf(error));
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirects are not followed' : 'the answer is not a success';
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'the answer is too long',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenTarget) return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && REASONS[code]) return REASONS[code];
  if (typeof code === 'string' && code.startsWith('HPE_')) return 'the answer is not HTTP';
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? `the request failed (${code})` : 'the request failed';
}
