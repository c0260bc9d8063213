import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { NotificationType } from '../../domain/notification-type';
import type { Database } from '../../foundation/db/database';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import type { NotificationQueue, NotificationRow } from './queue';
import type { NotificationSender } from './sender';

/** Selects the notifications of an organization; `terminalId` narrows them to one merchant account. */
export interface NotificationScope {
  tenantId: string;
  organizationId: string;
  terminalId?: string;
}

export interface NotificationAttemptRow {
  id: bigint;
  notification_id: string;
  at: Date;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

export type NotificationWithAttempts = NotificationRow & { tries: NotificationAttemptRow[] };

export interface NotificationFilter {
  limit: number;
  cursor?: string;
  paymentId?: string;
  state?: NotificationRow['state'];
  type?: string;
  from?: string;
  to?: string;
}

export interface ResendWindow {
  from: string;
  to: string;
  state?: NotificationRow['state'];
}

/** What a merchant sees of its notifications, and what it may do about them. */
export class NotificationService {
  constructor(
    private readonly database: Database,
    private readonly queue: NotificationQueue,
    private readonly sender: NotificationSender,
    private readonly secrets: CallbackSecrets,
  ) {}

  /** Newest first, one more than asked for where there is one. */
  list(scope: NotificationScope, filter: NotificationFilter): Promise<NotificationWithAttempts[]> {
    return this.database.tenant(scope.tenantId, async (trx) => {
      const rows = within(trx, scope)
        .orderBy('id', 'desc')
        .limit(filter.limit + 1);
      if (filter.cursor) rows.where('id', '<', filter.cursor);
      if (filter.paymentId) rows.where({ payment_id: filter.paymentId });
      if (filter.state) rows.where({ state: filter.state });
      if (filter.type) rows.where({ type: filter.type });
      if (filter.from) rows.where('created_at', '>=', filter.from);
      if (filter.to) rows.where('created_at', '<', filter.to);
      return withAttempts(trx, await rows);
    });
  }

  /** Throws `not_found`. */
  byId(scope: NotificationScope, id: string): Promise<NotificationWithAttempts> {
    return this.database.tenant(scope.tenantId, async (trx) => {
      const [found] = await withAttempts(trx, await within(trx, scope).where({ id }));
      if (!found) throw notFound('notification');
      return found;
    });
  }

  /**
   * Has one sent again, now, whatever became of it. One that was delivered or given up gets all its tries anew; what
   * waits before it in its payment is tried first, and what comes after it waits for it. Throws `not_found`.
   */
  async resend(scope: NotificationScope, id: string): Promise<NotificationWithAttempts> {
    await this.database.tenant(scope.tenantId, async (trx) => {
      const found: NotificationRow | undefined = await within(trx, scope).where({ id }).first();
      if (!found) throw notFound('notification');
      await requeue(trx, within(trx, scope).where({ id }));
      if (found.payment_id)
        await within(trx, scope)
          .where({ payment_id: found.payment_id, state: 'pending' })
          .where('sequence', '<=', found.sequence)
          .update({ next_attempt_at: trx.raw('clock_timestamp()') });
    });
    return this.byId(scope, id);
  }

  /** Has everything of a time window sent again, or what of it is in one state; tests excepted. Answers how many. */
  resendWindow(scope: NotificationScope, { from, to, state }: ResendWindow): Promise<number> {
    return this.database.tenant(scope.tenantId, (trx) => {
      const wanted = within(trx, scope)
        .whereNotNull('payment_id')
        .where('created_at', '>=', from)
        .where('created_at', '<', to);
      return requeue(trx, state ? wanted.where({ state }) : wanted);
    });
  }

  /** Sends a signed `test.ping` to a URL, once, and answers it with what came back. */
  async ping(scope: NotificationScope & { terminalId: string }, url: string): Promise<NotificationWithAttempts> {
    const { tenantId, organizationId, terminalId } = scope;
    const id = newId('notification');
    const type: NotificationType = 'test.ping';
    const data = { organizationId, terminalId, message: 'This is a test. Nothing has happened.' };
    const body = JSON.stringify({ id, type, createdAt: new Date().toISOString(), data });
    await this.database.tenant(tenantId, (trx) =>
      trx('notifications').insert({
        id,
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: terminalId,
        sequence: 0,
        type,
        url,
        endpoint: new URL(url).origin,
        body,
        // Not in the queue: it is sent here and now, once, or not at all.
        state: 'failed',
        next_attempt_at: null,
      }),
    );
    const { accountId, sealed } = await this.queue.signersOf(terminalId);
    const secrets = sealed.map((one) => this.secrets.open(one, accountId));
    const attempt = await this.sender.send({ id, url, body, secrets });
    await this.queue.recordTest(id, attempt);
    return this.byId(scope, id);
  }
}

function within(trx: Knex.Transaction, { organizationId, terminalId }: NotificationScope): Knex.QueryBuilder {
  const rows = trx('notifications').where({ organization_id: organizationId });
  return terminalId ? rows.where({ terminal_id: terminalId }) : rows;
}

async function withAttempts(trx: Knex.Transaction, rows: NotificationRow[]): Promise<NotificationWithAttempts[]> {
  const ids = rows.map(({ id }) => id);
  const tries: NotificationAttemptRow[] =
    ids.length === 0 ? [] : await trx('notification_attempts').whereIn('notification_id', ids).orderBy('id');
  return rows.map((row) => ({ ...row, tries: tries.filter(({ notification_id }) => notification_id === row.id) }));
}

/** Puts rows back into the queue and rings for their endpoints. Locks in the order in which deliveries do. */
async function requeue(trx: Knex.Transaction, wanted: Knex.QueryBuilder): Promise<number> {
  const ids = wanted.clone().orderBy(['payment_id', 'sequence']).forUpdate().select('id');
  const rows: { organization_id: string; endpoint: string }[] = await trx('notifications')
    .whereIn('id', ids)
    .update({
      state: 'pending',
      attempts: trx.raw("CASE state WHEN 'pending' THEN attempts ELSE 0 END"),
      next_attempt_at: trx.raw('clock_timestamp()'),
    })
    .returning(['organization_id', 'endpoint']);
  for (const endpoint of new Set(rows.map((row) => `${row.organization_id} ${row.endpoint}`)))
    await trx.raw("SELECT pg_notify('tillway_notification', ?)", [endpoint]);
  return rows.length;
}
