import { DomainError } from '../../../domain/errors';
import { networkOf } from '../../../people/identity/source-network';

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 10_000;
const SWEEP_AFTER_MS = 1_000;
/** What all share that find no place. */
const OTHERS = '';

/**
 * A token bucket for each client in this process. It allows `wholePerSecond` requests a second, shared evenly with the other
 * processes, and a burst of the same size. It is synchronous because it runs before every request.
 */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();
  private sweptAt = 0;

  /** `processes`: how many count together, this one included. */
  constructor(
    private readonly wholePerSecond: number,
    private readonly processes = () => 1,
  ) {}

  private get perSecond(): number {
    return Math.max(1, this.wholePerSecond / this.processes());
  }

  /** Counts one request of `client`. Throws `rate_limited` with the seconds to wait. */
  take(client: string, now = performance.now()): void {
    const bucket = this.buckets.get(client) ?? this.open(client, now);
    bucket.tokens = Math.min(this.perSecond, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    if (bucket.tokens < 1)
      throw new DomainError('rate_limited', 'Too many requests', {
        retryAfterSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / this.perSecond)),
      });
    bucket.tokens -= 1;
  }

  private open(client: string, now: number): Bucket {
    if (this.buckets.size >= MAX_BUCKETS) this.sweep(now);
    // A flood from ever new sources takes neither more memory nor more time.
    const name = this.buckets.size >= MAX_BUCKETS ? OTHERS : client;
    const bucket = this.buckets.get(name) ?? { tokens: this.perSecond, at: now };
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** A full bucket needs no memory, and after one second without requests every bucket is full. */
  private sweep(now: number): void {
    if (now - this.sweptAt < SWEEP_AFTER_MS) return;
    this.sweptAt = now;
    for (const [name, { at }] of this.buckets) if (now - at > SWEEP_AFTER_MS) this.buckets.delete(name);
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The limit of requests that no token names: by source, before anything is read, hashed or written. An IPv6 network counts
 * as one source. What only reads is not counted: pages and their parts come in bursts.
 */
export class AnonymousLimit {
  private readonly limit: RateLimit;

  constructor(perSecond: number) {
    this.limit = new RateLimit(perSecond);
  }

  /** Throws `rate_limited` with the seconds to wait. */
  take(method: string, source: string): void {
    if (!READING.has(method)) this.limit.take(networkOf(source));
  }
}
