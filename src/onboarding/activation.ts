import type { Knex } from 'knex';
import { notFound } from '../domain/errors';
import type { ActivationDecision, ActivationStatus } from '../domain/states/activation';

/** A document that an application names. */
export interface ActivationDocument {
  purpose: string;
  name: string;
  documentType?: string;
  reference?: string;
}

/** One row of `activations`. */
export interface ActivationRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  number: number;
  status: ActivationStatus;
  declared: Record<string, unknown>;
  documents: ActivationDocument[];
  callback_url: string | null;
  callback_answered: boolean | null;
  submitted_by: string;
  decision: ActivationDecision | null;
  decided_by: string | null;
  reason: string | null;
  decided_at: Date | null;
  reminded_at: Date | null;
  look_at: Date | null;
  created_at: Date;
}

export const CHECKS = [
  'business_data_complete',
  'password_set',
  'callback_answered',
  'sandbox_payment_captured',
  'documents_given',
] as const;

/** One thing that has to be there before a merchant goes live, as we find it. */
export interface Check {
  item: (typeof CHECKS)[number];
  done: boolean;
}

/** Locked where `lock`. Throws `not_found`. */
export async function findActivation(
  trx: Knex.Transaction,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<ActivationRow> {
  const rows = trx('activations').where({ id });
  const row: ActivationRow | undefined = await (lock ? rows.forUpdate() : rows).first();
  if (!row) throw notFound('activation');
  return row;
}

/** How an organization stands now. A callback counts as answered by a ping, or by any notification that was delivered. */
export async function checksOf(trx: Knex.Transaction, row: ActivationRow): Promise<Check[]> {
  const { organization_id } = row;
  const { rows } = await trx.raw(
    `SELECT o.country IS NOT NULL AND cardinality(o.currencies) > 0 AS business_data_complete,
       EXISTS (SELECT 1 FROM users u WHERE u.organization_id = o.id AND u.password_hash IS NOT NULL) AS password_set,
       :answered OR EXISTS (SELECT 1 FROM notifications n WHERE n.organization_id = o.id AND n.state = 'delivered')
         AS callback_answered,
       EXISTS (SELECT 1 FROM payments p WHERE p.organization_id = o.id AND p.captured_minor > 0) AS sandbox_payment_captured,
       :documents > 0 AS documents_given
     FROM organizations o WHERE o.id = :organizationId`,
    {
      organizationId: organization_id,
      answered: row.callback_answered ?? false,
      documents: row.documents.length,
    },
  );
  return CHECKS.map((item) => ({ item, done: rows[0][item] }));
}

/** What is announced when the flow has looked at an application. */
export function activationSubject(id: string): string {
  return `activation/${id}`;
}
