import type { Knex } from 'knex';
import { DOCUMENT_TYPES } from '../../domain/document-type';
import { DomainError } from '../../domain/errors';
import { type FileType, isOfType } from '../../domain/file-type';
import { newId } from '../../domain/ids';
import type { Database } from '../db/database';
import type { DocumentKeys } from '../vault/document-keys';
import { inChunks, openChunk, sealChunk } from '../vault/stream';

/** Bytes in clear per row: what an upload or a download holds in memory. */
const CHUNK_BYTES = 256 * 1024;
/** An upload that has not ended by then never will. */
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * What a file belongs to: the document of a customer, or of an application to go live, each with one file at most; or the
 * organization whose items it is a picture of, with any number.
 */
export type FileOwner =
  | { document_id: string }
  | { activation_id: string; activation_document: number }
  | { organization_id: string };

/** One row of `files`. */
export interface FileRow {
  id: string;
  tenant_id: string;
  document_id: string | null;
  activation_id: string | null;
  activation_document: number | null;
  organization_id: string | null;
  content_type: FileType;
  data_key: Buffer;
  uploaded_by: string;
  created_at: Date;
  size_bytes: number | null;
  chunks: number | null;
  completed_at: Date | null;
}

/** A file as it comes in. */
export interface SentFile {
  contentType: string;
  content: AsyncIterable<Buffer>;
}

/** A file to be sent, read and decrypted as it goes. */
export interface OpenedFile {
  contentType: FileType;
  sizeBytes: number;
  content: AsyncGenerator<Buffer>;
}

/** How the owner of a file takes it. */
export interface Taking<T> {
  tenantId: string;
  owner: FileOwner;
  /** Which types it takes; absent: those of documents. */
  types?: readonly FileType[];
  /** Client, user or customer. */
  uploadedBy: string;
  /** Throws where the owner takes no file. Runs before anything is stored. */
  allowed(trx: Knex.Transaction): Promise<void>;
  /** Runs once all of the file is here, and looks anew; `keep` puts it in place of a document's earlier one. */
  take(trx: Knex.Transaction, keep: () => Promise<FileRow>): Promise<T>;
}

/** Files of documents, and pictures of items: in chunks, each sealed, under a data key of the file's own. */
export class FileStore {
  constructor(
    private readonly database: Database,
    private readonly keys: DocumentKeys,
  ) {}

  /**
   * Stores a file and has its owner take it. Throws `unsupported_media_type`, `invalid_request` when the content is empty
   * or not what its type says, and what `allowed` and `take` throw. No transaction waits for the sender.
   */
  async store<T>({ contentType, content }: SentFile, taking: Taking<T>): Promise<T> {
    const { tenantId } = taking;
    const id = newId('file');
    const { key, wrapped } = this.keys.create(id);
    const type = await this.database.tenant(tenantId, async (trx) => {
      await taking.allowed(trx);
      const known = requireType(contentType, taking.types ?? DOCUMENT_TYPES);
      await trx('files').insert({
        id,
        tenant_id: tenantId,
        ...taking.owner,
        content_type: known,
        data_key: wrapped,
        uploaded_by: taking.uploadedBy,
      });
      return known;
    });
    try {
      const size = { size_bytes: 0, chunks: 0 };
      for await (const { position, isLast, bytes } of inChunks(content, CHUNK_BYTES)) {
        if (position === 0 && !isOfType(type, bytes)) throw invalidContent(`does not begin as ${type} does`);
        const sealed = sealChunk(key, id, position, isLast, bytes);
        await this.database.tenant(tenantId, (trx) =>
          trx('file_chunks').insert({ file_id: id, tenant_id: tenantId, position, sealed }),
        );
        size.size_bytes += bytes.length;
        size.chunks += 1;
      }
      if (size.chunks === 0) throw invalidContent('is empty');
      return await this.database.tenant(tenantId, (trx) =>
        taking.take(trx, async () => {
          if (!('organization_id' in taking.owner)) await completeFiles(trx).where(taking.owner).delete();
          const [file]: FileRow[] = await trx('files')
            .where({ id })
            .update({ ...size, completed_at: trx.fn.now() })
            .returning('*');
          return file!;
        }),
      );
    } catch (error) {
      // Not reached when the process dies: `sweep` is for that.
      await this.database.tenant(tenantId, (trx) => trx('files').where({ id }).delete()).catch(() => undefined);
      throw error;
    }
  }

  /** The content of a complete file. */
  open(file: FileRow): OpenedFile {
    return { contentType: file.content_type, sizeBytes: file.size_bytes!, content: this.read(file) };
  }

  /** Removes what is left of uploads that were cut off; answers how many. Runs as the system role. */
  async sweep(): Promise<number> {
    return this.database
      .system('files')
      .whereNull('completed_at')
      .where('created_at', '<', new Date(Date.now() - ABANDONED_AFTER_MS))
      .delete();
  }

  private async *read(file: FileRow): AsyncGenerator<Buffer> {
    const key = this.keys.open(file.id, file.data_key);
    const chunks = file.chunks!;
    for (let position = 0; position < chunks; position += 1) {
      const row: { sealed: Buffer } | undefined = await this.database.tenant(file.tenant_id, (trx) =>
        trx('file_chunks').where({ file_id: file.id, position }).first('sealed'),
      );
      if (!row) throw new Error(`chunk ${position} of ${file.id} is gone`);
      yield openChunk(key, file.id, position, position === chunks - 1, row.sealed);
    }
  }
}

/** The files that are here as a whole. */
export function completeFiles(trx: Knex.Transaction): Knex.QueryBuilder {
  return trx('files').whereNotNull('completed_at');
}

function requireType(contentType: string, types: readonly FileType[]): FileType {
  const found = types.find((type) => type === contentType);
  if (!found) throw new DomainError('unsupported_media_type', `The body must be one of ${types.join(', ')}`);
  return found;
}

function invalidContent(message: string): DomainError {
  return new DomainError('invalid_request', `body ${message}`, { details: [{ field: 'body', message }] });
}
