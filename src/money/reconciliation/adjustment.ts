import { type CauseStep, causeOf, type LedgerCause } from '../ledger/causes';
import type { AccountRef, Movement } from '../ledger/ledger';
import { posted } from '../ledger/movements';
import type { DifferenceRow, Resolution } from './differences';

/**
 * Who bears what differs: nobody knows yet (`suspense`), the tenant, or the processor, which is to make good what it
 * did wrong.
 */
function counterOf(resolution: Resolution, { processor }: DifferenceRow, tenantId: string): AccountRef {
  switch (resolution) {
    case 'book':
      return { kind: 'suspense', owner: processor };
    case 'write_off':
      return { kind: 'tenant', owner: tenantId };
    case 'provider_corrects':
      return { kind: 'provider_receivable', owner: processor };
  }
}

/**
 * The entries that make our books say what happened, by the kind of difference. Pure. Lines reached the bank as the report
 * says; a movement in no report never did.
 */
export function adjustmentFor(difference: DifferenceRow, resolution: Resolution, tenantId: string): Movement[] {
  const { processor } = difference;
  const bank: AccountRef = { kind: 'bank_clearing', owner: processor };
  const receivable: AccountRef = { kind: 'provider_receivable', owner: processor };
  const fees: AccountRef = { kind: 'provider_fee', owner: processor };
  const counter = counterOf(resolution, difference, tenantId);
  const reported = difference.reported_minor ?? 0n;
  const expected = difference.expected_minor ?? 0n;
  const incoming = difference.line_kind === 'capture' || difference.line_kind === 'chargeback_reversal';
  const sign = incoming ? 1n : -1n;
  const move = (from: AccountRef, to: AccountRef, amountMinor: bigint, part: CauseStep<'adjustment'> = '') =>
    transfer(from, to, amountMinor, causeOf('adjustment', difference.id, part));
  switch (difference.kind) {
    case 'missing_here':
      return [...move(counter, bank, sign * reported), ...move(bank, fees, difference.fee_minor, 'fee')];
    case 'missing_there':
      return move(receivable, counter, sign * expected);
    case 'different_amount':
      return [
        ...move(receivable, bank, sign * reported),
        ...move(receivable, counter, sign * (expected - reported), 'rest'),
        ...move(bank, fees, difference.fee_minor, 'fee'),
      ];
    case 'different_fee':
      // The fee is booked as it was taken. Whoever accepts it moves nothing.
      return resolution === 'book' ? [] : move(fees, counter, reported - expected);
  }
}

/** From one account to another; a negative amount goes the other way. Nothing where both are the same. */
function transfer(from: AccountRef, to: AccountRef, amountMinor: bigint, cause: LedgerCause): Movement[] {
  if (amountMinor === 0n || (from.kind === to.kind && from.owner === to.owner)) return [];
  const [credit, debit] = amountMinor > 0n ? [from, to] : [to, from];
  return [posted(debit, credit, amountMinor > 0n ? amountMinor : -amountMinor, cause)];
}
