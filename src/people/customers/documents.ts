import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { CustomerStatus } from '../../domain/states/customer';
import type { DocumentStatus } from '../../domain/states/document';
import type { DocumentKeys } from '../../foundation/vault/document-keys';
import { openWith, sealWith } from '../../foundation/vault/keyring';
import { wakeKyc } from './kyc-wake';

/** An element of `person.documents` as the service description has it. */
export interface DocumentRecord {
  purpose?: string;
  name?: string;
  documentType?: string;
  location?: string;
  verificationResponse?: string;
  status?: string;
  metadata?: { name?: string; type?: string; value?: string }[];
}

/** What the caller says about a document; the rest of the record is ours. */
export type DocumentContent = Omit<DocumentRecord, 'status' | 'verificationResponse'>;

/** One row of `customer_documents`. */
export interface DocumentRow {
  id: string;
  customer_id: string;
  tenant_id: string;
  position: number;
  purpose: string | null;
  document_type: string | null;
  content_sealed: Buffer;
  content_key: Buffer;
  status: DocumentStatus;
  verification_response: string;
  expires_at: Date | null;
  reminded_at: Date | null;
  reviewed_by: string | null;
  changed_at: Date;
  created_at: Date;
  withdrawn_at: Date | null;
}

/** The customer whose documents these are. */
export interface DocumentOwner {
  id: string;
  tenant_id: string;
  status: CustomerStatus;
}

/** What a document's reviewer has to say before there was one. */
export const NOT_REVIEWED = 'Awaiting review';

/** The documents of customers' records: what the caller says of each lies sealed, what the review says in columns. */
export class Documents {
  constructor(private readonly keys: DocumentKeys) {}

  /** Writes down the documents of new customers, in as few statements as there can be. */
  async add(trx: Knex.Transaction, customers: { owner: DocumentOwner; documents: DocumentRecord[] }[]): Promise<void> {
    const rows = customers.flatMap(({ owner, documents }) =>
      documents.map((document, position) => this.newRow(owner, contentOf(document), position)),
    );
    if (rows.length > 0) await trx.batchInsert('customer_documents', rows, 500);
    const begun = customers.map(({ owner }) => owner).filter(({ status }) => status !== 'new');
    await wakeKyc(trx, begun);
  }

  /**
   * Brings the documents of a customer in line with those of its record. One that came again unchanged keeps its id, its
   * file and what was found about it; any other is new and to be reviewed. One that is gone is kept aside until erasure.
   */
  async sync(trx: Knex.Transaction, owner: DocumentOwner, documents: DocumentRecord[]): Promise<void> {
    const known = (await this.of(trx, [owner.id])).map((row) => ({ row, text: canonical(this.contentOf(row)) }));
    const added: DocumentRow[] = [];
    for (const [position, document] of documents.entries()) {
      const content = contentOf(document);
      const place = known.findIndex(({ text }) => text === canonical(content));
      const [same] = place < 0 ? [] : known.splice(place, 1);
      if (!same) added.push(this.newRow(owner, content, position));
      else if (same.row.position !== position)
        await trx('customer_documents').where({ id: same.row.id }).update({ position });
    }
    const gone = known.map(({ row }) => row.id);
    if (gone.length > 0)
      await trx('customer_documents')
        .whereIn('id', gone)
        .update({ withdrawn_at: trx.fn.now(), changed_at: trx.raw('clock_timestamp()') });
    if (added.length > 0) await trx('customer_documents').insert(added);
    if (owner.status !== 'new' && gone.length + added.length > 0) await wakeKyc(trx, [owner]);
  }

  /** The rows of documents that are in their customers' records, in the records' order. */
  of(trx: Knex.Transaction, customerIds: string[]): Promise<DocumentRow[]> {
    return trx('customer_documents').whereIn('customer_id', customerIds).whereNull('withdrawn_at').orderBy('position');
  }

  /** `person.documents` of each of these customers as it is shown; a customer without documents is not in the map. */
  async present(trx: Knex.Transaction, customerIds: string[]): Promise<Map<string, DocumentRecord[]>> {
    const shown = new Map<string, DocumentRecord[]>();
    for (const row of await this.of(trx, customerIds)) {
      const list = shown.get(row.customer_id) ?? [];
      shown.set(row.customer_id, [...list, this.presentOne(row)]);
    }
    return shown;
  }

  /** One document as the record shows it. */
  presentOne(row: DocumentRow): DocumentRecord {
    return {
      ...this.contentOf(row),
      status: row.status,
      verificationResponse: row.verification_response,
    };
  }

  contentOf({ id, content_key, content_sealed }: DocumentRow): DocumentContent {
    return JSON.parse(openWith(this.keys.open(id, content_key), content_sealed, id).toString());
  }

  /** Erases the documents of a customer and their files, withdrawn ones too. */
  async erase(trx: Knex.Transaction, customerId: string): Promise<void> {
    const ids = trx('customer_documents').where({ customer_id: customerId }).select('id');
    await trx('files').whereIn('document_id', ids).delete();
    await trx('customer_documents').where({ customer_id: customerId }).delete();
    // The flow finds the customer gone, and ends.
    await trx('customer_verifications').where({ customer_id: customerId }).update({ look_at: trx.fn.now() });
  }

  private newRow(owner: DocumentOwner, content: DocumentContent, position: number): DocumentRow {
    const id = newId('document');
    const { key, wrapped } = this.keys.create(id);
    const now = new Date();
    return {
      id,
      customer_id: owner.id,
      tenant_id: owner.tenant_id,
      position,
      purpose: content.purpose ?? null,
      document_type: content.documentType ?? null,
      content_sealed: sealWith(key, Buffer.from(JSON.stringify(content)), id),
      content_key: wrapped,
      status: 'underverification',
      verification_response: NOT_REVIEWED,
      expires_at: null,
      reminded_at: null,
      reviewed_by: null,
      changed_at: now,
      created_at: now,
      withdrawn_at: null,
    };
  }
}

function contentOf({ status: _status, verificationResponse: _response, ...content }: DocumentRecord): DocumentContent {
  return content;
}

/** JSON with sorted member names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
