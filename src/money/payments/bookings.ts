import type { ProcessorId } from '../../domain/connector';
import { feeIncomeOf, incomingOf, owedBy, walletOf } from '../ledger/accounts';
import { type CauseStep, causeOf, type DisputeMovement, type LedgerCause } from '../ledger/causes';
import type { AccountRef, Movement } from '../ledger/ledger';
import { moving, posted } from '../ledger/movements';
import type { PaymentRow, RefundRow } from './payment';

/**
 * Which accounts a payment's steps touch. The processor owes us what it captured (`provider_receivable`), we owe it to
 * whom the payment is for: the merchant (`merchant_payable`), or the wallet of a customer, where it lies in
 * `customer_incoming` until it is settled. Settlement turns the claim into money at the bank.
 */
const receivable = (payment: PaymentRow): AccountRef => ({ kind: 'provider_receivable', owner: payment.processor });

function payable(payment: PaymentRow): AccountRef {
  return payment.beneficiary === 'wallet'
    ? incomingOf(payment.customer_id!)
    : { kind: 'merchant_payable', owner: payment.organization_id };
}

const isForWallet = (payment: PaymentRow) => payment.beneficiary === 'wallet';

const sidesOf = (payment: PaymentRow) => ({ debit: receivable(payment), credit: payable(payment) });

export function hold(payment: PaymentRow, amountMinor: bigint): Movement[] {
  const cause = causeOf('payment', payment.id, 'authorize');
  return [{ ...sidesOf(payment), phase: 'pending', amountMinor, cause }];
}

/** Books a capture: against its hold where there is one, at once otherwise. */
export function capture(payment: PaymentRow, amountMinor: bigint): Movement[] {
  const movement = { ...sidesOf(payment), amountMinor, cause: causeOf('payment', payment.id, 'capture') };
  return [
    payment.status === 'authorized'
      ? { ...movement, phase: 'post', pendingCause: causeOf('payment', payment.id, 'authorize') }
      : { ...movement, phase: 'posted' },
  ];
}

/** The tenant's fee out of what was captured for a wallet. */
export function fee(payment: PaymentRow, amountMinor: bigint): Movement[] {
  const cause = causeOf('payment', payment.id, 'fee');
  return moving([posted(payable(payment), feeIncomeOf(payment.tenant_id), amountMinor, cause)]);
}

/** Releases a hold, whole. */
export function release(payment: PaymentRow): Movement[] {
  const cause = causeOf('payment', payment.id, 'release');
  const pendingCause = causeOf('payment', payment.id, 'authorize');
  return [{ ...sidesOf(payment), phase: 'void', amountMinor: payment.authorized_minor, cause, pendingCause }];
}

/** What was captured for a wallet becomes available in it. */
export function available(
  payment: Pick<PaymentRow, 'customer_id'>,
  amountMinor: bigint,
  cause: LedgerCause,
): Movement[] {
  const customerId = payment.customer_id!;
  return moving([posted(incomingOf(customerId), walletOf(customerId), amountMinor, cause)]);
}

/** What was captured for a wallet pays what the customer owes. */
export function repaid(payment: Pick<PaymentRow, 'customer_id'>, amountMinor: bigint, cause: LedgerCause): Movement[] {
  const customerId = payment.customer_id!;
  return moving([posted(incomingOf(customerId), owedBy(customerId), amountMinor, cause)]);
}

type RefundAmounts = Pick<RefundRow, 'id' | 'amount_minor' | 'fee_minor' | 'taken_from'>;

/**
 * A refund is held while the processor works on it, then posted or voided. Out of a wallet it takes its share of the fee
 * back first, so that the whole of a top-up can be refunded; one that is declined pays it again.
 */
export function refund(
  payment: PaymentRow,
  { id, amount_minor: amountMinor, fee_minor, taken_from }: RefundAmounts,
  phase: 'pending' | 'post' | 'void',
): Movement[] {
  const from = taken_from ? { kind: taken_from, owner: payment.customer_id! } : payable(payment);
  const fees = feeIncomeOf(payment.tenant_id);
  const movement = { debit: from, credit: receivable(payment), amountMinor };
  const held: Movement =
    phase === 'pending'
      ? { ...movement, phase, cause: causeOf('refund', id, 'hold') }
      : { ...movement, phase, cause: causeOf('refund', id, phase), pendingCause: causeOf('refund', id, 'hold') };
  const back = posted(fees, from, fee_minor, causeOf('refund', id, 'fee'));
  const again = posted(from, fees, fee_minor, causeOf('refund', id, 'fee-kept'));
  return moving([...(phase === 'pending' ? [back] : []), held, ...(phase === 'void' ? [again] : [])]);
}

/**
 * A refund that was held as declined was made after all: the money is gone. Whom the payment was for has paid it; a customer
 * owes it, less the fee that goes back, and pays at once as far as the money `reaches`.
 */
