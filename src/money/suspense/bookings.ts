import type { ProcessorId } from '../../domain/connector';
import { type CauseStep, causeOf } from '../ledger/causes';
import type { AccountRef, Movement } from '../ledger/ledger';
import { posted } from '../ledger/movements';

interface Arrived {
  id: string;
  processor: ProcessorId;
  amount_minor: bigint;
}

const claimOn = (processor: ProcessorId): AccountRef => ({ kind: 'provider_receivable', owner: processor });
const nobodys = (processor: ProcessorId): AccountRef => ({ kind: 'suspense', owner: processor });

/** A processor has money that belongs to nobody yet. */
export function intoSuspense({ id, processor, amount_minor: amountMinor }: Arrived): Movement[] {
  const cause = causeOf('unmatchedTransfer', id, 'arrived');
  return [posted(claimOn(processor), nobodys(processor), amountMinor, cause)];
}

/** It belongs to a payment, which books it itself, or is back with its sender. */
export function outOfSuspense(
  { id, processor, amount_minor: amountMinor }: Arrived,
  step: Exclude<CauseStep<'unmatchedTransfer'>, 'arrived'>,
): Movement[] {
  const cause = causeOf('unmatchedTransfer', id, step);
  return [posted(nobodys(processor), claimOn(processor), amountMinor, cause)];
}
