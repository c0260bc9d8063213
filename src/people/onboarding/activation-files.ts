import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { isOpenActivation } from '../../domain/states/activation';
import type { Database } from '../../foundation/db/database';
import type { FileStore, OpenedFile, SentFile } from '../../foundation/files/file-store';
import { type ActivationRow, filesOfActivation, findActivation } from './activation';
import { type MerchantAct, noteMerchant } from './audit';

/** A document of an application, in whose tenant. */
export interface ActivationDocumentPlace {
  tenantId: string;
  activationId: string;
  /** Its place in the application, from 1. */
  documentNumber: number;
}

type By = Pick<MerchantAct, 'actor' | 'source'>;

/** Files of the documents that applications to go live name. */
export class ActivationFiles {
  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
  ) {}

  /**
   * Keeps a file for a document in place of an earlier one. Throws `not_found`, `invalid_state` once the application is
   * decided, and as `FileStore.store` does.
   */
  async store(place: ActivationDocumentPlace, file: SentFile, by: By): Promise<void> {
    const { tenantId, activationId, documentNumber } = place;
    await this.files.store(file, {
      tenantId,
      owner: { activation_id: activationId, activation_document: documentNumber },
      uploadedBy: by.actor,
      allowed: async (trx) => requireUploadable(await findDocument(trx, place)),
      take: async (trx, keep) => {
        const row = await findDocument(trx, place, { lock: true });
        requireUploadable(row);
        const { id: fileId, size_bytes: sizeBytes } = await keep();
        await noteMerchant(trx, actOn(row, by), 'activation.document_file_uploaded', {
          activationId,
          documentNumber,
          fileId,
          sizeBytes,
        });
      },
    });
  }

  /** The file of a document: that it was read is in the audit log before the first byte leaves. Throws `not_found`. */
  async open(place: ActivationDocumentPlace, by: By): Promise<OpenedFile> {
    const { tenantId, activationId, documentNumber } = place;
    const file = await this.database.tenant(tenantId, async (trx) => {
      const row = await findDocument(trx, place);
      const found = (await filesOfActivation(trx, activationId)).find(
        ({ activation_document }) => activation_document === documentNumber,
      );
      if (!found) throw notFound('file');
      await noteMerchant(trx, actOn(row, by), 'activation.document_file_read', {
        activationId,
        documentNumber,
        fileId: found.id,
      });
      return found;
    });
    return this.files.open(file);
  }
}

/** The application that names the document. Throws `not_found`. */
async function findDocument(
  trx: Knex.Transaction,
  { activationId, documentNumber }: ActivationDocumentPlace,
  options: { lock?: boolean } = {},
): Promise<ActivationRow> {
  const row = await findActivation(trx, activationId, options);
  if (!row.documents[documentNumber - 1]) throw notFound('document');
  return row;
}

function requireUploadable({ status, decision }: ActivationRow): void {
  if (decision || !isOpenActivation(status))
    throw new DomainError('invalid_state', `An application that is ${decision ?? status} takes no documents`);
}

function actOn({ tenant_id, organization_id }: ActivationRow, by: By): MerchantAct {
  return { tenantId: tenant_id, organizationId: organization_id, ...by };
}
