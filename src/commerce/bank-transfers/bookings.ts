import { OWN_BANK } from '../../domain/connector';
import { bankAccountOf } from '../../money/ledger/accounts';
import { type CauseStep, causeOf } from '../../money/ledger/causes';
import type { AccountRef, Movement } from '../../money/ledger/ledger';
import { posted } from '../../money/ledger/movements';
import type { BankEntryRow } from './entry';
import type { BankReturnRow } from './return';

/**
 * Which accounts money at a tenant's own bank touches. What payers send is at the bank at once, and the tenant has it on its
 * hands until it is a payment's, in suspense or back: that is the balance of `provider_receivable` of the own bank, which the
 * bookings of payments, refunds and suspense bring back to zero.
 */
const onOurHands: AccountRef = { kind: 'provider_receivable', owner: OWN_BANK };
/** What the tenant itself moves to and from its account. */
const elsewhere: AccountRef = { kind: 'bank_clearing', owner: OWN_BANK };

/** A movement of the account, as the bank has booked it. */
export function entryBooked(
  entry: Pick<BankEntryRow, 'id' | 'account_id' | 'direction' | 'amount_minor' | 'status'>,
): Movement {
  const account = bankAccountOf(entry.account_id);
  const other = entry.status === 'other' ? elsewhere : onOurHands;
  const [debit, credit] = entry.direction === 'credit' ? [account, other] : [other, account];
  return posted(debit, credit, entry.amount_minor, causeOf('bankEntry', entry.id, 'booked'));
}

/** What was on the account before its first statement. Negative: it was overdrawn. */
export function opening(accountId: string, amountMinor: bigint): Movement[] {
  if (amountMinor === 0n) return [];
  const account = bankAccountOf(accountId);
  const [debit, credit] = amountMinor > 0n ? [account, elsewhere] : [elsewhere, account];
  const size = amountMinor > 0n ? amountMinor : -amountMinor;
  return [posted(debit, credit, size, causeOf('bankAccount', accountId, 'opening'))];
}

/** A transfer back to a payer: its processor has paid it out of what it owes the tenant. */
export function returnBooked(
  { id, processor, amount_minor }: Pick<BankReturnRow, 'id' | 'processor' | 'amount_minor'>,
  step: CauseStep<'bankReturn'>,
): Movement {
  const sender: AccountRef = { kind: 'provider_receivable', owner: processor };
  const [debit, credit] = step === 'paid' ? [onOurHands, sender] : [sender, onOurHands];
  return posted(debit, credit, amount_minor, causeOf('bankReturn', id, step));
}
