import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import { newSecret } from '../../people/identity/clients';
import { type EndpointRow, MOST_ENDPOINTS } from './endpoint';
import { ringFor } from './service';

/** Whose endpoints. */
export interface EndpointScope {
  tenantId: string;
  organizationId: string;
}

export interface NewEndpoint {
  id: string;
  url: string;
  /** Absent: everything. */
  events?: string[];
  description?: string;
}

/** What is to be different; absent: as it is. No events: everything. */
export interface EndpointChange {
  url?: string;
  events?: string[];
  description?: string;
}

/** The servers that organizations want told of what happens, each with a secret of its own. */
export class Endpoints {
  constructor(
    private readonly database: Database,
    private readonly secrets: CallbackSecrets,
  ) {}

  /** The same id again answers the endpoint that is there. Throws `invalid_state` where the organization has sixteen. */
  create(scope: EndpointScope, order: NewEndpoint, by: Actor): Promise<{ endpoint: EndpointRow; secret: string }> {
    const { tenantId, organizationId } = scope;
    return this.database.tenant(tenantId, async (trx) => {
      // One after the other for each organization, so that two do not take one place.
      await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`endpoints of ${organizationId}`]);
      const known: EndpointRow | undefined = await trx('notification_endpoints').where({ id: order.id }).first();
      if (known) return { endpoint: known, secret: this.secrets.open(known.secret_sealed, known.id) };
      const taken = new Set(await own(trx, scope).pluck('place'));
      const place = Array.from({ length: MOST_ENDPOINTS }, (_, index) => index + 1).find((one) => !taken.has(one));
      if (!place)
        throw new DomainError(
          'invalid_state',
          `There are ${MOST_ENDPOINTS} endpoints already: remove one of them first`,
        );
      const secret = newSecret();
      const [endpoint]: EndpointRow[] = await trx('notification_endpoints')
        .insert({
          ...addressOf(order.url),
          id: order.id,
          tenant_id: tenantId,
          organization_id: organizationId,
          place,
          description: order.description ?? null,
          events: eventsOf(order.events),
          secret_sealed: this.secrets.seal(secret, order.id),
          status: 'enabled' satisfies EndpointRow['status'],
          created_by: by.id,
        })
        .returning('*');
      await noteDone(trx, tenantId, by, 'notification_endpoint.create', order.id, { origin: endpoint!.origin });
      return { endpoint: endpoint!, secret };
    });
  }

  /** The oldest first, those after an id. One more than `limit` says that there are more. */
  list(scope: EndpointScope, { limit, after }: { limit: number; after?: string }): Promise<EndpointRow[]> {
    return this.database.tenant(scope.tenantId, async (trx) => {
      const query = own(trx, scope)
        .orderBy('id')
        .limit(limit + 1);
      if (after) query.where('id', '>', after);
      return query;
    });
  }

  /** Throws `not_found`. */
  find(scope: EndpointScope, id: string): Promise<EndpointRow> {
    return this.database.tenant(scope.tenantId, (trx) => findOwn(trx, scope, id));
  }

  /** What waits for the endpoint goes to its new address. Throws `not_found`. */
  change(
    scope: EndpointScope,
    id: string,
    { url, events, description }: EndpointChange,
    by: Actor,
  ): Promise<EndpointRow> {
    return this.act(scope, id, by, 'change', async (trx, endpoint) => {
      const moved = url === undefined ? undefined : addressOf(url);
      if (moved) {
        const waiting = await waitingFor(trx, endpoint)
          .update({ url: moved.url, endpoint: moved.origin })
          .returning(['organization_id', 'endpoint']);
        await ringFor(trx, waiting);
      }
      return {
        ...moved,
        ...(events && { events: eventsOf(events) }),
        ...(description !== undefined && { description: description || null }),
      };
    });
  }

  /** Nothing more is sent to it; what waits is given up, and can be sent again once it is enabled. Throws `not_found`. */
  disable(scope: EndpointScope, id: string, by: Actor): Promise<EndpointRow> {
    return this.act(scope, id, by, 'disable', async (trx, endpoint) => {
      await giveUpWaiting(trx, endpoint);
      return { status: 'disabled' };
    });
  }

  /** It is told of what happens from now on. Throws `not_found`. */
  enable(scope: EndpointScope, id: string, by: Actor): Promise<EndpointRow> {
    return this.act(scope, id, by, 'enable', async () => ({ status: 'enabled' }));
  }

  /** Ends it for good; what waits is given up. Throws `not_found`. */
  async remove(scope: EndpointScope, id: string, by: Actor): Promise<void> {
    await this.act(scope, id, by, 'remove', async (trx, endpoint) => {
      await giveUpWaiting(trx, endpoint);
      return { status: 'removed', place: null };
    });
  }

  /** Gives it a new secret and answers it; the old one signs too for `overlapMs` more. Throws `not_found`. */
  async rotate(scope: EndpointScope, id: string, overlapMs: number, by: Actor): Promise<string> {
    await this.find(scope, id);
    return this.database.system.transaction(async (trx) => {
      const secret = await this.secrets.rotate(trx, id, overlapMs, 'notification_endpoints');
      const detail = { overlapSeconds: overlapMs / 1_000 };
      await noteDone(trx, scope.tenantId, by, 'notification_endpoint.rotate_secret', id, detail);
      return secret;
    });
  }

  /** Locks an endpoint, changes it and writes down who did. */
  private act(
    scope: EndpointScope,
    id: string,
    by: Actor,
    verb: string,
    work: (trx: Knex.Transaction, endpoint: EndpointRow) => Promise<Partial<EndpointRow>>,
  ): Promise<EndpointRow> {
    return this.database.tenant(scope.tenantId, async (trx) => {
      const change = await work(trx, await findOwn(trx, scope, id, { lock: true }));
      const [changed]: EndpointRow[] = await trx('notification_endpoints')
        .where({ id })
        .update({ ...change, updated_at: trx.raw('clock_timestamp()') })
        .returning('*');
      await noteDone(trx, scope.tenantId, by, `notification_endpoint.${verb}`, id, { members: Object.keys(change) });
      return changed!;
    });
  }
}

const addressOf = (url: string) => ({ url, origin: new URL(url).origin });

const eventsOf = (events: string[] = []): string[] | null => (events.length > 0 ? [...new Set(events)] : null);

function own(trx: Knex.Transaction, { organizationId }: EndpointScope): Knex.QueryBuilder {
  return trx('notification_endpoints').where({ organization_id: organizationId }).whereNot({ status: 'removed' });
}

async function findOwn(
  trx: Knex.Transaction,
  scope: EndpointScope,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<EndpointRow> {
  const rows = own(trx, scope).where({ id });
  const endpoint: EndpointRow | undefined = await (lock ? rows.forUpdate() : rows).first();
  if (!endpoint) throw notFound('endpoint');
  return endpoint;
}

function waitingFor(trx: Knex.Transaction, { id }: EndpointRow): Knex.QueryBuilder {
  return trx('notifications').where({ endpoint_id: id, state: 'pending' });
}

async function giveUpWaiting(trx: Knex.Transaction, endpoint: EndpointRow): Promise<void> {
  await waitingFor(trx, endpoint).update({ state: 'failed', next_attempt_at: null });
}
