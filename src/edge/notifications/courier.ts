import type { Logger } from 'pino';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import type { Backlog, ClaimedNotification, Endpoint, NotificationQueue, Verdict } from './queue';
import { pauseAfter, type RetryPauses } from './retry-pauses';
import type { NotificationSender } from './sender';

export interface CourierOptions {
  /** Notifications about different things that are on their way to one endpoint at once. */
  atOnce: number;
  schedule: RetryPauses;
}

/** A round ends after this long, so that it can move to another process. */
const ROUND_MS = 240_000;
/** How long a round that has nothing to do stays: what comes meanwhile costs the engine nothing. */
const LINGER_MS = 3_000;
/** Retries that fall due during a round are found at this pace. */
const LOOK_EVERY_MS = 1_000;

/**
 * Delivers what is due, one endpoint per round: several at once, those about one thing one after the other. While a
 * round of an endpoint runs in this process, `ring` tells it of something new at once.
 */
export class Couriers {
  private readonly rounds = new Map<string, () => void>();
  private stopping = false;

  constructor(
    private readonly queue: NotificationQueue,
    private readonly sender: NotificationSender,
    private readonly secrets: CallbackSecrets,
    private readonly options: CourierOptions,
    private readonly log: Logger,
  ) {}

  /** Something was queued for `endpoint`. True when a round in this process takes it. */
  ring(endpoint: Endpoint): boolean {
    const wake = this.rounds.get(keyOf(endpoint));
    wake?.();
    return wake !== undefined && !this.stopping;
  }

  /** Rounds take nothing new from here on and end with what is on its way. */
  stop(): void {
    this.stopping = true;
    for (const wake of this.rounds.values()) wake();
  }

  /**
   * One round; answers what is left. Rejects when an attempt could not be recorded, and when `signal` ends it at once:
   * what was on its way then is sent again.
   */
  async deliver(endpoint: Endpoint, signal?: AbortSignal): Promise<Backlog> {
    const underway = new Map<string, Promise<void>>();
    const endAt = Date.now() + ROUND_MS;
    let idleSince = Date.now();
    let failure: Error | undefined;
    const bell = new Bell();
    const key = keyOf(endpoint);
    this.rounds.set(key, bell.ring);
    signal?.addEventListener('abort', bell.ring);
    try {
      for (;;) {
        const free = this.options.atOnce - underway.size;
        const open = !failure && !this.stopping && !signal?.aborted && Date.now() < endAt;
        bell.reset();
        const claimed = open && free > 0 ? await this.queue.claim(endpoint, free, [...underway.keys()]) : [];
        for (const notification of claimed) {
          const attempt = this.attempt(notification, signal)
            .catch((error: Error) => {
              failure ??= error;
            })
            .finally(() => {
              underway.delete(notification.id);
              bell.ring();
            });
          underway.set(notification.id, attempt);
        }
        if (underway.size > 0) idleSince = Date.now();
        else if (!open || (!bell.rung && Date.now() - idleSince >= LINGER_MS)) break;
        await bell.wait(LOOK_EVERY_MS);
      }
    } finally {
      if (this.rounds.get(key) === bell.ring) this.rounds.delete(key);
      signal?.removeEventListener('abort', bell.ring);
      await Promise.all(underway.values());
    }
    if (failure) throw failure;
    return this.queue.backlog(endpoint);
  }

  private async attempt(notification: ClaimedNotification, signal?: AbortSignal): Promise<void> {
    const { id, payment_id, subject_id, url, body, owner_id, sealed } = notification;
    const secrets = sealed.map((one) => this.secrets.open(one, owner_id));
    const attempt = await this.sender.send({ id, url, body, secrets }, signal);
    const verdict = this.verdictOn(attempt.error, notification.attempts + 1);
    await this.queue.record(id, attempt, verdict);
    const { status, error, durationMs } = attempt;
    const about = payment_id ? { paymentId: payment_id } : { subject: subject_id ?? undefined };
    const facts = { notification: id, ...about, status, durationMs };
    if (verdict.state === 'delivered') return this.log.info(facts, 'notification delivered');
    const { state, ...rest } = verdict;
    const outcome = state === 'failed' ? 'notification given up' : 'notification not delivered, will be tried again';
    this.log.warn({ ...facts, error, attempts: notification.attempts + 1, ...rest }, outcome);
  }

  private verdictOn(error: string | null, attempts: number): Verdict {
    if (error === null) return { state: 'delivered' };
    const pauseMs = pauseAfter(attempts, this.options.schedule);
    return pauseMs === undefined ? { state: 'failed' } : { state: 'pending', pauseMs };
  }
}

/** Wakes a loop that waits, also when it is rung while the loop is busy. */
class Bell {
  rung = false;
  private wake: () => void = () => undefined;

  readonly ring = (): void => {
    this.rung = true;
    this.wake();
  };

  reset(): void {
    this.rung = false;
  }

  wait(atMostMs: number): Promise<void> {
    if (this.rung) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function keyOf({ organizationId, endpoint }: Endpoint): string {
  return `${organizationId} ${endpoint}`;
}
