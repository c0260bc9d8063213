import type { TransferEventRow } from '../../money/p2p/transfer';

export function presentTransferEvent({ from_status, to_status, detail, actor, at }: TransferEventRow) {
  return { from: from_status ?? undefined, to: to_status, detail, actor, at };
}
