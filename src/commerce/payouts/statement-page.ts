import { escaped } from '../../domain/html';
import type { PayoutStatement } from './statement';

/** The statement as a page without scripts or styles: it reads and prints anywhere. */
export function statementPage({ payout, seller, account, lines, unsettled, refunding }: PayoutStatement): string {
  const { currency } = payout;
  const facts = [
    ['Seller', seller],
    ['Payout', payout.id],
    ['Status', payout.status],
    ...(payout.period_from ? [['From', payout.period_from.toISOString()]] : []),
    ['Until', payout.period_to.toISOString()],
    ...(account ? [['Account', `${account.iban}, ${account.holder}`]] : []),
  ];
  const rows = lines.map(
    ({ title, amount }) =>
      `<tr><th scope="row" align="left">${title}</th><td align="right">${amount} ${currency}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payout ${payout.number}</title></head><body><main><h1>Payout ${payout.number}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value!)}</dd>`).join('')}</dl>
<table><caption>Statement</caption>${rows.join('\n')}</table>
<p>Of the closing balance, ${unsettled} ${currency} is not settled yet and ${refunding} ${currency} is held for refunds.</p>
</main></body></html>
`;
}
