import { entriesOf, type PayoutStatement } from '../../commerce/payouts/statement';
import { statementPage } from '../../commerce/payouts/statement-page';
import { statementPaper } from '../../commerce/payouts/statement-paper';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { type Column, csvAnswer, wantsCsv } from '../server/csv';
import { PDF, pdfAnswer, wantsPdf } from '../server/pdf';
import type { Answer } from '../server/route';

export const STATEMENT_TYPES = ['text/csv', PDF, 'text/html'];

const COLUMNS = ['entryId', 'bookedAt', 'type', 'reference', 'amount', 'currency', 'balance'].map(
  (name): Column<Record<string, unknown>> => [name, (line) => line[name]],
);

/** The statement in the form that the caller prefers: CSV with every entry, PDF, a page, else JSON. */
export function statementAnswer(database: Database, statement: PayoutStatement, accept = ''): Answer | Promise<Answer> {
  const name = `payout-${statement.payout.id}`;
  if (wantsCsv(accept)) return csvAnswer(name, COLUMNS, csvLines(database, statement));
  if (wantsPdf(accept)) return pdfAnswer(name, statementPaper(statement));
  if (/\btext\/html\b/i.test(accept))
    return {
      status: 200,
      body: statementPage(statement),
      headers: { 'content-type': 'text/html; charset=utf-8', vary: 'accept' },
    };
  return { status: 200, body: shown(statement), headers: { vary: 'accept' } };
}

function shown({ payout, seller, account, lines, unsettled, refunding }: PayoutStatement): Record<string, unknown> {
  return {
    payoutId: payout.id,
    number: payout.number,
    seller,
    currency: payout.currency,
    status: payout.status,
    ...(payout.period_from && { from: payout.period_from }),
    to: payout.period_to,
    ...(account && { account }),
    lines,
    unsettled,
    refunding,
  };
}

/** Every entry with the balance after it, between the balances of the statement. */
async function* csvLines(database: Database, { payout }: PayoutStatement): AsyncGenerator<Record<string, unknown>> {
  const { currency, period_from, period_to } = payout;
  const amount = (minor: bigint) => formatAmount(minor, currency);
  let balance = payout.opening_minor;
  yield { bookedAt: period_from ?? undefined, type: 'opening_balance', currency, balance: amount(balance) };
  for await (const { id, at, type, reference, signedMinor } of entriesOf(database, payout)) {
    balance += signedMinor;
    yield {
      entryId: `${id}`,
      bookedAt: at,
      type: type.replace(/_minor$/, ''),
      reference,
      amount: amount(signedMinor),
      currency,
      balance: amount(balance),
    };
  }
  yield { bookedAt: period_to, type: 'closing_balance', currency, balance: amount(payout.closing_minor) };
}
