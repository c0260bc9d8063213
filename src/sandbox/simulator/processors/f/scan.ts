import Router from '@koa/router';
import type { Context } from 'koa';
import { currencyNumber } from '../../../../domain/currency-number';
import { readForm } from '../../body';
import type { Charge } from '../../books';
import type { Desk } from '../../personality';
import { agrees, readCode } from './codes';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Scan</title></head>
<body>
<main>
<h1>The payer's app</h1>
<form method="post">
<p><label for="code">What the code says (an EMV payload or a upi: link)</label></p>
<p><textarea id="code" name="code" rows="6" cols="40" required></textarea></p>
<p><button type="submit">Scan</button></p>
</form>
</main>
</body>
</html>
`;

/** The sandbox's scanning app, at `/f/scan`: reads what the payer was shown, and leads to the page on which they pay. */
export function scanRouter({ books, acquirer, challengeUrl }: Desk): Router {
  const router = new Router({ prefix: '/scan' });

  router.get('/', (ctx) => {
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', "default-src 'none'; form-action 'self'; base-uri 'none'");
    ctx.body = PAGE;
  });

  router.post('/', async (ctx) => {
    const { code = '' } = await readForm(ctx);
    const scanned = readCode(code.trim());
    if (!scanned) return say(ctx, 400, 'This is not a code of processor F.');
    const charge = chargeOf(scanned.orderNumber);
    if (!charge?.challenge) return say(ctx, 404, 'Nobody asks for this payment.');
    if (!agrees(scanned, charge, currencyNumber(charge.currency)))
      return say(ctx, 409, 'The code asks for another amount than the merchant did.');
    if (!acquirer.awaitsPayer(charge)) return say(ctx, 410, 'This payment does not wait for you any more.');
    ctx.status = 303;
    ctx.set('Location', challengeUrl(charge.challenge.id));
    ctx.body = '';
  });

  function chargeOf(orderNumber: string): Charge | undefined {
    for (const charge of books.all('charge'))
      if (charge.processor === 'f' && charge.details?.orderNumber === orderNumber) return charge;
    return undefined;
  }

  return router;
}

function say(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  ctx.type = 'text/plain';
  ctx.body = text;
}
