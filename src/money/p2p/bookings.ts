import { feeIncomeOf, walletOf } from '../ledger/accounts';
import { type CauseStep, causeOf } from '../ledger/causes';
import type { AccountRef, Movement } from '../ledger/ledger';
import { moving, posted } from '../ledger/movements';
import type { TransferRow } from './transfer';

/**
 * Which accounts the steps of a transfer touch: the two wallets, the tenant's fee income, and suspense while nobody has
 * joined whom the money could be held for.
 */
type Booked = Pick<
  TransferRow,
  'id' | 'tenant_id' | 'sender_id' | 'recipient_id' | 'amount_minor' | 'fee_minor' | 'fee_payer' | 'held_for'
>;

const INVITATIONS: AccountRef = { kind: 'suspense', owner: 'p2p' };

const stepOf = ({ id }: Booked, step: CauseStep<'transfer'>) => causeOf('transfer', id, step);

const recipientOf = ({ recipient_id }: Booked) => walletOf(recipient_id!);

/** The wallet that pays the fee, and the account that gets it. */
function feeOf(transfer: Booked) {
  const { sender_id, tenant_id, fee_payer, fee_minor } = transfer;
  const debit = fee_payer === 'sender' ? walletOf(sender_id) : recipientOf(transfer);
  return { debit, credit: feeIncomeOf(tenant_id), amountMinor: fee_minor };
}

/** Settled at once: the money, then the fee. */
export function settle(transfer: Booked): Movement[] {
  const { sender_id, amount_minor } = transfer;
  return moving([
    posted(walletOf(sender_id), recipientOf(transfer), amount_minor, stepOf(transfer, 'settle')),
    { ...feeOf(transfer), phase: 'posted', cause: stepOf(transfer, 'fee') },
  ]);
}

/** A hold names the account that the money will go to. The fee is held as well when the sender pays it. */
function held(transfer: Booked) {
  const { sender_id, held_for, amount_minor, fee_payer } = transfer;
  const credit = held_for === 'recipient' ? recipientOf(transfer) : INVITATIONS;
  return {
    money: { debit: walletOf(sender_id), credit, amountMinor: amount_minor },
    fee: fee_payer === 'sender' ? feeOf(transfer) : undefined,
  };
}

export function hold(transfer: Booked): Movement[] {
  const { money, fee } = held(transfer);
  const movements: Movement[] = [{ ...money, phase: 'pending', cause: stepOf(transfer, 'hold') }];
  if (fee) movements.push({ ...fee, phase: 'pending', cause: stepOf(transfer, 'fee-hold') });
  return moving(movements);
}

/** Settles what was held. */
export function settleHeld(transfer: Booked): Movement[] {
  const { held_for, amount_minor } = transfer;
  const { money, fee } = held(transfer);
  const out = posted(INVITATIONS, recipientOf(transfer), amount_minor, stepOf(transfer, 'joined'));
  return moving([
    { ...money, phase: 'post', cause: stepOf(transfer, 'settle'), pendingCause: stepOf(transfer, 'hold') },
    ...(held_for === 'invitation' ? [out] : []),
    fee
      ? { ...fee, phase: 'post', cause: stepOf(transfer, 'fee'), pendingCause: stepOf(transfer, 'fee-hold') }
      : { ...feeOf(transfer), phase: 'posted', cause: stepOf(transfer, 'fee') },
  ]);
}

/** Releases what was held. */
export function release(transfer: Booked): Movement[] {
  const { money, fee } = held(transfer);
  const hold = { cause: stepOf(transfer, 'release'), pendingCause: stepOf(transfer, 'hold') };
  const feeHold = { cause: stepOf(transfer, 'fee-release'), pendingCause: stepOf(transfer, 'fee-hold') };
  const movements: Movement[] = [{ ...money, phase: 'void', ...hold }];
  if (fee) movements.push({ ...fee, phase: 'void', ...feeHold });
  return moving(movements);
}

/** Takes a settled transfer back: from the recipient what arrived, from the tenant the fee. The sender has all again. */
export function reverse(transfer: Booked): Movement[] {
  const { sender_id, amount_minor, fee_minor, fee_payer } = transfer;
  const arrived = fee_payer === 'recipient' ? amount_minor - fee_minor : amount_minor;
  const { credit: fees } = feeOf(transfer);
  const sender = walletOf(sender_id);
  return moving([
    posted(recipientOf(transfer), sender, arrived, stepOf(transfer, 'reverse')),
    posted(fees, sender, fee_minor, stepOf(transfer, 'fee-returned')),
  ]);
}
