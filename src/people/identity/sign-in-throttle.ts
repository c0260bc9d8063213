import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../../foundation/db/database';
import { rateLimiter } from './rate-limiter';
import { networkOf } from './source-network';
import { tokenDigest } from './tokens';

const WRONG_TRIES = 10;
const WINDOW_SECONDS = 60;

/**
 * Slows down guessing of client secrets: ten wrong tries a minute for one client from one source address. It never
 * locks a client, for then anybody could lock a merchant out; other addresses are not affected.
 */
export class SignInThrottle {
  private readonly limiter: RateLimiterPostgres;

  /** `kind`: whose tries are counted apart from others'. */
  constructor(
    database: Database,
    kind = 'client',
    private readonly wrongTries = WRONG_TRIES,
    windowSeconds = WINDOW_SECONDS,
  ) {
    this.limiter = rateLimiter(database.system, { keyPrefix: kind, points: wrongTries, duration: windowSeconds });
  }

  /**
   * Takes one try, which counts as wrong until `giveBack`: so requests at once get no more tries than one after the other.
   * Answers the seconds to wait where none was left, else 0.
   */
  async take(clientId: string, source: string): Promise<number> {
    try {
      await this.limiter.consume(keyOf(clientId, source));
      return 0;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    }
  }

  /** The try was right. */
  async giveBack(clientId: string, source: string): Promise<void> {
    await this.limiter.reward(keyOf(clientId, source));
  }

  /** The try was right, and the wrong ones before it are forgiven. */
  async forgive(clientId: string, source: string): Promise<void> {
    await this.limiter.delete(keyOf(clientId, source));
  }

  /** Seconds to wait, or 0 when another try is admitted. */
  async wait(clientId: string, source: string): Promise<number> {
    const state = await this.limiter.get(keyOf(clientId, source));
    return state && state.consumedPoints >= this.wrongTries ? Math.max(1, Math.ceil(state.msBeforeNext / 1000)) : 0;
  }

  async countWrong(clientId: string, source: string): Promise<void> {
    await this.limiter.penalty(keyOf(clientId, source));
  }
}

/** Bounded in length whatever was sent as a client id. */
function keyOf(clientId: string, source: string): string {
  return tokenDigest(`${networkOf(source)} ${clientId}`);
}
