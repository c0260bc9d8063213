import { DomainError } from '../../../domain/errors';

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 10_000;

/**
 * A token bucket for each client in this process. It allows `perSecond` requests a second, and a burst of the same size.
 * It is synchronous because it runs before every request.
 */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly perSecond: number) {}

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
    // A full bucket needs no memory, and after one second without requests every bucket is full.
    if (this.buckets.size >= MAX_BUCKETS)
      for (const [name, { at }] of this.buckets) if (now - at > 1000) this.buckets.delete(name);
    const bucket = { tokens: this.perSecond, at: now };
    this.buckets.set(client, bucket);
    return bucket;
  }
}
