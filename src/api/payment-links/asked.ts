import type { Asked } from '../../commerce/payment-links/create';
import type { LinkLine } from '../../commerce/payment-links/payment-link';
import { refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { LineBody, PaymentLinkBody } from './schema';

/** What a validated body asks buyers for. Throws `invalid_request` for a span that ends before it begins. */
export function askedOf({ orderId, lines, amount, currency = '' }: PaymentLinkBody): Asked {
  if (orderId) return { orderId };
  if (lines) return { currency, lines: lines.map((line) => lineOf(line, currency)) };
  if (typeof amount === 'string') {
    const minor = parseAmount(amount, currency);
    return { currency, minMinor: minor, maxMinor: minor };
  }
  const minMinor = parseAmount(amount!.min, currency);
  const maxMinor = parseAmount(amount!.max, currency);
  if (maxMinor < minMinor) refuse('amount.max', 'must not be less than amount.min');
  return { currency, minMinor, maxMinor };
}

function lineOf(line: LineBody, currency: string): LinkLine {
  if ('itemId' in line) return line;
  const { description, amount, quantity } = line;
  return { description, quantity, unitMinor: `${parseAmount(amount, currency)}` };
}
