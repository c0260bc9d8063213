import type { Knex } from 'knex';
import { paged } from '../../foundation/db/page';

/** A line of the audit log. */
export interface AuditRow {
  id: bigint;
  actor: string;
  action: string;
  target: string | null;
  source: string | null;
  result: string;
  detail: Record<string, unknown>;
  at: Date;
}

/**
 * Who read or changed what of a customer, lists that showed it among others too: up to `limit + 1` lines, newest first.
 * `cursor`: the id of the line after which the page starts.
 */
export async function customerAudit(
  trx: Knex.Transaction,
  customerId: string,
  limit: number,
  cursor?: string,
): Promise<AuditRow[]> {
  const page = (lines: Knex.QueryBuilder) => paged(lines, { limit, cursor });
  const own = trx('audit_log').where({ target: customerId }).whereRaw("action LIKE 'customer.%'");
  const lists = trx('audit_log')
    .where({ action: 'customer.list' })
    .whereRaw("detail->'customerIds' @> to_jsonb(?::text)", [customerId]);
  // Two queries, an index for each.
  const rows: AuditRow[] = await trx
    .unionAll([page(own), page(lists)], true)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  // Who else was on a listed page is of no concern here.
  return rows.map(({ detail: { customerIds: _others, ...detail }, ...row }) => ({ ...row, detail }));
}
