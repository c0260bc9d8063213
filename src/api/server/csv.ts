import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Answer } from './route';

/** The beginning of a cell that a spreadsheet would run as a formula. A signed number is not a formula. */
const FORMULA = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r]/;

/** Whether the caller prefers CSV to JSON. */
export function wantsCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept);
}

/** One column of a table: its heading, and the value in each row. */
export type Column<T> = readonly [heading: string, cell: (row: T) => unknown];

/**
 * Answers rows as CSV (RFC 4180) while it reads them, so that few rows are in memory. Rejects if the first row cannot be
 * read. A later failure breaks the connection, so that nobody takes half a table for a whole one.
 */
export async function csvAnswer<T>(
  name: string,
  columns: readonly Column<T>[],
  rows: AsyncIterable<T>,
): Promise<Answer> {
  const reading = rows[Symbol.asyncIterator]();
  const first = await reading.next();
  const table = stringify({
    header: true,
    // Excel takes a file without it for one in the code page of the computer: names would be garbled. It is also what
    // tells apart UTF-8 where nobody reads the headers of HTTP, that is in every saved file.
    bom: true,
    columns: columns.map(([heading]) => heading),
    record_delimiter: 'windows',
    cast: {
      boolean: String,
      date: (value) => value.toISOString(),
      string: (value) => (FORMULA.test(value) ? `'${value}` : value),
    },
  });
  const cells = async function* () {
    try {
      for (let next = first; !next.done; next = await reading.next())
        yield columns.map(([, cell]) => cell(next.value as T) ?? '');
    } finally {
      // Runs also when the reader has left.
      await reading.return?.();
    }
  };
  pipeline(Readable.from(cells()), table, () => undefined);
  return {
    status: 200,
    body: table,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
      vary: 'accept',
    },
  };
}
