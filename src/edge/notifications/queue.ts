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
  /** The merchant account of a payment. */
  terminal_id: string | null;
  /** Null: it is for the address that came with the payment. */
  endpoint_id: string | null;
  payment_id: string | null;
  /** What it is about, where that is no payment. */
  subject_id: string | null;
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
  extends Pick<NotificationRow, 'id' | 'tenant_id' | 'payment_id' | 'subject_id' | 'url' | 'body' | 'attempts'>,
    Signers {}

/** The sealed secrets of a merchant account or an endpoint. */
export interface Signers {
  owner_id: string;
  /** The newest first, then those it replaced which are still good. */
  sealed: Buffer[];
}

/** Whose secret signs. */
export type Signer = { terminalId: string } | { endpointId: string };

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

/** What notifications are about; null of a test. Those to one destination about one thing are a queue. */
const subjectOf = (row: string) => `coalesce(${row}.subject_id, ${row}.payment_id)`;
const sameQueue = (one: string, other: string) =>
  `${subjectOf(one)} = ${subjectOf(other)} AND ${one}.endpoint_id IS NOT DISTINCT FROM ${other}.endpoint_id`;

/** Only the earliest undelivered notification of its queue may be sent: the order is kept. */
const IS_HEAD = `NOT EXISTS (SELECT 1 FROM notifications e WHERE ${sameQueue('e', 'n')} AND e.state = 'pending'
  AND (e.sequence, e.id) < (n.sequence, n.id))`;

/** The sealed secrets of an owner, whose current one is `current`. */
const sealedOf = (owner: string, current: string) =>
  `ARRAY[${current}] || ARRAY(SELECT r.secret_sealed FROM retired_secrets r
    WHERE r.owner_id = ${owner} AND r.valid_until > clock_timestamp() ORDER BY r.id DESC)`;

/** The outbox as its deliverers see it. Runs as the system role. */
export class NotificationQueue {
  constructor(
    private readonly system: Knex,
    /** How long a claim holds, in milliseconds: longer than any try, so that nobody else sends meanwhile. */
    private readonly claimMs: number,
  ) {}

  /**
   * Takes up to `limit` notifications that are due, at most one of each queue and none of `except`. A claim is a due time
   * in the future: should we die before the attempt is recorded, it is sent again then.
   */
  async claim({ organizationId, endpoint }: Endpoint, limit: number, except: string[]): Promise<ClaimedNotification[]> {
    const { rows } = await this.system.raw(
      `UPDATE notifications c SET next_attempt_at = clock_timestamp() + :claimMs * interval '1 millisecond'
       FROM (
         SELECT n.id, n.endpoint_id, n.terminal_id FROM notifications n
         WHERE n.organization_id = :organizationId AND n.endpoint = :endpoint AND n.state = 'pending'
           AND n.next_attempt_at <= clock_timestamp() AND n.id <> ALL (:except) AND ${IS_HEAD}
         ORDER BY n.next_attempt_at LIMIT :limit FOR UPDATE SKIP LOCKED
       ) due
       LEFT JOIN notification_endpoints o ON o.id = due.endpoint_id
       LEFT JOIN merchant_accounts m ON m.terminal_id = due.terminal_id AND due.endpoint_id IS NULL
       WHERE c.id = due.id
       RETURNING c.id, c.tenant_id, c.payment_id, c.subject_id, c.url, c.body, c.attempts, coalesce(o.id, m.id) AS owner_id,
         ${sealedOf('coalesce(o.id, m.id)', 'coalesce(o.secret_sealed, m.callback_secret_sealed)')} AS sealed`,
      { claimMs: this.claimMs, organizationId, endpoint, limit, except },
    );
    return rows;
  }

  /** What signs a test: the secrets of a merchant account, or of an endpoint. */
  async signersOf(signer: Signer): Promise<Signers> {
    const sql =
      'terminalId' in signer
        ? `SELECT m.id AS owner_id, ${sealedOf('m.id', 'm.callback_secret_sealed')} AS sealed
           FROM merchant_accounts m WHERE m.terminal_id = :terminalId`
        : `SELECT o.id AS owner_id, ${sealedOf('o.id', 'o.secret_sealed')} AS sealed
           FROM notification_endpoints o WHERE o.id = :endpointId`;
    const { rows } = await this.system.raw(sql, { ...signer });
    return rows[0];
  }

  /**
   * Writes an attempt down with what follows from it. What waits behind it in its queue becomes due with it: at once
   * when it is out of the way, else not before it.
   */
  async record(id: string, attempt: Attempt, verdict: Verdict): Promise<void> {
    const pauseMs = verdict.state === 'pending' ? verdict.pauseMs : 0;
    await this.system.raw(
      `WITH tried AS (
         UPDATE notifications SET attempts = attempts + 1, state = :state,
           next_attempt_at = CASE WHEN :state = 'pending' THEN clock_timestamp() + :pauseMs * interval '1 millisecond' END,
           delivered_at = CASE WHEN :state = 'delivered' THEN clock_timestamp() ELSE delivered_at END
         WHERE id = :id AND state = 'pending' RETURNING id, payment_id, subject_id, endpoint_id
       ), noted AS (
         INSERT INTO notification_attempts (notification_id, tenant_id, at, status, error, duration_ms)
         SELECT id, tenant_id, :at, :status, :error, :durationMs FROM notifications WHERE id = :id
       )
       UPDATE notifications later SET next_attempt_at = clock_timestamp() + :pauseMs * interval '1 millisecond'
       FROM tried WHERE ${sameQueue('later', 'tried')} AND later.state = 'pending' AND later.id <> tried.id`,
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
