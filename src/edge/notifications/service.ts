import type { Knex } from 'knex';
import { DomainError, found, notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { NotificationType } from '../../domain/notification-type';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import type { NotificationQueue, NotificationRow, Signer } from './queue';
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
  /** A payment or any other record. */
  subjectId?: string;
  endpointId?: string;
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
      if (filter.subjectId) {
        const { subjectId } = filter;
        rows.where((either) => either.where({ payment_id: subjectId }).orWhere({ subject_id: subjectId }));
      }
      if (filter.endpointId) rows.where({ endpoint_id: filter.endpointId });
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
   * waits before it in its queue is tried first, and what comes after it waits for it. Throws `not_found`, and
   * `invalid_state` where its endpoint is disabled or gone.
   */
  async resend(scope: NotificationScope, id: string): Promise<NotificationWithAttempts> {
    await this.database.tenant(scope.tenantId, async (trx) => {
      const found: NotificationRow | undefined = await within(trx, scope).where({ id }).first();
      if (!found) throw notFound('notification');
      if ((await requeue(trx, within(trx, scope).where({ id }))) === 0)
        throw new DomainError('invalid_state', 'The endpoint of this notification is disabled or removed');
      const { payment_id, subject_id, endpoint_id, sequence } = found;
      if (payment_id || subject_id)
        await within(trx, scope)
          .where({ payment_id, subject_id, endpoint_id, state: 'pending' })
          .where('sequence', '<=', sequence)
          .update({ next_attempt_at: trx.raw('clock_timestamp()') });
    });
    return this.byId(scope, id);
  }

  /**
   * Has everything of a time window sent again, or what of it is in one state; tests excepted, and what is for endpoints
   * that are disabled or gone. Answers how many.
   */
  resendWindow(scope: NotificationScope, { from, to, state }: ResendWindow): Promise<number> {
    return this.database.tenant(scope.tenantId, (trx) => {
      const wanted = within(trx, scope)
        .whereNot({ type: 'test.ping' satisfies NotificationType })
        .where('created_at', '>=', from)
        .where('created_at', '<', to);
      return requeue(trx, state ? wanted.where({ state }) : wanted);
    });
  }

  /**
   * Operators have what was given up for one server since `from` sent again, whoever's the server is. Answers how many.
   * Throws `not_found` for an organization that is none.
   */
  async redeliver(
    {
      organizationId,
      endpoint,
      from,
      reason,
    }: { organizationId: string; endpoint: string; from: Date; reason: string },
    by: Actor,
  ): Promise<number> {
    const { tenant_id } = found<{ tenant_id: string }>(
      await this.database.ops('organizations').where({ id: organizationId }).first('tenant_id'),
      'organization',
    );
    return this.database.tenant(tenant_id, async (trx) => {
      const wanted = within(trx, { tenantId: tenant_id, organizationId })
        .where({ endpoint, state: 'failed' })
        .whereNot({ type: 'test.ping' satisfies NotificationType })
        .where('created_at', '>=', from);
      const count = await requeue(trx, wanted);
      await noteDone(trx, tenant_id, by, 'notifications.redeliver', organizationId, { endpoint, reason, count });
      return count;
    });
  }

  /** Sends a signed `test.ping` to a URL, once, and answers it with what came back. */
  async ping(
    { tenantId, organizationId, ...signed }: Omit<NotificationScope, 'terminalId'> & Signer,
    url: string,
  ): Promise<NotificationWithAttempts> {
    const id = newId('notification');
    const signer: Signer =
      'endpointId' in signed ? { endpointId: signed.endpointId } : { terminalId: signed.terminalId };
    const type: NotificationType = 'test.ping';
    const data = { organizationId, ...signer, message: 'This is a test. Nothing has happened.' };
    const body = JSON.stringify({ id, type, createdAt: new Date().toISOString(), data });
    await this.database.tenant(tenantId, (trx) =>
      trx('notifications').insert({
        id,
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: 'terminalId' in signer ? signer.terminalId : null,
        endpoint_id: 'endpointId' in signer ? signer.endpointId : null,
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
    const { owner_id, sealed } = await this.queue.signersOf(signer);
    const secrets = sealed.map((one) => this.secrets.open(one, owner_id));
    const attempt = await this.sender.send({ id, url, body, secrets });
    await this.queue.recordTest(id, attempt);
    return this.byId({ tenantId, organizationId }, id);
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

/**
 * Puts rows back into the queue and rings for their servers; what is for an endpoint goes to its address of now. Leaves those
 * whose endpoint takes nothing. Locks in the order in which deliveries do. Answers how many.
 */
async function requeue(trx: Knex.Transaction, wanted: Knex.QueryBuilder): Promise<number> {
  const ids = wanted
    .clone()
    .where((open) =>
      open
        .whereNull('endpoint_id')
        .orWhereIn('endpoint_id', trx('notification_endpoints').where({ status: 'enabled' }).select('id')),
    )
    .orderBy(['payment_id', 'subject_id', 'sequence'])
    .forUpdate()
    .select('id');
  const nowAt = (column: string) =>
    `coalesce((SELECT e.${column} FROM notification_endpoints e WHERE e.id = endpoint_id)`;
  const rows: { organization_id: string; endpoint: string }[] = await trx('notifications')
    .whereIn('id', ids)
    .update({
      state: 'pending',
      attempts: trx.raw("CASE state WHEN 'pending' THEN attempts ELSE 0 END"),
      next_attempt_at: trx.raw('clock_timestamp()'),
      url: trx.raw(`${nowAt('url')}, url)`),
      endpoint: trx.raw(`${nowAt('origin')}, endpoint)`),
    })
    .returning(['organization_id', 'endpoint']);
  await ringFor(trx, rows);
  return rows.length;
}

/** Tells the workers that something waits for these servers. */
export async function ringFor(
  trx: Knex.Transaction,
  servers: readonly { organization_id: string; endpoint: string }[],
): Promise<void> {
  for (const server of new Set(servers.map((row) => `${row.organization_id} ${row.endpoint}`)))
    await trx.raw("SELECT pg_notify('tillway_notification', ?)", [server]);
}
