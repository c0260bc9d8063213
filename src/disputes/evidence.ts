import type { Knex } from 'knex';
import { Keyring } from '../vault/keyring';

/** Types of document that processors take. */
export const DOCUMENT_TYPES = ['application/pdf', 'image/png', 'image/jpeg'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** A merchant's case. Names the payer, so it is stored encrypted. */
export interface Evidence {
  text: string;
  documents: { name: string; contentType: DocumentType; content: Buffer }[];
}

const BEGINNINGS: Record<DocumentType, Buffer> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'image/jpeg': Buffer.from('ffd8ff', 'hex'),
};

/** True when the content begins as a document of that type does. */
export function isOfType(contentType: DocumentType, content: Buffer): boolean {
  return content.subarray(0, BEGINNINGS[contentType].length).equals(BEGINNINGS[contentType]);
}

/** Seals evidence under VAULT_KEYS and opens it again, for the one call that sends it. */
export class EvidenceSeal {
  private readonly keys: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: string) {
    this.keys = new Keyring(setting, 'dispute-evidence');
  }

  seal(evidenceId: string, { text, documents }: Evidence): Buffer {
    const plain = documents.map(({ content, ...rest }) => ({ ...rest, content: content.toString('base64') }));
    return this.keys.seal(Buffer.from(JSON.stringify({ text, documents: plain })), evidenceId);
  }

  /** Throws when the key is gone or the bytes belong to other evidence. */
  open(evidenceId: string, sealed: Buffer): Evidence {
    const { text, documents } = JSON.parse(this.keys.open(sealed, evidenceId).toString());
    return {
      text,
      documents: documents.map((document: { name: string; contentType: DocumentType; content: string }) => ({
        ...document,
        content: Buffer.from(document.content, 'base64'),
      })),
    };
  }

  /** Seals up to `limit` pieces of evidence anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit = 20): Promise<number> {
    const mark = this.keys.currentMark;
    return system.transaction(async (trx) => {
      const rows = await trx('dispute_evidence')
        .whereRaw('substring(sealed FOR ?) <> ?', [mark.length, mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', 'sealed');
      for (const row of rows)
        await trx('dispute_evidence')
          .where({ id: row.id })
          .update({ sealed: this.keys.seal(this.keys.open(row.sealed, row.id), row.id) });
      return rows.length;
    });
  }
}
