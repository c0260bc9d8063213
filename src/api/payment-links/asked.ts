import type { Asked } from '../../commerce/payment-links/create';
import type { LinkLine } from '../../commerce/payment-links/payment-link';
import { refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { LineBody, PaymentLinkBody } from './schema';

/** What a validated body asks buyers for. Throws `invalid_request` for an amount with the wrong decimals, naming it. */
export function askedOf({ orderId, lines, amount, currency = '' }: PaymentLinkBody): Asked {
  if (orderId) return { orderId };
  if (lines) return { currency, lines: lines.map((line, index) => lineOf(line, currency, index)) };
  if (typeof amount === 'string') {
    const minor = minorOf(amount, currency, 'amount');
    return { currency, minMinor: minor, maxMinor: minor };
  }
  const minMinor = minorOf(amount!.min, currency, 'amount.min');
  const maxMinor = minorOf(amount!.max, currency, 'amount.max');
  if (maxMinor < minMinor) refuse('amount.max', 'must not be less than amount.min');
  return { currency, minMinor, maxMinor };
}

function lineOf(line: LineBody, currency: string, index: number): LinkLine {
  if ('itemId' in line) return line;
  const { description, amount, quantity } = line;
  return { description, quantity, unitMinor: `${minorOf(amount, currency, `lines[${index}].amount`)}` };
}

/** The currency stands beside the lines, where the schema of one amount does not see it. */
function minorOf(amount: string, currency: string, field: string): bigint {
  try {
    return parseAmount(amount, currency);
  } catch (error) {
    return refuse(field, (error as Error).message);
  }
}
