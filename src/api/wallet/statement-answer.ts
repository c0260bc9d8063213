import { Readable } from 'node:stream';
import { formatAmount } from '../../domain/money';
import { dayOf, type PaperRow } from '../../foundation/paper/paper';
import type { Statement } from '../../money/ledger/statement';
import type { EntryType, Position, WalletEntry } from '../../money/ledger/wallet-entries';
import { encodeCursor } from '../server/conventions';
import { type Column, csvAnswer } from '../server/csv';
import { pdfAnswer } from '../server/pdf';
import type { Answer } from '../server/route';

export interface StatementQuery {
  currency: string;
  from?: string;
  to?: string;
  type?: EntryType;
  direction?: 'credit' | 'debit';
  limit?: number;
  cursor?: string;
}

/** How much is written at a time. Fewer, larger pieces are sent faster. */
const CHUNK_LENGTH = 16_384;
const PAPER_COLUMNS = [
  { heading: 'Booked (UTC)', share: 18 },
  { heading: 'What', share: 15 },
  { heading: 'Reference', share: 33 },
  { heading: 'Amount', share: 17, end: true },
  { heading: 'Balance', share: 17, end: true },
];
const CSV_COLUMNS = ['entryId', 'bookedAt', 'type', 'reference', 'amount', 'currency', 'balance'].map(
  (name): Column<Record<string, unknown>> => [name, (line) => line[name]],
);

/** Writes a statement to the caller entry by entry, so that it is never whole in memory. */
export class StatementAnswer {
  /** Set when all entries are written. */
  private nextCursor: string | null = null;
  private closingMinor: bigint;

  /** `statement` has one entry more than the query's `limit`: that entry tells whether there is another page. */
  constructor(
    private readonly statement: Statement,
    private readonly customerId: string,
    private readonly query: StatementQuery,
  ) {
    this.closingMinor = statement.closingMinor;
  }

  json(): Answer {
    return {
      status: 200,
      body: Readable.from(inChunks(this.jsonPieces())),
      headers: { 'content-type': 'application/json; charset=utf-8', vary: 'accept' },
    };
  }

  csv(): Promise<Answer> {
    return csvAnswer(this.name, CSV_COLUMNS, this.csvLines());
  }

  pdf(): Answer {
    const { currency, from, to, type, direction } = this.query;
    const only = [type, direction].filter(Boolean).join(', ');
    return pdfAnswer(this.name, {
      title: `Statement of a wallet in ${currency}`,
      createdAt: new Date(),
      facts: [
        ['Customer', this.customerId],
        ['From', from ? momentOf(new Date(from)) : 'the first entry'],
        ['Until', to ? momentOf(new Date(to)) : 'now'],
        ...(only ? ([['Only', only]] as const) : []),
      ],
      columns: PAPER_COLUMNS,
      rows: this.paperRows(),
    });
  }

  private get name(): string {
    return `statement-${this.customerId}-${this.query.currency}`;
  }

  private async *paperRows(): AsyncGenerator<PaperRow> {
    yield { cells: ['', 'Opening', '', '', this.opening], strong: true };
    for await (const { bookedAt, type, reference, amount, balance = '' } of this.entries())
      yield { cells: [momentOf(bookedAt), type, reference, amount, balance] };
    yield { cells: ['', 'Closing', '', '', this.shown(this.closingMinor)], strong: true };
  }

  private async *jsonPieces(): AsyncGenerator<string> {
    const { currency, from, to } = this.query;
    const head = { customerId: this.customerId, currency, from, to, openingBalance: this.opening };
    yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
    let separator = '';
    for await (const entry of this.entries()) {
      yield separator + JSON.stringify(entry);
      separator = ',';
    }
    yield `],"closingBalance":"${this.shown(this.closingMinor)}","nextCursor":${JSON.stringify(this.nextCursor)}}`;
  }

  private async *csvLines(): AsyncGenerator<Record<string, unknown>> {
    const { currency, from, to } = this.query;
    yield { bookedAt: from, type: 'opening_balance', currency, balance: this.opening };
    for await (const entry of this.entries()) yield { ...entry, currency };
    yield { bookedAt: to, type: 'closing_balance', currency, balance: this.shown(this.closingMinor) };
  }

  private async *entries() {
    const { type, direction, limit = Number.POSITIVE_INFINITY } = this.query;
    const whole = type === undefined && direction === undefined;
    let balance = this.statement.openingMinor;
    let last: WalletEntry | undefined;
    let written = 0;
    for await (const entry of this.statement.entries()) {
      if (written === limit) {
        this.nextCursor = cursorOf(last!);
        this.closingMinor = await this.statement.balanceAfter(last!);
        return;
      }
      balance += entry.signedMinor;
      yield {
        entryId: `${entry.id}`,
        bookedAt: entry.at,
        type: entry.type,
        reference: entry.reference,
        amount: this.shown(entry.signedMinor),
        // There may be other entries between the chosen ones.
        ...(whole && { balance: this.shown(balance) }),
      };
      last = entry;
      written += 1;
    }
  }

  private get opening(): string {
    return this.shown(this.statement.openingMinor);
  }

  private shown(amountMinor: bigint): string {
    return formatAmount(amountMinor, this.query.currency);
  }
}

function momentOf(at: Date): string {
  return `${dayOf(at)} ${at.toISOString().slice(11, 16)}`;
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function cursorOf({ at, id }: Position): string {
  return encodeCursor(`${at.getTime()}.${id}`);
}

/** The entry after which the page starts. A cursor of another list means the beginning. */
export function positionIn(cursor: string): Position {
  const [, at, id] = /^(\d{1,15})\.(\d{1,18})$/.exec(cursor) ?? [undefined, '0', '0'];
  return { at: new Date(Number(at)), id: BigInt(id!) };
}
