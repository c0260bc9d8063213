import type { TransferRow } from '../../money/p2p/transfer';
import { presentTransfer } from '../records/transfer';
import type { Column } from '../server/csv';

const MEMBERS = [
  'transferId',
  'status',
  'senderId',
  'recipientId',
  'recipient',
  'currency',
  'amount',
  'fee',
  'feePayer',
  'netAmount',
  'note',
  'statusDetail',
  'requestId',
  'scheduleId',
  'createdAt',
  'settledAt',
  'updatedAt',
] as const;

/** The columns of the export: one for each member of the record. */
export const EXPORT_COLUMNS: readonly Column<TransferRow>[] = MEMBERS.map((name) => [
  name,
  (row) => presentTransfer(row)[name],
]);
