import type { Knex } from 'knex';
import type { DocumentType } from '../../domain/document-type';
import type { Keys } from '../../foundation/config/key-source';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';

/** A merchant's case. Names the payer, so it is stored encrypted. */
export interface Evidence {
  text: string;
  documents: { name: string; contentType: DocumentType; content: Buffer }[];
}

/** Seals evidence under VAULT_KEYS and opens it again, for the one call that sends it. */
export class EvidenceSeal {
  private readonly keys: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: Keys) {
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
  reseal(system: Knex, limit = 20): Promise<number> {
    return reseal(system, this.keys, { table: 'dispute_evidence', column: 'sealed' }, limit);
  }
}
