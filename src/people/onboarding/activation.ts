import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { ActivationDecision, ActivationStatus } from '../../domain/states/activation';
import { completeFiles, type FileRow } from '../../foundation/files/file-store';

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
  return found(await (lock ? rows.forUpdate() : rows).first(), 'activation');
}

/**
 * How an organization stands now. A callback counts as answered by a ping, or by any notification that was delivered;
 * documents as given when each one named has a file, or says where it is.
 */
export async function checksOf(trx: Knex.Transaction, { id }: Pick<ActivationRow, 'id'>): Promise<Check[]> {
  const { rows } = await trx.raw(
    `SELECT o.country IS NOT NULL AND cardinality(o.currencies) > 0 AS business_data_complete,
       EXISTS (SELECT 1 FROM users u WHERE u.organization_id = o.id AND u.password_hash IS NOT NULL) AS password_set,
       coalesce(a.callback_answered, false)
         OR EXISTS (SELECT 1 FROM notifications n WHERE n.organization_id = o.id AND n.state = 'delivered')
         AS callback_answered,
       EXISTS (SELECT 1 FROM payments p WHERE p.organization_id = o.id AND p.captured_minor > 0) AS sandbox_payment_captured,
       jsonb_array_length(a.documents) > 0 AND NOT EXISTS (
         SELECT 1 FROM jsonb_array_elements(a.documents) WITH ORDINALITY AS d (document, number)
         WHERE d.document ->> 'reference' IS NULL AND NOT EXISTS (
           SELECT 1 FROM files f WHERE f.activation_id = a.id AND f.activation_document = d.number
             AND f.completed_at IS NOT NULL)) AS documents_given
     FROM activations a JOIN organizations o ON o.id = a.organization_id WHERE a.id = :id`,
    { id },
  );
  return CHECKS.map((item) => ({ item, done: rows[0][item] }));
}

/** The files of the documents that an application names, one each at most. */
export async function filesOfActivation(trx: Knex.Transaction, id: string): Promise<FileRow[]> {
  return completeFiles(trx).where({ activation_id: id });
}

/** What is announced when the flow has looked at an application. */
export function activationSubject(id: string): string {
  return `activation/${id}`;
}
