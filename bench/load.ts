/** Result of a closed loop: what was done per second, and how long one took (milliseconds). */
export interface Measurement {
  perSecond: number;
  p50: number;
  p99: number;
  count: number;
  errors: number;
  /** The message of the last of the errors. */
  lastError?: string;
}

/**
 * Runs `once` in `concurrency` loops. Each loop counts from the end of its first call to the end of the call that is running
 * `durationMs` later, and goes on until all have counted: nothing is counted while fewer loops run, so that long calls are
 * measured as fairly as short ones. Failures are counted, not hidden; all failing is an error.
 */
export async function closedLoop(
  concurrency: number,
  durationMs: number,
  once: () => Promise<unknown>,
): Promise<Measurement> {
  const latencies: number[] = [];
  let [perSecond, errors, counting] = [0, 0, concurrency];
  let lastError: string | undefined;
  const loop = async () => {
    let countsFrom: number | undefined;
    let [succeeded, hasCounted] = [0, false];
    while (counting > 0) {
      const startedAt = performance.now();
      const error = await once().then(
        () => undefined,
        (thrown?: Error) => thrown ?? new Error('failed'),
      );
      const now = performance.now();
      if (countsFrom === undefined) countsFrom = now;
      else if (!hasCounted) {
        if (error === undefined) {
          succeeded += 1;
          latencies.push(now - startedAt);
        } else {
          errors += 1;
          lastError = error.message;
        }
        hasCounted = now - countsFrom >= durationMs;
        if (!hasCounted) continue;
        counting -= 1;
        perSecond += (succeeded * 1_000) / (now - countsFrom);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  if (latencies.length === 0) throw new Error(`nothing succeeded: ${lastError}`);
  return { ...summarize(latencies, durationMs, errors, lastError), perSecond };
}

/** Calls `once` at a fixed rate, whether or not earlier calls have returned. */
export async function openLoop(
  perSecond: number,
  durationMs: number,
  once: () => Promise<unknown>,
): Promise<Measurement> {
  const latencies: number[] = [];
  let errors = 0;
  let lastError: string | undefined;
  const running: Promise<unknown>[] = [];
  const beganAt = performance.now();
  const total = Math.floor((perSecond * durationMs) / 1000);
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - beganAt) * perSecond) / 1000) + 1);
    for (; sent < due; sent += 1) {
      // Counted from when it was due: a stalled sender must not hide a stalled receiver.
      const dueAt = beganAt + (sent * 1000) / perSecond;
      running.push(
        once().then(
          () => latencies.push(performance.now() - dueAt),
          (error: Error) => {
            errors += 1;
            lastError = error.message;
          },
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(running);
  return summarize(latencies, performance.now() - beganAt, errors, lastError);
}

/** `latencies` in milliseconds; sorts them. */
export function summarize(latencies: number[], elapsedMs: number, errors: number, lastError?: string): Measurement {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    perSecond: (latencies.length * 1000) / elapsedMs,
    p50: at(0.5),
    p99: at(0.99),
    count: latencies.length,
    errors,
    lastError,
  };
}

/** Of each figure the middle one: rounds at a fixed rate differ in their latencies alone. Errors of all rounds are counted. */
export function median(measurements: Measurement[]): Measurement {
  const middle = (figure: 'perSecond' | 'p50' | 'p99' | 'count') =>
    measurements.map((one) => one[figure]).sort((a, b) => a - b)[Math.floor(measurements.length / 2)]!;
  return {
    perSecond: middle('perSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    count: middle('count'),
    errors: measurements.reduce((sum, { errors }) => sum + errors, 0),
    lastError: measurements.findLast(({ lastError }) => lastError)?.lastError,
  };
}
