import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Jwks, PublicJwk } from './tpp';

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 50;
/** A key that the provider has taken back stops working after this time. */
const KEPT_MS = 5 * 60_000;
/** A request that names an unknown key leads to a fetch, but not more often than this. */
const AGAIN_AFTER_MS = 30_000;

interface Fetched {
  keys: PublicJwk[];
  at: number;
}

/** The key sets of providers at their own addresses. What they answer is bounded in time and size. */
export class JwksSource {
  private readonly agent: Agent;
  private readonly kept = new LRUCache<string, Fetched>({
    max: 1_000,
    ttl: KEPT_MS,
    fetchMethod: async (url) => ({ keys: await this.read(url), at: Date.now() }),
  });

  constructor(private readonly guard: OutboundGuard) {
    this.agent = new Agent({
      connect: guard.connector({ timeout: TIMEOUT_MS }),
      maxResponseSize: MAX_BYTES,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      maxHeaderSize: 16 * 1024,
    });
  }

  /**
   * The keys at an address. `kid`: a key that should be among them. If it is missing, the address is asked again, so that
   * a provider can bring in a new key. Answers no keys if the address gives none in time.
   */
  async keysAt(url: string, kid?: string): Promise<PublicJwk[]> {
    const known = await this.kept.fetch(url);
    if (!known) return [];
    const isStale = kid !== undefined && !known.keys.some((key) => key.kid === kid);
    if (!isStale || Date.now() - known.at < AGAIN_AFTER_MS) return known.keys;
    return (await this.kept.fetch(url, { forceRefresh: true }))?.keys ?? [];
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** A failure is kept as an empty set: an address that is dead must not be asked by every request. */
  private async read(url: string): Promise<PublicJwk[]> {
    if (this.guard.refusal(url)) return [];
    try {
      const target = new URL(url);
      const { statusCode, body } = await this.agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'GET',
        headers: { accept: 'application/json, application/jwk-set+json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (statusCode !== 200) {
        await body.dump({ limit: MAX_BYTES });
        return [];
      }
      return publicKeysOf(await body.json());
    } catch {
      return [];
    }
  }
}

/** The usable keys of a key set. Throws nothing: what is no key is left out. */
export function publicKeysOf(value: unknown): PublicJwk[] {
  const keys = (value as Partial<Jwks> | null)?.keys;
  if (!Array.isArray(keys)) return [];
  return keys.slice(0, MAX_KEYS).filter((key) => typeof key === 'object' && key !== null && isPublic(key));
}

/** A secret key, or one with its private part, is a mistake of its owner: we do not want to know it. */
function isPublic(key: PublicJwk): boolean {
  return (key.kty === 'RSA' || key.kty === 'EC') && key.d === undefined && key.k === undefined;
}
