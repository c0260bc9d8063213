import type { CsvMapping } from './account';
import { readCamt } from './camt';
import { readCsv } from './csv';
import { readMt940 } from './mt940';
import { type Part, refuseStatement } from './parsed';

/** Bytes that are enough to tell a format by. */
const HEAD = 1_024;

/** The account that a file without balances is of, with its mapping. */
export interface CsvAccount {
  mapping: CsvMapping;
  currency: string;
}

/**
 * Reads a file of statements as it comes, whatever its format; the content says which. `csv`: the account that the caller names,
 * where it has a mapping. Throws `statement_refused`.
 */
export async function* readStatements(bytes: AsyncIterable<Buffer>, csv?: CsvAccount): AsyncGenerator<Part> {
  const { head, all } = await withHead(bytes);
  const start = head.toString('latin1').replace(/^ï»¿/, '').trimStart();
  if (start.startsWith('<')) yield* readCamt(decoded(all, encodingOf(start)));
  else if (/^(\{1:|:20:)/.test(start) || /^:20:/m.test(start)) yield* readMt940(decoded(all, 'utf-8', 'windows-1252'));
  else if (csv) yield* readCsv(decoded(all, csv.mapping.encoding ?? 'utf-8'), csv);
  else
    refuseStatement(
      'The file is no camt.053, camt.054 or MT940. For CSV, name by accountId an account that has a mapping for CSV',
    );
}

async function withHead(bytes: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const reading = bytes[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let length = 0;
  while (length < HEAD) {
    const { value, done } = await reading.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* all() {
    yield* first;
    for (let next = await reading.next(); !next.done; next = await reading.next()) yield next.value;
  }
  return { head: Buffer.concat(first).subarray(0, HEAD), all: all() };
}

const ENCODINGS: Record<string, string> = {
  'utf-8': 'utf-8',
  'iso-8859-1': 'windows-1252',
  'us-ascii': 'windows-1252',
  'windows-1252': 'windows-1252',
};

function encodingOf(xml: string): string {
  const [, named = 'utf-8'] = /^<\?xml[^>]*?encoding=["']([^"']+)["']/i.exec(xml) ?? [];
  return ENCODINGS[named.toLowerCase()] ?? refuseStatement('The file is in a character encoding that is not read here');
}

/** Text of bytes. `otherwise`: the encoding of what is not in the first. Throws `statement_refused`. */
async function* decoded(bytes: AsyncIterable<Buffer>, encoding: string, otherwise?: string): AsyncGenerator<string> {
  let decoder = new TextDecoder(encoding, { fatal: true });
  let canChange = otherwise !== undefined;
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      if (!canChange || !chunk)
        return refuseStatement('The file is not in the character encoding that it should be in');
      canChange = false;
      decoder = new TextDecoder(otherwise);
      return decoder.decode(chunk, { stream: true });
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}
