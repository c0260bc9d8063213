/** When a notification that was not taken is tried again. */
export interface RetryPauses {
  /** Tries in all, the first included. */
  attempts: number;
  /** Pause after the first try, in milliseconds. */
  firstMs: number;
  /** Longest pause, in milliseconds. */
  maxMs: number;
}

const GROWTH = 4;
/** A pause is longer by up to this share, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * The pause after `attempts` tries that failed, in milliseconds: each four times the one before, up to the longest.
 * Undefined once there are no more. `chance` is a random number below 1.
 */
export function pauseAfter(attempts: number, schedule: RetryPauses, chance = Math.random()): number | undefined {
  if (attempts >= schedule.attempts) return undefined;
  const pause = Math.min(schedule.firstMs * GROWTH ** (attempts - 1), schedule.maxMs);
  return Math.round(pause * (1 + JITTER * chance));
}
