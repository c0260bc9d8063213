import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { CsvMapping, DATE_FORMS, DateForm } from './account';
import { dayOf, kept, keptOrNothing, minorOf, type ParsedLine, type Part, refuseStatement } from './parsed';

type Row = Record<string, string>;

/** Longer than any line of a bank. */
const MOST_RECORD = 20_000;

/**
 * Reads a bank's CSV file as it comes, by the mapping of the account. Such a file states no balances. Throws
 * `statement_refused` where a column that the mapping names is not there, or a value cannot be read.
 */
export async function* readCsv(
  texts: AsyncIterable<string>,
  { mapping, currency }: { mapping: CsvMapping; currency: string },
): AsyncGenerator<Part> {
  const { delimiter, skipLines = 0 } = mapping;
  const rows = Readable.from(texts).pipe(
    parse({
      bom: true,
      delimiter,
      from_line: skipLines + 1,
      columns: (names: string[]) => names.map((name) => name.trim()),
      max_record_size: MOST_RECORD,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }),
  );
  let begun = false;
  try {
    for await (const row of rows as AsyncIterable<Row>) {
      if (!begun) {
        requireColumns(row, mapping);
        yield { kind: 'begins', format: 'csv' };
      }
      begun = true;
      const line = lineOf(row, mapping, currency);
      if (line) yield { kind: 'line', line };
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && `${error.code}`.startsWith('CSV_'))
      refuseStatement('The file is no CSV as the mapping of the account describes it');
    throw error;
  }
  if (!begun) refuseStatement('The file has no lines in it');
  yield { kind: 'ends' };
}

function requireColumns(row: Row, { columns }: CsvMapping): void {
  const missing = Object.entries(columns).filter(([, name]) => name !== undefined && !(name in row));
  if (missing.length > 0)
    refuseStatement(`The file has no column for ${missing.map(([what]) => what).join(', ')} as the mapping names it`);
}

/** Undefined for a line that moves nothing. */
function lineOf(row: Row, mapping: CsvMapping, currency: string): ParsedLine | undefined {
  const { columns } = mapping;
  const of = (name: string | undefined) => (name === undefined ? undefined : row[name]?.trim() || undefined);
  const stated = of(columns.currency)?.toUpperCase() ?? currency;
  const amount = amountOf(row, mapping, stated);
  if (!amount) return undefined;
  return {
    ...amount,
    currency: stated,
    isReversal: false,
    bookedOn: dateIn(of(columns.date) ?? '', mapping.dateForm),
    bankReference: keptOrNothing(of(columns.id)),
    text: kept(of(columns.text) ?? ''),
    creditorReference: keptOrNothing(of(columns.creditorReference)),
    payerName: keptOrNothing(of(columns.payerName)),
    payerIban: of(columns.payerIban)?.replace(/\s+/g, '').toUpperCase(),
  };
}

/** One signed column, or one for each direction. */
function amountOf(
  row: Row,
  { columns, decimal }: CsvMapping,
  currency: string,
): Pick<ParsedLine, 'direction' | 'amountMinor'> | undefined {
  const read = (name: string | undefined) => {
    const text = (name && row[name]?.trim()) || '';
    const [, sign, digits] = /^([+-]?)(.*)$/.exec(text.replace(/[\s'’]/g, ''))!;
    const plain =
      decimal === ','
        ? digits!.replace(/\.(?=\d{3}(\D|$))/g, '').replace(',', '.')
        : digits!.replace(/,(?=\d{3}(\D|$))/g, '');
    return text === '' ? undefined : { isNegative: sign === '-', minor: minorOf(plain, currency) };
  };
  const amount = read(columns.amount);
  const credit = read(columns.credit);
  const debit = read(columns.debit);
  if (amount?.minor) return { direction: amount.isNegative ? 'debit' : 'credit', amountMinor: amount.minor };
  if (credit?.minor) return { direction: 'credit', amountMinor: credit.minor };
  return debit?.minor ? { direction: 'debit', amountMinor: debit.minor } : undefined;
}

const ORDER: Record<DateForm, RegExp> = {
  'YYYY-MM-DD': /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})/,
  'DD.MM.YYYY': /^(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})/,
  'DD/MM/YYYY': /^(?<day>\d{2})\/(?<month>\d{2})\/(?<year>\d{4})/,
  'MM/DD/YYYY': /^(?<month>\d{2})\/(?<day>\d{2})\/(?<year>\d{4})/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})/,
} satisfies Record<(typeof DATE_FORMS)[number], RegExp>;

function dateIn(text: string, form: DateForm): string {
  const { year = '', month = '', day = '' } = ORDER[form].exec(text)?.groups ?? {};
  return dayOf(year, month, day);
}
