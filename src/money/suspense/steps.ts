import type { Knex } from 'knex';
import type { IncomingTransferCapability } from '../../domain/connector';
import type { UnmatchedTransferInput, UnmatchedTransferView } from '../../domain/flows';
import { growingPauseMs } from '../../domain/pauses';
import type {
  AssignAnswer,
  ReturnAnswer,
  TransferInquiry,
  TransferRefused,
  TransferStanding,
} from '../../domain/processor-answers';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { Ledger } from '../ledger/ledger';
import { outOfSuspense } from './bookings';
import {
  lockUnmatchedTransfer,
  moveUnmatchedTransfer,
  recordMatched,
  UNDECIDED,
  type UnmatchedTransferRow,
} from './unmatched-transfer';

export interface Deciding {
  database: Database;
  ledger: Ledger;
  connectors: { get(processor: UnmatchedTransferRow['processor']): { transfers?: IncomingTransferCapability } };
  timers: Config['timers'];
}

/**
 * Sends what was decided about a transfer to its processor, or asks what became of it, and books the outcome. Safe to
 * repeat: what was sent before is asked about first, and the key stays the same.
 */
export async function carryOutDecision(deps: Deciding, { id }: UnmatchedTransferInput): Promise<UnmatchedTransferRow> {
  const { database, connectors } = deps;
  const row = await database.system.transaction(async (trx) => {
    const locked = await lockUnmatchedTransfer(trx, id);
    if (isOrdered(locked))
      await trx('unmatched_transfers')
        .where({ id })
        .update({ sends: locked.sends + 1, sent_at: trx.raw('clock_timestamp()') });
    return locked;
  });
  if (!isOrdered(row)) return row;
  const answer = await ask(connectors.get(row.processor).transfers, row);
  return database.system.transaction(async (trx) => {
    const locked = await lockUnmatchedTransfer(trx, id);
    // A report of the processor may have settled it meanwhile.
    return isOrdered(locked) ? bookAnswer(trx, deps, locked, answer) : locked;
  });
}

const isOrdered = ({ status }: UnmatchedTransferRow) => status === 'matching' || status === 'returning';

type Answer = AssignAnswer | ReturnAnswer | TransferInquiry;

async function ask(transfers: IncomingTransferCapability | undefined, row: UnmatchedTransferRow): Promise<Answer> {
  if (!transfers) return { kind: 'refused', detail: 'the processor has no way to do it' };
  const { transfer_id: transferId, payment_id: paymentReference } = row;
  if (row.sends > 0) {
    const known = await transfers.inquire(transferId);
    // Held: the order never arrived. It is sent again under its key.
    if (known.kind !== 'held') return known;
  }
  const call = { transferId, idempotencyKey: `unmatched-transfer/${row.id}/${row.decisions}` };
  return row.status === 'matching'
    ? transfers.assign({ ...call, paymentReference: paymentReference! })
    : transfers.giveBack({ ...call, returnReference: row.return_reference! });
}

/** What the processor says of the transfer counts, whatever was ordered. */
async function bookAnswer(
  trx: Knex.Transaction,
  deps: Deciding,
  row: UnmatchedTransferRow,
  answer: Answer,
): Promise<UnmatchedTransferRow> {
  switch (answer.kind) {
    case 'assigned':
      return bookAssigned(trx, deps, row, answer);
    case 'returned':
      return bookReturned(trx, deps, row);
    case 'returning':
      return stay(trx, row, 'It is on its way back to its sender.');
    case 'held':
      return openAgain(trx, row, 'the processor keeps it');
    case 'return_declined':
      return openAgain(trx, row, 'the bank of its sender did not take it back');
    case 'refused':
      return bookRefusal(trx, deps, row, answer);
    case 'not_found':
      return openAgain(trx, row, 'the processor does not know the transfer');
    case 'unknown':
      return stay(trx, row, `The outcome is being established: ${answer.detail}.`);
    case 'not_taken':
      return stay(trx, row, `It could not be sent yet: ${answer.detail}.`);
  }
}

/** It counts towards a payment: the one that was decided on, or another that the processor has found itself. */
async function bookAssigned(
  trx: Knex.Transaction,
  { ledger }: Deciding,
  row: UnmatchedTransferRow,
  { paymentReference }: Extract<TransferStanding, { kind: 'assigned' }>,
): Promise<UnmatchedTransferRow> {
  const isOurs = await trx('payments').where({ id: paymentReference }).first('id');
  if (!isOurs) return openAgain(trx, row, 'the processor counts it towards a payment that is not ours');
  return recordMatched(trx, ledger, row, paymentReference);
}

async function bookReturned(
  trx: Knex.Transaction,
  { ledger }: Deciding,
  row: UnmatchedTransferRow,
): Promise<UnmatchedTransferRow> {
  await ledger.book(trx, row.tenant_id, row.currency, outOfSuspense(row, 'returned'));
  return moveUnmatchedTransfer(trx, row, 'returned', {
    decision: 'return',
    payment_id: null,
    status_detail: 'It is back with its sender.',
    review_since: null,
  });
}

function bookRefusal(
  trx: Knex.Transaction,
  deps: Deciding,
  row: UnmatchedTransferRow,
  { detail, standing }: TransferRefused,
): Promise<UnmatchedTransferRow> {
  if (standing && standing.kind !== 'held' && standing.kind !== 'return_declined')
    return bookAnswer(trx, deps, row, standing);
  return openAgain(trx, row, detail);
}

/** The order had no effect: operators decide again. */
function openAgain(trx: Knex.Transaction, row: UnmatchedTransferRow, why: string): Promise<UnmatchedTransferRow> {
  const order = row.status === 'matching' ? `matched with ${row.payment_id}` : 'returned';
  return moveUnmatchedTransfer(trx, row, 'open', {
    ...UNDECIDED,
    status_detail: `It was not ${order}: ${why}.`,
    review_since: new Date(),
    sends: 0,
    sent_at: null,
  });
}

async function stay(trx: Knex.Transaction, row: UnmatchedTransferRow, detail: string): Promise<UnmatchedTransferRow> {
  await trx('unmatched_transfers').where({ id: row.id }).update({ status_detail: detail });
  return { ...row, status_detail: detail };
}

/** The flow's view of a row. `tries` spaces the next time. */
export function viewOf(
  { timers }: Pick<Deciding, 'timers'>,
  row: UnmatchedTransferRow,
  tries: number,
): UnmatchedTransferView {
  const since = row.decided_at ?? row.updated_at;
  const isWaiting = isOrdered(row);
  const isLong = isWaiting && Date.now() - since.getTime() >= timers.reviewAfterMs;
  return {
    status: row.status,
    detail: row.status_detail,
    sinceMs: since.getTime(),
    ...(isWaiting ? { askAgainMs: growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs) } : {}),
    ...(row.review_since || isLong ? { review: 'incoming transfer that matches no payment' } : {}),
  };
}
