import type { Transfer } from '../ledger/ledger';
import type { ProcessorId } from '../providers/connector';
import type { PaymentRow } from './payment';

/**
 * Which accounts a payment's steps touch. The provider owes us what it captured (`provider_receivable`), we owe it to
 * the merchant (`merchant_payable`); settlement turns the claim into money at the bank.
 */
const receivable = (payment: PaymentRow) => ({ kind: 'provider_receivable' as const, owner: payment.processor });
const payable = (payment: PaymentRow) => ({ kind: 'merchant_payable' as const, owner: payment.organization_id });

export function hold(payment: PaymentRow, amountMinor: bigint): Transfer {
  return {
    phase: 'pending',
    debit: receivable(payment),
    credit: payable(payment),
    amountMinor,
    cause: `${payment.id}/authorize`,
  };
}

/** Books a capture: against its hold where there is one, at once otherwise. */
export function capture(payment: PaymentRow, amountMinor: bigint): Transfer {
  const movement = {
    debit: receivable(payment),
    credit: payable(payment),
    amountMinor,
    cause: `${payment.id}/capture`,
  };
  return payment.status === 'authorized'
    ? { ...movement, phase: 'post', pendingCause: `${payment.id}/authorize` }
    : { ...movement, phase: 'posted' };
}

/** Releases a hold, whole. */
export function release(payment: PaymentRow): Transfer {
  return {
    phase: 'void',
    debit: receivable(payment),
    credit: payable(payment),
    amountMinor: payment.authorized_minor,
    cause: `${payment.id}/release`,
    pendingCause: `${payment.id}/authorize`,
  };
}

/** A refund is held while the provider works on it, then posted or voided. */
export function refund(
  payment: PaymentRow,
  refundId: string,
  amountMinor: bigint,
  phase: 'pending' | 'post' | 'void',
): Transfer {
  const movement = { debit: payable(payment), credit: receivable(payment), amountMinor };
  return phase === 'pending'
    ? { ...movement, phase, cause: `${refundId}/hold` }
    : { ...movement, phase, cause: `${refundId}/${phase}`, pendingCause: `${refundId}/hold` };
}

/** What a step of a dispute moves: the chargeback and a final loss take from the merchant, the others give back. */
export type DisputeMovement = 'charged-back' | 'second-presentment' | 'won' | 'lost';

export function dispute(
  payment: PaymentRow,
  disputeId: string,
  amountMinor: bigint,
  movement: DisputeMovement,
): Transfer {
  const taken = movement === 'charged-back' || movement === 'lost';
  return {
    phase: 'posted',
    debit: taken ? payable(payment) : receivable(payment),
    credit: taken ? receivable(payment) : payable(payment),
    amountMinor,
    cause: `${disputeId}/${movement}`,
  };
}

/** Money that arrived at a processor for a payment which had ended without it, or is served by another: nobody's yet. */
export function lateMoney(
  payment: PaymentRow,
  processor: ProcessorId,
  amountMinor: bigint,
  returned: boolean,
): Transfer {
  const claim = { kind: 'provider_receivable' as const, owner: processor };
  const nobodys = { kind: 'suspense' as const, owner: processor };
  return returned
    ? { phase: 'posted', debit: nobodys, credit: claim, amountMinor, cause: `${payment.id}/late-returned` }
    : { phase: 'posted', debit: claim, credit: nobodys, amountMinor, cause: `${payment.id}/late` };
}
