import { formatAmount } from '../../../../domain/money';
import type { Charge } from '../../books';
import { MERCHANT } from './wire';

// A payer's app reads what it was shown, with a reader of its own: what our encoder gets wrong shows here.

/** What a scanned code asks the payer for. */
export interface ScannedCode {
  orderNumber: string;
  amount: string;
  /** ISO 4217, alphabetic or numeric as the code has it. */
  currency: string;
}

/** Reads a UPI link or an EMV merchant code of this processor; undefined for anything else. */
export function readCode(code: string): ScannedCode | undefined {
  return code.startsWith('upi:') ? readUpi(code) : readEmv(code);
}

/** Whether a code asks for what the charge is about. */
export function agrees({ amount, currency }: ScannedCode, charge: Charge, currencyNumber: string | undefined): boolean {
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
