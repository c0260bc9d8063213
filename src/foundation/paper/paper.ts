import { Readable } from 'node:stream';
import { setImmediate as othersTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';

/** Free fonts with Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. A PDF has in it the letters that it shows. */
const PLAIN = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
const STRONG = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf');

const MARGIN = 42;
const TEXT_SIZE = 8;
const TITLE_SIZE = 17;
const ROW_GAP = 6;
const CELL_GAP = 8;
const LINE_COLOUR = '#999999';

export interface PaperColumn {
  heading: string;
  /** Its part of the width, against the other columns. */
  share: number;
  /** Amounts stand on the right. */
  end?: boolean;
}

export interface PaperRow {
  cells: readonly string[];
  /** A balance or a total. */
  strong?: boolean;
}

/** What people print: a title, facts, one table of any length, and a note. */
export interface Paper {
  title: string;
  createdAt: Date;
  facts: readonly (readonly [name: string, value: string])[];
  columns: readonly PaperColumn[];
  rows: Iterable<PaperRow> | AsyncIterable<PaperRow>;
  note?: string;
}

/** A paper as PDF on A4, written while its rows are read: a page at a time is in memory. It breaks off when a row cannot be read. */
export function printed(paper: Paper): Readable {
  return Readable.from(chunksOf(paper), { objectMode: false });
}

/** The day of an instant (UTC), as papers write it. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

async function* chunksOf(paper: Paper): AsyncGenerator<Buffer> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: PLAIN,
    lang: 'en',
    displayTitle: true,
    info: { Title: paper.title, CreationDate: paper.createdAt },
  });
  let pages = 0;
  const numberPage = () => {
    pages += 1;
    const { width, height } = pdf.page;
    pdf.font(PLAIN).fontSize(TEXT_SIZE);
    // In one piece: what is broken into lines below the margin begins another page.
    const x = width - MARGIN - pdf.widthOfString(`${pages}`);
    pdf.text(`${pages}`, x, height - MARGIN / 2, { lineBreak: false });
    pdf.x = MARGIN;
    pdf.y = MARGIN;
  };
  numberPage();
  pdf.on('pageAdded', numberPage);

  pdf.font(STRONG).fontSize(TITLE_SIZE).text(paper.title, MARGIN).moveDown(0.5);
  pdf.font(PLAIN).fontSize(TEXT_SIZE);
  for (const [name, value] of paper.facts) pdf.text(`${name}: ${value}`);
  pdf.moveDown();

  const table = new Table(pdf, paper.columns);
  table.drawHeadings();
  let sent = pages;
  for await (const row of paper.rows) {
    table.draw(row);
    if (pages === sent) continue;
    sent = pages;
    const finished: Buffer | null = pdf.read();
    if (finished) yield finished;
    await othersTurn();
  }
  if (paper.note) pdf.moveDown().font(PLAIN).fontSize(TEXT_SIZE).text(paper.note, MARGIN);
  pdf.end();
  for await (const rest of pdf) yield rest as Buffer;
}

class Table {
  private readonly places: { x: number; width: number; align: 'left' | 'right' }[] = [];
  private readonly width: number;

  constructor(
    private readonly pdf: PDFKit.PDFDocument,
    private readonly columns: readonly PaperColumn[],
  ) {
    this.width = pdf.page.width - 2 * MARGIN;
    const shares = columns.reduce((sum, { share }) => sum + share, 0);
    let x = MARGIN;
    for (const { share, end } of columns) {
      const width = (this.width * share) / shares;
      this.places.push({ x, width: width - CELL_GAP, align: end ? 'right' : 'left' });
      x += width;
    }
  }

  drawHeadings(): void {
    this.drawCells({ cells: this.columns.map(({ heading }) => heading), strong: true });
    const y = this.pdf.y - ROW_GAP / 2;
    this.pdf
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.width, y)
      .lineWidth(0.5)
      .stroke(LINE_COLOUR);
  }

  /** A row that no longer fits begins the next page, below the headings. */
  draw(row: PaperRow): void {
    if (this.pdf.y + this.heightOf(row) > this.pdf.page.maxY()) {
      this.pdf.addPage();
      this.drawHeadings();
    }
    this.drawCells(row);
  }

  private drawCells(row: PaperRow): void {
    const { y } = this.pdf;
    const height = this.heightOf(row);
    row.cells.forEach((cell, i) => {
      const { x, width, align } = this.places[i]!;
      this.pdf.text(cell, x, y, { width, align });
    });
    this.pdf.x = MARGIN;
    this.pdf.y = y + height + ROW_GAP;
  }

  private heightOf({ cells, strong }: PaperRow): number {
    this.pdf.font(strong ? STRONG : PLAIN).fontSize(TEXT_SIZE);
    return Math.max(...cells.map((cell, i) => this.pdf.heightOfString(cell, { width: this.places[i]!.width })));
  }
}
