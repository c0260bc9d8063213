import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../../domain/errors';
import type { KeyServiceKind } from '../../config/settings-keys';

/** What a wrapped key is bound to: it is unwrapped for the same ring and id only. */
export interface KeyContext {
  ring: string;
  id: string;
}

export interface WrappedKey {
  bytes: Buffer;
  /** The key of the service that it is wrapped by, as the service names it. */
  key: string;
}

/**
 * A key management service. The key that wraps never leaves it. Both throw `unavailable` when the service does not answer
 * in time, and KeyServiceRefusal when it says no.
 */
export interface KeyService {
  readonly kind: KeyServiceKind;
  /** Wraps 32 bytes under the newest version of the key that is configured. */
  wrap(dataKey: Buffer, context: KeyContext): Promise<WrappedKey>;
  unwrap(wrapped: WrappedKey, context: KeyContext): Promise<Buffer>;
}

/** The service has said no: the key is disabled, we may not use it, or what we sent was not wrapped for this context. */
export class KeyServiceRefusal extends Error {
  override readonly name = 'KeyServiceRefusal';
}

/** A failure after which the same call may succeed. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
}

const TRIES = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Makes one call to a service: `timeoutMs` for each of three tries, and pauses between them that grow, by chance half as
 * long to as long again, so that processes do not come back together. `call` throws KeyServiceRefusal for a no; after
 * anything else it is tried again.
 */
export async function ask<T>(
  kind: KeyServiceKind,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call(AbortSignal.timeout(timeoutMs));
    } catch (error) {
      if (error instanceof KeyServiceRefusal) throw error;
      if (tried === TRIES) throw unavailable(`the key service ${kind} does not answer`, error);
      await pause(FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.5 + Math.random()));
    }
  }
}

/** 503 with Retry-After: nothing was done, and the same request may be sent again. */
export function unavailable(why: string, cause?: unknown): DomainError {
  return new DomainError('unavailable', 'The service is temporarily unavailable, try again shortly', {
    retryAfterSeconds: 5,
    cause: new Error(why, { cause }),
  });
}

/** Sends JSON and answers JSON. Throws TryAgain for 429 and 5xx, KeyServiceRefusal for any other status but 2xx. */
export async function postJson<T>(
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: object; signal: AbortSignal },
): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
  const text = await answer.text();
  if (answer.status === 429 || answer.status >= 500) throw new TryAgain(`it answered ${answer.status}`);
  if (!answer.ok) throw new KeyServiceRefusal(`the key service answered ${answer.status}`);
  return JSON.parse(text) as T;
}

/** The context as bytes that are authenticated with the key. */
export const boundTo = ({ ring, id }: KeyContext) => Buffer.from(`tillway/${ring}/${id}`).toString('base64');
