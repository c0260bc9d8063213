import type { Knex } from 'knex';

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
  const rows: AuditRow[] = await trx('audit_log')
    .where((about) =>
      about
        .where((own) => own.where({ target: customerId }).whereRaw("action LIKE 'customer.%'"))
        .orWhere((listed) =>
          listed
            .where({ action: 'customer.list' })
            .whereRaw("detail->'customerIds' @> ?::jsonb", [JSON.stringify([customerId])]),
        ),
    )
    .modify((query) => {
      if (cursor !== undefined) query.where('id', '<', cursor);
    })
    .orderBy('id', 'desc')
    .limit(limit + 1);
  // Who else was on a listed page is of no concern here.
  return rows.map((row) =>
    row.action === 'customer.list' ? { ...row, detail: { ...row.detail, customerIds: undefined } } : row,
  );
}
