import type { LedgerCause } from './causes';
import type { AccountRef, Movement } from './ledger';

/** Moves money at once. */
export function posted(debit: AccountRef, credit: AccountRef, amountMinor: bigint, cause: LedgerCause): Movement {
  return { phase: 'posted', debit, credit, amountMinor, cause };
}

/** The movements that move anything. */
export function moving(movements: readonly Movement[]): Movement[] {
  return movements.filter(({ amountMinor }) => amountMinor > 0n);
}
