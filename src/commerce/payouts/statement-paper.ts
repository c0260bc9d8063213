import { dayOf, type Paper } from '../../foundation/paper/paper';
import type { PayoutStatement } from './statement';

const STRONG = ['opening', 'net', 'closing'];

/** The statement as people print it. */
export function statementPaper({ payout, seller, account, lines, unsettled, refunding }: PayoutStatement): Paper {
  const { id, currency, number, period_from, period_to, status, created_at } = payout;
  return {
    title: `Payout ${number}`,
    createdAt: created_at,
    facts: [
      ['Seller', seller],
      ['Payout', id],
      ['Status', status],
      ['Period', `${period_from ? `${dayOf(period_from)} to ` : 'until '}${dayOf(period_to)}`],
      ...(account ? ([['Account', `${account.iban}, ${account.holder}`]] as const) : []),
    ],
    columns: [
      { heading: 'What', share: 1 },
      { heading: 'Amount', share: 1, end: true },
    ],
    rows: lines.map(({ name, title, amount }) => ({
      cells: [title, `${amount} ${currency}`],
      strong: STRONG.includes(name),
    })),
    note: `Of the closing balance, ${unsettled} ${currency} is not settled yet and ${refunding} ${currency} is held for refunds.`,
  };
}
