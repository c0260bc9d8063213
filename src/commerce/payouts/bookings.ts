import { payableTo, payoutClearingOf, reserveOf } from '../../money/ledger/accounts';
import { type CauseStep, causeOf } from '../../money/ledger/causes';
import type { AccountRef, Movement } from '../../money/ledger/ledger';
import { moving, posted } from '../../money/ledger/movements';
import type { PayoutRow } from './payout';

/**
 * Which accounts a payout touches. What is ordered leaves the balance at once and lies in clearing. The processor pays it
 * out of what it owes the tenant, so that its claim falls when it is paid; what comes back raises it again.
 */
type Amounts = Pick<PayoutRow, 'id' | 'organization_id' | 'processor' | 'amount_minor'>;

const claimOn = ({ processor }: Amounts): AccountRef => ({ kind: 'provider_receivable', owner: processor });

function book(payout: Amounts, step: CauseStep<'payout'>, debit: AccountRef, credit: AccountRef): Movement {
  return posted(debit, credit, payout.amount_minor, causeOf('payout', payout.id, step));
}

/** The payout leaves the balance, a part of the period goes into the reserve, and what was in it for long enough comes back. */
export function ordered(
  payout: Amounts & Pick<PayoutRow, 'reserve_held_minor' | 'reserve_released_minor'>,
): Movement[] {
  const { id, organization_id, reserve_held_minor, reserve_released_minor } = payout;
  const [payable, reserve] = [payableTo(organization_id), reserveOf(organization_id)];
  return moving([
    posted(reserve, payable, reserve_released_minor, causeOf('payout', id, 'reserve-released')),
    posted(payable, reserve, reserve_held_minor, causeOf('payout', id, 'reserve-held')),
    book(payout, 'ordered', payable, payoutClearingOf(organization_id)),
  ]);
}

/** The processor has paid it. */
export function paid(payout: Amounts): Movement {
  return book(payout, 'paid', payoutClearingOf(payout.organization_id), claimOn(payout));
}

/** What was paid came back. */
export function returned(payout: Amounts): Movement {
  return book(payout, 'returned', claimOn(payout), payableTo(payout.organization_id));
}

/** It never went out. */
export function released(payout: Amounts): Movement {
  return book(payout, 'released', payoutClearingOf(payout.organization_id), payableTo(payout.organization_id));
}
