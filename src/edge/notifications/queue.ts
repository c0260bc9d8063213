import type { Knex } from 'knex';
import type { NotificationType } from '../../domain/notification-type';
import type { Attempt } from './sender';

/** One organization's notifications to one server: what is down is down as a whole. */
export interface Endpoint {
  organizationId: string;
  /** Scheme, host and port. */
  endpoint: string;
}

export interface NotificationRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  terminal_id: string;
  payment_id: string | null;
  sequence: number;
  type: NotificationType;
  url: string;
  endpoint: string;
  body: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  delivered_at: Date | null;
}

/** A notification to be sent now, with the sealed secrets that sign it. */
export interface ClaimedNotification
  extends Pick<NotificationRow, 'id' | 'tenant_id' | 'payment_id' | 'url' | 'body' | 'attempts'> {
  account_id: string;
  callback_secret_sealed: Buffer;
  /** Those it replaced which are still good, the newest first. */
  retired_sealed: Buffer[];
}

/** What waits for an endpoint. */
export interface Backlog {
  waiting: number;
  /** When the oldest of them was written. */
  oldestAt?: Date;
  /** How long until the next may be tried, in milliseconds. */
  nextInMs?: number;
}

/** What comes after a try: delivered, tried again after a pause, or given up. */
export type Verdict = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; pauseMs: number };

/** Only the earliest undelivered notification of a payment may be sent: the order within a payment is kept. */
const IS_HEAD = `NOT EXISTS (SELECT 1 FROM notifications e WHERE e.payment_id = n.payment_id AND e.state = 'pending'
  AND (e.sequence, e.id) < (n.sequence, n.id))`;

/** The outbox as its deliverers see it. Runs as the system role. */
export class NotificationQueue {
  constructor(
    private readonly system: Knex,
    /** How long a claim holds, in milliseconds: longer than any try, so that nobody else sends meanwhile. */
    private readonly claimMs: number,
  ) {}

  /**
   * Takes up to `limit` notifications that are due, at most one per payment and none of `except`. A claim is a due time
   * in the future: should we die before the attempt is recorded, it is sent again then.
   */
  async claim({ organizationId, endpoint }: Endpoint, limit: number, except: string[]): Promise<ClaimedNotification[]> {
    const { rows } = await this.system.raw(
      `UPDATE notifications c SET next_attempt_at = clock_timestamp() + :claimMs * interval '1 millisecond'
       FROM merchant_accounts m, (
         SELECT n.id FROM notifications n
         WHERE n.organization_id = :organizationId AND n.endpoint = :endpoint AND n.state = 'pending'
           AND n.next_attempt_at <= clock_timestamp() AND n.id <> ALL (:except) AND ${IS_HEAD}
         ORDER BY n.next_attempt_at LIMIT :limit FOR UPDATE SKIP LOCKED
       ) due
       WHERE c.id = due.id AND m.terminal_id = c.terminal_id
       RETURNING c.id, c.tenant_id, c.payment_id, c.url, c.body, c.attempts, m.id AS account_id,
         m.callback_secret_sealed, ARRAY(SELECT r.secret_sealed FROM retired_secrets r WHERE r.owner_id = m.id
           AND r.valid_until > clock_timestamp() ORDER BY r.id DESC) AS retired_sealed`,
      { claimMs: this.claimMs, organizationId, endpoint, limit, except },
    );
    return rows;
  }

  /** The sealed secrets that sign what a terminal's account is told, the newest first. */
  async signersOf(terminalId: string): Promise<{ accountId: string; sealed: Buffer[] }> {
    const { rows } = await this.system.raw(
      `SELECT m.id AS "accountId", ARRAY[m.callback_secret_sealed] || ARRAY(SELECT r.secret_sealed FROM retired_secrets r
         WHERE r.owner_id = m.id AND r.valid_until > clock_timestamp() ORDER BY r.id DESC) AS sealed
       FROM merchant_accounts m WHERE m.terminal_id = ?`,
      [terminalId],
    );
    return rows[0];
  }

  /**
   * Writes an attempt down with what follows from it. What waits behind it in its payment becomes due with it: at once
   * when it is out of the way, else not before it.
   */
  async record(id: string, attempt: Attempt, verdict: Verdict): Promise<void> {
    const pauseMs = verdict.state === 'pending' ? verdict.pauseMs : 0;
    await this.system.raw(
      `WITH tried AS (
         UPDATE notifications SET attempts = attempts + 1, state = :state,
           next_attempt_at = CASE WHEN :state = 'pending' THEN clock_timestamp() + :pauseMs * interval '1 millisecond' END,
           delivered_at = CASE WHEN :state = 'delivered' THEN clock_timestamp() ELSE delivered_at END
         WHERE id = :id AND state = 'pending' RETURNING id, payment_id
       ), noted AS (
         INSERT INTO notification_attempts (notification_id, tenant_id, at, status, error, duration_ms)
         SELECT id, tenant_id, :at, :status, :error, :durationMs FROM notifications WHERE id = :id
       )
       UPDATE notifications later SET next_attempt_at = clock_timestamp() + :pauseMs * interval '1 millisecond'
       FROM tried WHERE later.payment_id = tried.payment_id AND later.state = 'pending' AND later.id <> tried.id`,
      { id, state: verdict.state, pauseMs, ...attempt },
    );
  }

  /** Writes down the one attempt of a test. */
  async recordTest(id: string, attempt: Attempt): Promise<void> {
    await this.system.raw(
      `WITH tried AS (
         UPDATE notifications SET attempts = attempts + 1,
           state = CASE WHEN :error::text IS NULL THEN 'delivered' ELSE state END,
           delivered_at = CASE WHEN :error::text IS NULL THEN clock_timestamp() END
         WHERE id = :id RETURNING id, tenant_id
       )
       INSERT INTO notification_attempts (notification_id, tenant_id, at, status, error, duration_ms)
       SELECT id, tenant_id, :at, :status, :error, :durationMs FROM tried`,
      { id, ...attempt },
    );
  }

  /** What waits for an endpoint, and for how long there is nothing to do. */
  async backlog({ organizationId, endpoint }: Endpoint): Promise<Backlog> {
    const { rows } = await this.system.raw(
      `SELECT count(*)::integer AS waiting, min(n.created_at) AS oldest,
         (extract(epoch FROM min(n.next_attempt_at) FILTER (WHERE ${IS_HEAD}) - clock_timestamp()) * 1000)::float AS next
       FROM notifications n
       WHERE n.organization_id = :organizationId AND n.endpoint = :endpoint AND n.state = 'pending'`,
      { organizationId, endpoint },
    );
    const { waiting, oldest, next } = rows[0];
    if (waiting === 0) return { waiting };
    return { waiting, oldestAt: oldest, nextInMs: Math.max(0, Math.ceil(next)) };
  }

  /** Endpoints that have had something due for longer than `lateMs`: their flow has not sent it. */
  async overdueEndpoints(lateMs: number, limit = 1_000): Promise<Endpoint[]> {
    const { rows } = await this.system.raw(
      `SELECT DISTINCT n.organization_id AS "organizationId", n.endpoint FROM notifications n
       WHERE n.state = 'pending' AND n.next_attempt_at < clock_timestamp() - :lateMs * interval '1 millisecond'
         AND ${IS_HEAD} LIMIT :limit`,
      { lateMs, limit },
    );
    return rows;
  }
}
