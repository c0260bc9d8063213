import type { Knex } from 'knex';
import type { Database } from '../db/database';
import { DOCUMENT_TYPES, type DocumentType, isOfType } from '../domain/document-type';
import { DomainError, notFound } from '../domain/errors';
import { newId } from '../domain/ids';
import { canDocumentBecome } from '../domain/states/document';
import { inChunks, openChunk, sealChunk } from '../vault/stream';
import { lockCustomer } from './customer';
import { type DocumentKeys, type DocumentRow, NOT_REVIEWED } from './documents';
import { type Actor, noteCustomer } from './reads';
import { requestLook } from './verification-look';

/** Bytes in clear per row: what an upload or a download holds in memory. */
const CHUNK_BYTES = 256 * 1024;
/** An upload that has not ended by then never will. */
const ABANDONED_AFTER_MS = 3_600_000;

/** One row of `customer_files`. */
export interface FileRow {
  id: string;
  document_id: string;
  tenant_id: string;
  content_type: DocumentType;
  data_key: Buffer;
  uploaded_by: string;
  created_at: Date;
  size_bytes: number | null;
  chunks: number | null;
  completed_at: Date | null;
}

/** Whose document, in whose tenant. */
export interface DocumentPlace {
  tenantId: string;
  customerId: string;
  documentId: string;
}

/** A file to be sent, read and decrypted as it goes. */
export interface OpenedFile {
  contentType: DocumentType;
  sizeBytes: number;
  content: AsyncGenerator<Buffer>;
}

/** Files of customers' documents: in chunks, each sealed, under a data key of the file's own. */
export class DocumentFiles {
  constructor(
    private readonly database: Database,
    private readonly keys: DocumentKeys,
  ) {}

  /**
   * Keeps a file for a document in place of an earlier one, and puts the document under review. Throws `not_found`,
   * `invalid_state` for a document that is verified, `unsupported_media_type`, and `invalid_request` when the content is
   * empty or not what its type says. No transaction waits for the sender.
   */
  async store(
    place: DocumentPlace,
    file: { contentType: string; content: AsyncIterable<Buffer> },
    actor: Actor,
  ): Promise<{ document: DocumentRow; file: FileRow }> {
    const { tenantId } = place;
    const id = newId('file');
    const { key, wrapped } = this.keys.create(id);
    await this.database.tenant(tenantId, async (trx) => {
      requireUploadable(await findDocument(trx, place));
      const contentType = requireType(file.contentType);
      await trx('customer_files').insert({
        id,
        document_id: place.documentId,
        tenant_id: tenantId,
        content_type: contentType,
        data_key: wrapped,
        uploaded_by: actor.id,
      });
    });
    try {
      const size = { bytes: 0, chunks: 0 };
      for await (const { position, isLast, bytes } of inChunks(file.content, CHUNK_BYTES)) {
        if (position === 0 && !isOfType(file.contentType as DocumentType, bytes))
          throw invalidContent(`does not begin as ${file.contentType} does`);
        const sealed = sealChunk(key, id, position, isLast, bytes);
        await this.database.tenant(tenantId, (trx) =>
          trx('customer_file_chunks').insert({ file_id: id, tenant_id: tenantId, position, sealed }),
        );
        size.bytes += bytes.length;
        size.chunks += 1;
      }
      if (size.chunks === 0) throw invalidContent('is empty');
      return await this.complete(place, id, size, actor);
    } catch (error) {
      // Not reached when the process dies: `sweep` is for that.
      await this.database
        .tenant(tenantId, (trx) => trx('customer_files').where({ id }).delete())
        .catch(() => undefined);
      throw error;
    }
  }

  /** The file of a document, for staff: that it was read is in the audit log before the first byte leaves. Throws `not_found`. */
  async open(place: DocumentPlace, actor: Actor): Promise<OpenedFile> {
    const file = await this.database.tenant(place.tenantId, async (trx) => {
      await findDocument(trx, place);
      const [row]: FileRow[] = await completeFiles(trx, [place.documentId]);
      if (!row) throw notFound('file');
      await noteCustomer(trx, place.tenantId, actor, 'customer.document_file_read', place.customerId, {
        documentId: place.documentId,
        fileId: row.id,
      });
      return row;
    });
    return { contentType: file.content_type, sizeBytes: file.size_bytes!, content: this.read(file) };
  }

  /** Removes what is left of uploads that were cut off; answers how many. Runs as the system role. */
  async sweep(): Promise<number> {
    return this.database
      .system('customer_files')
      .whereNull('completed_at')
      .where('created_at', '<', new Date(Date.now() - ABANDONED_AFTER_MS))
      .delete();
  }

  private async *read(file: FileRow): AsyncGenerator<Buffer> {
    const key = this.keys.open(file.id, file.data_key);
    const chunks = file.chunks!;
    for (let position = 0; position < chunks; position += 1) {
      const row: { sealed: Buffer } | undefined = await this.database.tenant(file.tenant_id, (trx) =>
        trx('customer_file_chunks').where({ file_id: file.id, position }).first('sealed'),
      );
      if (!row) throw new Error(`chunk ${position} of ${file.id} is gone`);
      yield openChunk(key, file.id, position, position === chunks - 1, row.sealed);
    }
  }

  private complete(
    place: DocumentPlace,
    id: string,
    size: { bytes: number; chunks: number },
    actor: Actor,
  ): Promise<{ document: DocumentRow; file: FileRow }> {
    return this.database.tenant(place.tenantId, async (trx) => {
      const customer = await lockCustomer(trx, place.customerId);
      const document = await findDocument(trx, place);
      requireUploadable(document);
      await completeFiles(trx, [document.id]).delete();
      const [file]: FileRow[] = await trx('customer_files')
        .where({ id })
        .update({ size_bytes: size.bytes, chunks: size.chunks, completed_at: trx.fn.now() })
        .returning('*');
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
        fileId: id,
        sizeBytes: size.bytes,
      });
      await requestLook(trx, [customer]);
      return { document: changed!, file: file! };
    });
  }
}

/** The complete files of these documents, one each at most. */
export function completeFiles(trx: Knex.Transaction, documentIds: string[]): Knex.QueryBuilder {
  return trx('customer_files').whereIn('document_id', documentIds).whereNotNull('completed_at');
}

/** A document that is in the record of a customer of this tenant. Throws `not_found`. */
export async function findDocument(
  trx: Knex.Transaction,
  { customerId, documentId }: DocumentPlace,
): Promise<DocumentRow> {
  const row: DocumentRow | undefined = await trx('customer_documents')
    .where({ id: documentId, customer_id: customerId })
    .whereNull('withdrawn_at')
    .first();
  if (!row) throw notFound('document');
  return row;
}

function requireUploadable({ status }: DocumentRow): void {
  if (status !== 'underverification' && !canDocumentBecome(status, 'underverification'))
    throw new DomainError('invalid_state', `the document is ${status}: add another one to the customer instead`);
}

function requireType(contentType: string): DocumentType {
  const found = DOCUMENT_TYPES.find((type) => type === contentType);
  if (!found) throw new DomainError('unsupported_media_type', `The body must be one of ${DOCUMENT_TYPES.join(', ')}`);
  return found;
}

function invalidContent(message: string): DomainError {
  return new DomainError('invalid_request', `body ${message}`, { details: [{ field: 'body', message }] });
}
