import { feeIncomeOf, walletOf } from '../ledger/accounts';
import type { AccountRef, Transfer } from '../ledger/ledger';
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

/** The transfers that move anything. */
const moving = (transfers: Transfer[]) => transfers.filter(({ amountMinor }) => amountMinor > 0n);

const recipientOf = ({ recipient_id }: Booked) => walletOf(recipient_id!);

/** The wallet that pays the fee, and the account that gets it. */
function feeOf(transfer: Booked) {
  const { sender_id, tenant_id, fee_payer, fee_minor } = transfer;
  const debit = fee_payer === 'sender' ? walletOf(sender_id) : recipientOf(transfer);
  return { debit, credit: feeIncomeOf(tenant_id), amountMinor: fee_minor };
}

/** Settled at once: the money, then the fee. */
export function settle(transfer: Booked): Transfer[] {
  const { id, sender_id, amount_minor } = transfer;
  return moving([
    {
      phase: 'posted',
      debit: walletOf(sender_id),
      credit: recipientOf(transfer),
      amountMinor: amount_minor,
      cause: `${id}/settle`,
    },
    { ...feeOf(transfer), phase: 'posted', cause: `${id}/fee` },
  ]);
}

/** What is held points to where it will go; who pays the fee has it held too, if that is the sender. */
function held(transfer: Booked) {
  const { sender_id, held_for, amount_minor, fee_payer } = transfer;
  const credit = held_for === 'recipient' ? recipientOf(transfer) : INVITATIONS;
  return {
    money: { debit: walletOf(sender_id), credit, amountMinor: amount_minor },
    fee: fee_payer === 'sender' ? [feeOf(transfer)] : [],
  };
}

export function hold(transfer: Booked): Transfer[] {
  const { money, fee } = held(transfer);
  return moving([
    { ...money, phase: 'pending', cause: `${transfer.id}/hold` },
    ...fee.map((part): Transfer => ({ ...part, phase: 'pending', cause: `${transfer.id}/fee-hold` })),
  ]);
}

/** Settles what was held. */
export function settleHeld(transfer: Booked): Transfer[] {
  const { id, held_for, amount_minor } = transfer;
  const { money, fee } = held(transfer);
  const out: Transfer = {
    phase: 'posted',
    debit: INVITATIONS,
    credit: recipientOf(transfer),
    amountMinor: amount_minor,
    cause: `${id}/joined`,
  };
  return moving([
    { ...money, phase: 'post', cause: `${id}/settle`, pendingCause: `${id}/hold` },
    ...(held_for === 'invitation' ? [out] : []),
    ...(fee.length > 0
      ? fee.map((part): Transfer => ({ ...part, phase: 'post', cause: `${id}/fee`, pendingCause: `${id}/fee-hold` }))
      : [{ ...feeOf(transfer), phase: 'posted' as const, cause: `${id}/fee` }]),
  ]);
}

/** Lets go of what was held. */
export function release(transfer: Booked): Transfer[] {
  const { id } = transfer;
  const { money, fee } = held(transfer);
  return moving([
    { ...money, phase: 'void', cause: `${id}/release`, pendingCause: `${id}/hold` },
    ...fee.map(
      (part): Transfer => ({ ...part, phase: 'void', cause: `${id}/fee-release`, pendingCause: `${id}/fee-hold` }),
    ),
  ]);
}

/** Takes a settled transfer back: from the recipient what arrived, from the tenant the fee. The sender has all again. */
export function reverse(transfer: Booked): Transfer[] {
  const { id, sender_id, amount_minor, fee_minor, fee_payer } = transfer;
  const arrived = fee_payer === 'recipient' ? amount_minor - fee_minor : amount_minor;
  const { credit: fees } = feeOf(transfer);
  const sender = walletOf(sender_id);
  return moving([
    {
      phase: 'posted',
      debit: recipientOf(transfer),
      credit: sender,
      amountMinor: arrived,
      cause: `${id}/reverse`,
    },
    { phase: 'posted', debit: fees, credit: sender, amountMinor: fee_minor, cause: `${id}/fee-returned` },
  ]);
}
