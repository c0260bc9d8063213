import type { Knex } from 'knex';
import type { Page } from '../../foundation/db/page';
import { BANK_RETURN_SOURCE, DIFFERENCE_SOURCE, ORDER_SOURCE, PAYOUT_SOURCE, UNMATCHED_SOURCE } from './money-sources';
import {
  DISPUTE_SOURCE,
  INTERVENTION_SOURCE,
  PAYMENT_SOURCE,
  RECEIPT_SOURCE,
  REFUND_SOURCE,
  TOPUP_SOURCE,
} from './payment-sources';
import {
  CALLBACK_SOURCE,
  LOST_FLOW_SOURCE,
  MESSAGE_SOURCE,
  NOTIFICATION_SOURCE,
  SECURITY_SOURCE,
  TENANT_SOURCE,
} from './platform-sources';
import { type Source, WORK_KINDS, type WorkKind, type WorkRow } from './work';

/** Where each kind of work stands. A new kind does not compile until it is here. */
export const SOURCES: Record<WorkKind, Source> = {
  payment: PAYMENT_SOURCE,
  topup: TOPUP_SOURCE,
  refund: REFUND_SOURCE,
  receipt: RECEIPT_SOURCE,
  dispute: DISPUTE_SOURCE,
  intervention: INTERVENTION_SOURCE,
  tenant: TENANT_SOURCE,
  unmatched_transfer: UNMATCHED_SOURCE,
  difference: DIFFERENCE_SOURCE,
  payout: PAYOUT_SOURCE,
  bank_return: BANK_RETURN_SOURCE,
  order: ORDER_SOURCE,
  callback: CALLBACK_SOURCE,
  notification: NOTIFICATION_SOURCE,
  message: MESSAGE_SOURCE,
  security: SECURITY_SOURCE,
  lost_flow: LOST_FLOW_SOURCE,
};

export interface WorkFilter extends Page {
  kind?: WorkKind;
  tenantId?: string;
  organizationId?: string;
}

const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([a-z_]+) (.+)$/;

/** The cursor after a row. */
export function cursorOf({ since, kind, id }: WorkRow): string {
  return `${since.toISOString()} ${kind} ${id}`;
}

/**
 * What needs a person, of all tenants; what has waited longest first, one more than the page holds. Each kind is read from
 * its own table by its own index, as far as the page goes, and they are merged. A cursor of another list yields an empty
 * page. `ops`: the role of operators.
 */
export async function listWork(ops: Knex, { kind, limit, cursor, ...narrow }: WorkFilter): Promise<WorkRow[]> {
  const after = cursor === undefined ? undefined : CURSOR.exec(cursor);
  if (after === null || (after && !(after[2]! in SOURCES))) return [];
  const [, since, afterKind, afterId] = after ?? [];
  const parts = (kind ? [kind] : WORK_KINDS).map((one) => partOf(one, afterKind, narrow));
  const { rows } = await ops.raw(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) w (kind, id, tenant_id, organization_id, currency, amount_minor, since, facts)
     ORDER BY since, kind COLLATE "C", id COLLATE "C" LIMIT :limit`,
    {
      limit: limit + 1,
      tenantId: narrow.tenantId ?? null,
      organizationId: narrow.organizationId ?? null,
      since: since ?? null,
      afterId: afterId ?? null,
    },
  );
  return rows;
}

function partOf(
  kind: WorkKind,
  afterKind: string | undefined,
  { tenantId, organizationId }: Partial<WorkFilter>,
): string {
  const of = SOURCES[kind];
  const isCounted = of.groupBy !== undefined;
  const conditions = [
    ...(tenantId ? [`${of.tenant} = :tenantId`] : []),
    ...(organizationId ? [`${of.organization} = :organizationId`] : []),
    ...(afterKind ? [afterCursor(of, kind, afterKind)] : []),
  ];
  const where = [of.where, ...(isCounted ? [] : conditions)].join(' AND ');
  const having = isCounted && conditions.length > 0 ? `HAVING ${conditions.join(' AND ')}` : '';
  return `(SELECT '${kind}', ${of.id}, ${of.tenant}, ${of.organization}, ${of.currency}, ${of.amount}, ${of.since}, ${of.facts}
    FROM ${of.from} WHERE ${where} ${isCounted ? `GROUP BY ${of.groupBy}` : ''} ${having}
    ORDER BY ${of.since}, (${of.id}) COLLATE "C" LIMIT :limit)`;
}

/** Rows of one instant are in the order of their kinds, then of their ids. */
function afterCursor({ since, id }: Source, kind: WorkKind, afterKind: string): string {
  if (kind === afterKind) return `(${since}, (${id}) COLLATE "C") > (:since::timestamptz, :afterId::text COLLATE "C")`;
  return `${since} ${kind > afterKind ? '>=' : '>'} :since::timestamptz`;
}
