import type { Knex } from 'knex';
import { DomainError, found, notFound } from '../../domain/errors';
import { canDocumentBecome } from '../../domain/states/document';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import {
  completeFiles,
  type FileRow,
  type FileStore,
  type OpenedFile,
  type SentFile,
} from '../../foundation/files/file-store';
import { noteCustomer } from './audit-lines';
import { lockCustomer } from './customer';
import { type DocumentContent, type DocumentRow, type Documents, NOT_REVIEWED } from './documents';
import { wakeKyc } from './kyc-wake';

/** Names a document, its customer and its tenant. */
export interface DocumentPlace {
  tenantId: string;
  customerId: string;
  documentId: string;
}

/** Files of customers' documents. */
export class DocumentFiles {
  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
  ) {}

  /**
   * Keeps a file for a document in place of an earlier one, and puts the document under review. Throws `not_found`,
   * `invalid_state` for a document that is verified, and as `FileStore.store` does.
   */
  store(place: DocumentPlace, file: SentFile, actor: Actor): Promise<{ document: DocumentRow; file: FileRow }> {
    return this.files.store(file, {
      tenantId: place.tenantId,
      owner: { document_id: place.documentId },
      uploadedBy: actor.id,
      allowed: async (trx) => requireUploadable(await findDocument(trx, place)),
      take: (trx, keep) => this.take(trx, place, keep, actor),
    });
  }

  /** The file of a document, for staff: that it was read is in the audit log before the first byte leaves. Throws `not_found`. */
  async open(place: DocumentPlace, actor: Actor): Promise<OpenedFile> {
    const file = await this.database.tenant(place.tenantId, async (trx) => {
      await findDocument(trx, place);
      const [row] = await filesOf(trx, [place.documentId]);
      if (!row) throw notFound('file');
      await noteCustomer(trx, place.tenantId, actor, 'customer.document_file_read', place.customerId, {
        documentId: place.documentId,
        fileId: row.id,
      });
      return row;
    });
    return this.files.open(file);
  }

  private async take(
    trx: Knex.Transaction,
    place: DocumentPlace,
    keep: () => Promise<FileRow>,
    actor: Actor,
  ): Promise<{ document: DocumentRow; file: FileRow }> {
    const customer = await lockCustomer(trx, place.customerId);
    const document = await findDocument(trx, place);
    requireUploadable(document);
    const file = await keep();
    const [changed]: DocumentRow[] = await trx('customer_documents')
      .where({ id: document.id })
      .update({
        status: 'underverification',
        verification_response: NOT_REVIEWED,
        expires_at: null,
        reminded_at: null,
        changed_at: trx.raw('clock_timestamp()'),
      })
      .returning('*');
    await noteCustomer(trx, place.tenantId, actor, 'customer.document_file_uploaded', customer.id, {
      documentId: document.id,
      fileId: file.id,
      sizeBytes: file.size_bytes,
    });
    await wakeKyc(trx, [customer]);
    return { document: changed!, file };
  }
}

/** The complete files of these documents, one each at most. */
async function filesOf(trx: Knex.Transaction, documentIds: string[]): Promise<FileRow[]> {
  return completeFiles(trx).whereIn('document_id', documentIds);
}

/** A document with what the caller says of it and its file, if there is one. */
export interface WholeDocument {
  row: DocumentRow;
  content: DocumentContent;
  file?: FileRow;
}

/** Documents with all that is known of them. */
export async function wholeDocuments(
  trx: Knex.Transaction,
  documents: Documents,
  rows: DocumentRow[],
): Promise<WholeDocument[]> {
  const ids = rows.map(({ id }) => id);
  const files = await filesOf(trx, ids);
  return rows.map((row) => ({
    row,
    content: documents.contentOf(row),
    file: files.find(({ document_id }) => document_id === row.id),
  }));
}

/** A document that is in the record of a customer of this tenant. Throws `not_found`. */
export async function findDocument(
  trx: Knex.Transaction,
  { customerId, documentId }: DocumentPlace,
): Promise<DocumentRow> {
  return found(
    await trx('customer_documents')
      .where({ id: documentId, customer_id: customerId })
      .whereNull('withdrawn_at')
      .first(),
    'document',
  );
}

function requireUploadable({ status }: DocumentRow): void {
  if (status !== 'underverification' && !canDocumentBecome(status, 'underverification'))
    throw new DomainError('invalid_state', `the document is ${status}: add another one to the customer instead`);
}