export function correctedRefund(
  payment: PaymentRow,
  { id, amount_minor: amountMinor }: Pick<RefundRow, 'id' | 'amount_minor'>,
  feeMinor: bigint,
  reach: Reach = NOTHING,
): Movement[] {
  const claim = receivable(payment);
  const cause = (step: 'corrected' | `corrected/${'fee' | 'incoming' | 'wallet'}`) => causeOf('refund', id, step);
  const phase = 'posted';
  if (!isForWallet(payment))
    return [{ phase, debit: payable(payment), credit: claim, amountMinor, cause: cause('corrected') }];
  const owed = owedBy(payment.customer_id!);
  const pay = (debit: AccountRef, minor: bigint, step: 'fee' | 'incoming' | 'wallet'): Movement => ({
    phase,
    debit,
    credit: owed,
    amountMinor: minor,
    cause: cause(`corrected/${step}`),
  });
  return moving([
    { phase, debit: owed, credit: claim, amountMinor, cause: cause('corrected') },
    pay(feeIncomeOf(payment.tenant_id), feeMinor, 'fee'),
    pay(incomingOf(payment.customer_id!), reach.incomingMinor, 'incoming'),
    pay(walletOf(payment.customer_id!), reach.walletMinor, 'wallet'),
  ]);
}

/** A refund that had succeeded came back: its money returns to where it was taken from, and its fee is due again. */
export function reversedRefund(
  payment: PaymentRow,
  { id, amount_minor: amountMinor, fee_minor: feeMinor }: Pick<RefundRow, 'id' | 'amount_minor' | 'fee_minor'>,
  back: AccountRef = payable(payment),
): Movement[] {
  const fees = feeIncomeOf(payment.tenant_id);
  return moving([
    {
      phase: 'posted',
      debit: receivable(payment),
      credit: back,
      amountMinor,
      cause: causeOf('refund', id, 'reversed'),
    },
    { phase: 'posted', debit: back, credit: fees, amountMinor: feeMinor, cause: causeOf('refund', id, 'reversed/fee') },
  ]);
}

/** Money that a processor paid out, and that nobody here has left to refund: nobody's yet. */
export function unallocatedRefund(payment: PaymentRow, { id, amount_minor: amountMinor }: RefundRow): Movement[] {
  const nobodys = { kind: 'suspense' as const, owner: payment.processor };
  const cause = causeOf('refund', id, 'unallocated');
  return [{ phase: 'posted', debit: nobodys, credit: receivable(payment), amountMinor, cause }];
}

/** How much of what is taken back moves through each of a customer's accounts, in minor units; the rest is owed. */
export interface Reach {
  incomingMinor: bigint;
  walletMinor: bigint;
}

const NOTHING: Reach = { incomingMinor: 0n, walletMinor: 0n };

const TAKES: Record<DisputeMovement, boolean> = {
  'charged-back': true,
  'second-presentment': false,
  won: false,
  lost: true,
};

/** Whether a movement takes money from the beneficiary of the payment. The others give it back. */
export function isTaking(movement: DisputeMovement): boolean {
  return TAKES[movement];
}

/**
 * One transfer between the processor's claim and whom the payment was for. A customer owes what is charged back and pays at
 * once as far as the money `reaches`; what is given back pays what the customer owes, and the rest goes to the wallet.
 */
export function dispute(
  payment: PaymentRow,
  disputeId: string,
  amountMinor: bigint,
  movement: DisputeMovement,
  reach: Reach = NOTHING,
): Movement[] {
  const claim = receivable(payment);
  const whose = isForWallet(payment) ? owedBy(payment.customer_id!) : payable(payment);
  const taking = isTaking(movement);
  const move = (from: AccountRef, to: AccountRef, minor: bigint, part: '' | '/incoming' | '/wallet') => {
    const cause = causeOf('dispute', disputeId, `${movement}${part}`);
    return taking ? posted(from, to, minor, cause) : posted(to, from, minor, cause);
  };
  const movements = [move(whose, claim, amountMinor, '')];
  if (!isForWallet(payment)) return movements;
  const { incomingMinor, walletMinor } = reach;
  return moving([
    ...movements,
    move(incomingOf(payment.customer_id!), whose, incomingMinor, '/incoming'),
    move(walletOf(payment.customer_id!), whose, walletMinor, '/wallet'),
  ]);
}

/** Money that a processor took and nobody asked for: it belongs to nobody until it is given back. */
export function receipt(
  { id, processor, amount_minor: amountMinor }: { id: string; processor: ProcessorId; amount_minor: bigint },
  step: CauseStep<'receipt'>,
): Movement[] {
  const claim: AccountRef = { kind: 'provider_receivable', owner: processor };
  const nobodys: AccountRef = { kind: 'suspense', owner: processor };
  const [debit, credit] = step === 'arrived' ? [claim, nobodys] : [nobodys, claim];
  return [posted(debit, credit, amountMinor, causeOf('receipt', id, step))];
}
