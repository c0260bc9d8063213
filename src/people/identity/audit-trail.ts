import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import type { Users } from './users/user';

/** A line of the audit log, with the names of the people and programs in it that the reader may see. */
export interface AuditEntry {
  entryId: string;
  at: Date;
  tenantId?: string;
  actor: string;
  actorName?: string;
  action: string;
  target?: string;
  targetName?: string;
  source?: string;
  result: string;
  detail: Record<string, unknown>;
}

export interface AuditQuery {
  limit: number;
  /** As `cursorOf` made it. */
  cursor?: string;
  action?: string;
  actor?: string;
  target?: string;
  /** RFC 3339, this time or later. */
  from?: string;
  /** RFC 3339, before this time. */
  to?: string;
}

/** Whose lines somebody reads: those of one tenant in its name, or as an operator those of one tenant or of all. */
export interface AuditReader {
  isOperator: boolean;
  tenantId?: string;
}

interface LineRow {
  id: bigint;
  tenant_id: string | null;
  actor: string;
  action: string;
  target: string | null;
  source: string | null;
  result: string;
  detail: Record<string, unknown>;
  at: Date;
}

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\/(\d{1,18})$/;

/** Where the page after an entry begins. */
export const cursorOf = ({ at, entryId }: AuditEntry): string => `${at.toISOString()}/${entryId}`;

/** Who did what, for tenant admins and operators. */
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly users: Pick<Users, 'contactOf'>,
  ) {}

  /** One more than the page holds, newest first. A cursor of another list yields an empty page. */
  async list({ isOperator, tenantId }: AuditReader, query: AuditQuery): Promise<AuditEntry[]> {
    const rows = await (isOperator
      ? lines(this.database.ops, tenantId, query)
      : this.database.tenant(tenantId!, async (trx) => lines(trx, tenantId, query)));
    const ids = new Set(rows.flatMap(({ actor, target }) => [actor, target ?? actor]));
    const names = await this.namesOf([...ids], tenantId);
    return rows.map((row) => present(row, names));
  }

  /** Of users and clients of the tenant, or of all. Who was removed has no name any more. */
  private async namesOf(ids: string[], tenantId: string | undefined): Promise<Map<string, string>> {
    const { system } = this.database;
    const seen = (table: string) => {
      const rows = system(table).whereIn('id', ids);
      return tenantId === undefined ? rows : rows.where({ tenant_id: tenantId });
    };
    const [users, clients] = await Promise.all([
      seen('users').whereNull('removed_at').select('id', 'contact_sealed'),
      seen('clients').select('id', 'name'),
    ]);
    return new Map([
      ...clients.map(({ id, name }): [string, string] => [id, name]),
      ...users.map((row): [string, string] => [row.id, this.users.contactOf(row).name]),
    ]);
  }
}

async function lines(connection: Knex, tenantId: string | undefined, query: AuditQuery): Promise<LineRow[]> {
  const { limit, cursor, from, to, action, actor, target } = query;
  const rows = connection('audit_log')
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit + 1);
  if (cursor !== undefined) {
    const place = CURSOR.exec(cursor);
    if (!place || Number.isNaN(Date.parse(place[1]!))) return [];
    rows.whereRaw('(at, id) < (?, ?)', [place[1]!, place[2]!]);
  }
  if (tenantId !== undefined) rows.where({ tenant_id: tenantId });
  if (action) rows.where({ action });
  if (actor) rows.where({ actor });
  if (target) rows.where({ target });
  if (from) rows.where('at', '>=', from);
  if (to) rows.where('at', '<', to);
  return rows;
}

function present(row: LineRow, names: Map<string, string>): AuditEntry {
  const { tenant_id, actor, action, target, source, result, detail, at } = row;
  const actorName = names.get(actor);
  const targetName = target === null ? undefined : names.get(target);
  return {
    entryId: `${row.id}`,
    at,
    ...(tenant_id && { tenantId: tenant_id }),
    actor,
    ...(actorName && { actorName }),
    action,
    ...(target && { target }),
    ...(targetName && { targetName }),
    ...(source && { source }),
    result,
    detail,
  };
}
