import PDFDocument from 'pdfkit';
import type { PayoutStatement } from './statement';

const MARGIN = 56;
const LINE_HEIGHT = 22;

/** The statement as one page of PDF, as a stream. */
export function statementPdf({
  payout,
  seller,
  account,
  lines,
  unsettled,
  refunding,
}: PayoutStatement): NodeJS.ReadableStream {
  const { id, currency, number, period_from, period_to, status, created_at } = payout;
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    info: { Title: `Payout ${number}`, Author: seller, CreationDate: created_at },
  });
  const width = pdf.page.width - 2 * MARGIN;
  pdf.font('Helvetica-Bold').fontSize(18).text(`Payout ${number}`).moveDown(0.5);
  pdf.font('Helvetica').fontSize(10);
  const facts = [
    ['Seller', seller],
    ['Payout', id],
    ['Status', status],
    ['Period', `${period_from ? `${dayOf(period_from)} to ` : 'until '}${dayOf(period_to)}`],
    ...(account ? [['Account', `${account.iban}, ${account.holder}`]] : []),
  ];
  for (const [name, value] of facts) pdf.text(`${name}: ${value}`);
  pdf.moveDown();
  for (const { name, title, amount } of lines) {
    const isTotal = name === 'opening' || name === 'net' || name === 'closing';
    const y = pdf.y;
    pdf.font(isTotal ? 'Helvetica-Bold' : 'Helvetica');
    pdf.text(title, MARGIN, y, { width: width / 2 });
    pdf.text(`${amount} ${currency}`, MARGIN + width / 2, y, { width: width / 2, align: 'right' });
    pdf.y = y + LINE_HEIGHT;
  }
  pdf.font('Helvetica').fontSize(9);
  pdf.text(
    `Of the closing balance, ${unsettled} ${currency} is not settled yet and ${refunding} ${currency} is held for refunds.`,
    MARGIN,
  );
  pdf.end();
  return pdf;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
