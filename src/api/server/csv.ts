import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Answer } from './route';

/** How a cell begins that a spreadsheet would compute. A number with its sign is none. */
const FORMULA = /^(?!-?\d+(\.\d+)?$)[=+\-@\t\r]/;

/** Whether the caller asks for CSV rather than JSON. */
export function wantsCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept);
}

/** One column of a table: its heading, and what stands in it. */
export type Column<T> = readonly [heading: string, cell: (row: T) => unknown];

/**
 * Answers rows as CSV (RFC 4180) while they are read: never more of them in memory than the reader has yet to take.
 * Rejects when the first row cannot be read. A later failure cuts the answer off, so that half a table is not taken for
 * a whole one.
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
    columns: columns.map(([heading]) => heading),
    record_delimiter: 'windows',
    cast: {
      date: (value) => value.toISOString(),
      string: (value) => (FORMULA.test(value) ? `'${value}` : value),
    },
  });
  const cells = async function* () {
    try {
      for (let next = first; !next.done; next = await reading.next())
        yield columns.map(([, cell]) => cell(next.value as T) ?? '');
    } finally {
      // Also when the reader has left.
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
