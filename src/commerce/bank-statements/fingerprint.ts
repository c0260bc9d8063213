import { createHash } from 'node:crypto';
import { compactText, referencesIn } from '../../domain/creditor-reference';
import type { ParsedLine } from './parsed';

/** Banks cut texts and names at different places, by format. */
const TEXT = 60;
const NAME = 20;

/** All that a payer wrote, in one compact text. */
export function writtenIn({
  creditorReference = '',
  text,
  endToEnd = '',
}: Partial<ParsedLine> & { text: string }): string {
  return [creditorReference, text, endToEnd].map(compactText).join(' ');
}

/**
 * What stays the same when a bank tells of a line again, in another file or another format: day, direction, amount, and the
 * creditor's reference, else the beginnings of text and name. Lines that are alike in all of it are told apart by counting.
 */
export function fingerprintOf(line: ParsedLine): Buffer {
  const [reference] = referencesIn(writtenIn(line));
  const said =
    reference ?? `${compactText(line.text).slice(0, TEXT)}|${compactText(line.payerName ?? '').slice(0, NAME)}`;
  const fields = [line.direction, line.isReversal, line.bookedOn, line.amountMinor, said];
  return createHash('sha256').update(fields.join('|')).digest();
}
