import type { Knex } from 'knex';
import type { Page } from '../../foundation/db/page';
import { APPROVAL_KINDS, type ApprovalKind, type WaitingRow } from './approval';

export interface WaitingFilter extends Page {
  kind?: ApprovalKind;
  organizationId?: string;
}

/** How what waits is read from the table where it stands. */
interface Part {
  /** The columns of `WaitingRow`, in its order. */
  columns: string;
  from: string;
  where: string;
  /** What it is sorted by: since when it waits, and its id. An index holds them for the rows that wait. */
  since: string;
  id: string;
  organization: string;
}

const PARTS: Record<ApprovalKind, Part> = {
  item: {
    columns: `i.version::text, i.organization_id, NULL::text, i.name, i.currency::text, i.price_minor, i.created_by, i.waiting_since,
      NULL::timestamptz, 1, ARRAY[]::text[]`,
    from: 'items i',
    where: "i.tenant_id = :tenantId AND i.status = 'pending_approval'",
    since: 'i.waiting_since',
    id: 'i.id',
    organization: 'i.organization_id',
  },
  payment_link: {
    columns: `NULL::text, l.organization_id, NULL::text, l.title, l.currency, l.most_minor, l.created_by, l.created_at,
      least(l.request_expires_at, l.expires_at), l.approvals_needed, ARRAY(SELECT d.decided_by FROM payment_link_decisions d
        WHERE d.link_id = l.id AND d.decision = 'approve' ORDER BY d.at)`,
    from: 'payment_links l',
    where: "l.tenant_id = :tenantId AND l.status = 'pending_approval'",
    since: 'l.created_at',
    id: 'l.id',
    organization: 'l.organization_id',
  },
  document: {
    columns: `(SELECT f.id FROM files f WHERE f.document_id = d.id AND f.completed_at IS NOT NULL), c.organization_id,
      c.id, coalesce(d.document_type, 'Document') || ' of ' || c.id, NULL::text, NULL::bigint, NULL::text, d.changed_at,
      NULL::timestamptz, 1, ARRAY[]::text[]`,
    from: 'customer_documents d JOIN customers c ON c.id = d.customer_id',
    where: "d.tenant_id = :tenantId AND d.status = 'underverification' AND d.withdrawn_at IS NULL",
    since: 'd.changed_at',
    id: 'd.id',
    organization: 'c.organization_id',
  },
  customer: {
    columns: `CASE WHEN c.reopened_at IS NOT NULL THEN c.version::text END, c.organization_id, c.id, c.customer_type || ' ' || coalesce(c.reference, c.id), NULL::text,
      NULL::bigint, NULL::text, c.status_since, NULL::timestamptz, 1, ARRAY[]::text[]`,
    from: 'customers c',
    where: `c.tenant_id = :tenantId AND (c.status = 'under_verificaiton' OR c.reopened_at IS NOT NULL)
      AND c.deleted_at IS NULL`,
    since: 'c.status_since',
    id: 'c.id',
    organization: 'c.organization_id',
  },
  payout_account: {
    columns: `NULL::text, a.organization_id, NULL::text, a.holder || ', ' || a.iban_country || '**' || a.iban_last4, NULL::text,
      NULL::bigint, a.created_by, a.created_at, NULL::timestamptz, 1, ARRAY[]::text[]`,
    from: 'payout_accounts a',
    // The seller may have named another account since.
    where: `a.tenant_id = :tenantId AND a.status = 'unverified' AND NOT EXISTS (SELECT 1 FROM payout_accounts b
      WHERE b.organization_id = a.organization_id AND (b.effective_from, b.id) > (a.effective_from, a.id))`,
    since: 'a.created_at',
    id: 'a.id',
    organization: 'a.organization_id',
  },
};

const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (\w+)$/;

/** The cursor after a row. */
export function cursorOf({ waiting_since, subject_id }: WaitingRow): string {
  return `${waiting_since.toISOString()} ${subject_id}`;
}

/**
 * What waits in a tenant, what has waited longest first; one more than the page holds. Each kind is read from its own table
 * by its own index, as far as the page goes, and they are merged. A cursor of another list yields an empty page.
 */
export async function listWaiting(
  trx: Knex.Transaction,
  tenantId: string,
  { kind, organizationId, limit, cursor }: WaitingFilter,
): Promise<WaitingRow[]> {
  const [, since, after] = cursor === undefined ? [] : (CURSOR.exec(cursor) ?? []);
  if (cursor !== undefined && !after) return [];
  const parts = (kind ? [kind] : APPROVAL_KINDS).map((one) => {
    const part = PARTS[one];
    const conditions = [
      part.where,
      ...(organizationId ? [`${part.organization} = :organizationId`] : []),
      ...(after ? [`(${part.since}, ${part.id}) > (:since::timestamptz, :after::text)`] : []),
    ];
    return `(SELECT '${one}', ${part.id}, ${part.columns} FROM ${part.from} WHERE ${conditions.join(' AND ')}
      ORDER BY ${part.since}, ${part.id} LIMIT :limit)`;
  });
  const { rows } = await trx.raw(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) w (kind, subject_id, mark, organization_id, customer_id, title, currency, amount_minor,
       requested_by, waiting_since, due_at, needs, approved_by) ORDER BY waiting_since, subject_id LIMIT :limit`,
    {
      tenantId,
      limit: limit + 1,
      ...(organizationId && { organizationId }),
      ...(since && after && { since, after }),
    },
  );
  return rows;
}
