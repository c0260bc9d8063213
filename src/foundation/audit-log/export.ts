import { AwsClient } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import type { Knex } from 'knex';
import type { Config } from '../config/config';

export type AuditExportSettings = NonNullable<Config['auditExport']>;

/** Seals of one object at most. */
const MOST_SEALS = 100;
const TIMEOUT_MS = 10_000;

interface SealRow {
  seal: bigint;
  previous: Buffer;
  hash: Buffer;
  sealed_at: Date;
  lines: string[];
}

/** An object of the copy: it ends with this seal. */
export interface ExportedSeal {
  object: string;
  seal: bigint;
  /** Hexadecimal. */
  hash: string;
}

/**
 * The copy of the audit log on another machine, in a store that speaks the S3 API. Each object has some seals with their
 * lines, one seal as JSON per line; its name ends with its last seal and that seal's hash. The store should let our key
 * write new objects and list them, and neither change nor remove one (object lock).
 */
export class AuditExport {
  private readonly store: AwsClient;

  constructor(private readonly settings: AuditExportSettings) {
    const { region, accessKeyId, secretAccessKey } = settings;
    this.store = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  }

  /**
   * Sends what is sealed and not sent yet. Answers whether more may wait. A repeat after a crash writes the same seals
   * once more, which does no harm. Rejects when the store does not take it.
   */
  async send(system: Knex): Promise<boolean> {
    const { rows }: { rows: SealRow[] } = await system.raw(
      `SELECT s.seal, s.previous, s.hash, s.sealed_at, array(SELECT audit_line_text(l) FROM unnest(s.line_ids)
          WITH ORDINALITY i (id, place) JOIN audit_log l ON l.id = i.id ORDER BY i.place) AS lines
       FROM audit_seals s WHERE s.seal > (SELECT coalesce(max(through_seal), 0) FROM audit_exports)
       ORDER BY s.seal LIMIT ?`,
      [MOST_SEALS],
    );
    const last = rows.at(-1);
    if (!last) return false;
    const object = `${this.settings.prefix}${String(last.seal).padStart(16, '0')}-${last.hash.toString('hex')}.jsonl`;
    const body = rows.map((row) => `${JSON.stringify(present(row))}\n`).join('');
    await this.ask(object, { method: 'PUT', body, headers: { 'content-type': 'application/x-ndjson' } });
    await system('audit_exports').insert({ through_seal: last.seal, object }).onConflict('through_seal').ignore();
    return rows.length === MOST_SEALS;
  }

  /** Every object of the copy, oldest first. */
  async *list(): AsyncGenerator<ExportedSeal> {
    let after = '';
    for (;;) {
      const query = new URLSearchParams({ 'list-type': '2', prefix: this.settings.prefix, 'start-after': after });
      const answer = await this.ask(`?${query}`, { method: 'GET' });
      const { ListBucketResult: page } = XML.parse(await answer.text());
      for (const { Key: object } of page.Contents ?? []) {
        const [, seal, hash] = NAME.exec(object) ?? [];
        if (seal && hash) yield { object, seal: BigInt(seal), hash };
        after = object;
      }
      if (page.IsTruncated !== 'true') return;
    }
  }

  private async ask(path: string, init: RequestInit): Promise<Response> {
    const url = `${this.settings.bucketUrl.replace(/\/$/, '')}/${path}`;
    const answer = await this.store.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    throw new Error(`the store of the audit log's copy answered ${answer.status}`);
  }
}

const NAME = /(\d{16})-([0-9a-f]{64})\.jsonl$/;
const XML = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Contents' });

const present = ({ seal, previous, hash, sealed_at, lines }: SealRow) => ({
  seal: Number(seal),
  previous: previous.toString('hex'),
  hash: hash.toString('hex'),
  sealedAt: sealed_at,
  lines,
});
