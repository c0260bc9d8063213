import type { Knex } from 'knex';
import type { DocumentType } from '../../domain/document-type';
import { Keyring } from '../../foundation/vault/keyring';

/** A merchant's case. Names the payer, so it is stored encrypted. */
export interface Evidence {
  text: string;
  documents: { name: string; contentType: DocumentType; content: Buffer }[];
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
