import Router from '@koa/router';
import { currencyNumber } from '../../../../domain/currency-number';
import { formatAmount } from '../../../../domain/money';
import { Reader, show, showMessage } from '../../payer-pages/page';
import type { Words } from '../../payer-pages/words';
import type { Desk } from '../../personality';
import type { Charge } from '../../records';
import { readForm } from '../../request';
import { MERCHANT } from './wire';

const NAME = 'Processor F';

/** The sandbox's scanning app, at `/f/scan`: reads what the payer was shown, and leads to the page on which they pay. */
export function scanRouter({ books, payers, pageUrl }: Desk): Router {
  const router = new Router({ prefix: '/f/scan' });

  router.get('/', (ctx) => {
    const reader = new Reader(ctx);
    const { title, task, label, button } = reader.words.scan;
    show(ctx, reader, NAME, 200, { title, text: task, question: { name: 'code', label, button } });
  });

  router.post('/', async (ctx) => {
    const { code = '' } = await readForm(ctx);
    const refuse = (status: number, why: keyof Words['scan']) => {
      const reader = new Reader(ctx);
      show(ctx, reader, NAME, status, { title: reader.words.scan.title, text: reader.words.scan[why] });
    };
    const scanned = readCode(code.trim());
    if (!scanned) return refuse(400, 'noCode');
    const charge = chargeOf(scanned.orderNumber);
    if (!charge?.challenge) return refuse(404, 'noPayment');
    if (!agrees(scanned, charge, currencyNumber(charge.currency))) return refuse(409, 'otherAmount');
    if (!payers.awaits(charge)) return showMessage(ctx, NAME, 410, 'nothingToDo');
    ctx.status = 303;
    ctx.set('Location', pageUrl(charge.challenge.id));
    ctx.body = '';
  });

  function chargeOf(orderNumber: string): Charge | undefined {
    for (const charge of books.all('charge'))
      if (charge.processor === 'f' && charge.details?.orderNumber === orderNumber) return charge;
    return undefined;
  }

  return router;
}

// A payer's app reads what it was shown, with a reader of its own: what our encoder gets wrong shows here.

/** What a scanned code asks the payer for. */
interface ScannedCode {
  orderNumber: string;
  amount: string;
  /** ISO 4217, alphabetic or numeric as the code has it. */
  currency: string;
}

/** Reads a UPI link or an EMV merchant code of this processor; undefined for anything else. */
function readCode(code: string): ScannedCode | undefined {
  return code.startsWith('upi:') ? readUpi(code) : readEmv(code);
}

/** Whether a code asks for what the charge is about. */
function agrees({ amount, currency }: ScannedCode, charge: Charge, currencyNumber: string | undefined): boolean {
  const isCurrency = currency === charge.currency || currency === currencyNumber;
  return isCurrency && amount === formatAmount(charge.amountMinor, charge.currency);
}

function readUpi(code: string): ScannedCode | undefined {
  if (!URL.canParse(code)) return undefined;
  const { searchParams: parameters } = new URL(code);
  const [orderNumber, amount, currency] = ['tr', 'am', 'cu'].map((name) => parameters.get(name));
  return orderNumber && amount && currency ? { orderNumber, amount, currency } : undefined;
}

function readEmv(code: string): ScannedCode | undefined {
  if (!code.startsWith('000201') || residue(Buffer.from(code.slice(0, -4))) !== Number.parseInt(code.slice(-4), 16))
    return undefined;
  const fields = tagged(code);
  const account = tagged(fields['26'] ?? '');
  const orderNumber = tagged(fields['62'] ?? '')['05'];
  const { '53': currency, '54': amount } = fields;
  if (account['00'] !== MERCHANT.guid || account['01'] !== MERCHANT.merchantId) return undefined;
  return orderNumber && amount && currency ? { orderNumber, amount, currency } : undefined;
}

function tagged(text: string): Record<string, string> {
  const found = /^(\d\d)(\d\d)/.exec(text);
  if (!found) return {};
  const end = 4 + Number(found[2]);
  return { [found[1]!]: text.slice(4, end), ...tagged(text.slice(end)) };
}

/** CRC-16/IBM-3740 by bits of a long division: x^16 + x^12 + x^5 + 1, beginning with ones. */
function residue(bytes: Buffer): number {
  let register = 0xffff;
  for (const byte of bytes)
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      const carry = ((register & 0x8000) !== 0) !== ((byte & mask) !== 0);
      register = (register << 1) & 0xffff;
      if (carry) register ^= 0x1021;
    }
  return register;
}
