import type { Knex } from 'knex';
import type { P2pInput, P2pView, ScheduledTransferInput, ScheduledTransferView } from '../src/domain/flows';
import { lockRequest, lookAtRequest, type RequestRow } from '../src/money/p2p/requests';
import { lookAtTransfer } from '../src/money/p2p/steps';
import { lockTransfer, type TransferRow } from '../src/money/p2p/transfer';
import { runOccurrence } from '../src/money/standing-orders/run';
import type { Dependencies } from './dependencies';

/** Where somebody has joined but may not move money for now, the flow looks again after this long. */
const LOOK_AGAIN_MS = 3_600_000;

/** The steps of what waits between customers, and of their schedules. */
export function p2pActivities({ database, p2p, verification }: Dependencies) {
  /** Looks at what Postgres says and does what is due. */
  function lookAtP2p({ kind, id, tenantId }: P2pInput): Promise<P2pView> {
    return database.tenant(tenantId, async (trx) => {
      const view = kind === 'transfer' ? await lookAtOne(trx, id) : await lookAtAsked(trx, id);
      await trx(kind === 'transfer' ? 'p2p_transfers' : 'p2p_requests')
        .where({ id })
        .update({ look_at: null });
      return view;
    });
  }

  async function lookAtOne(trx: Knex.Transaction, id: string): Promise<P2pView> {
    return viewOfTransfer(await lookAtTransfer(trx, p2p, await lockTransfer(trx, id)));
  }

  async function lookAtAsked(trx: Knex.Transaction, id: string): Promise<P2pView> {
    return viewOfRequest(await lookAtRequest(trx, await lockRequest(trx, id)));
  }

  async function makeScheduledTransfer(input: ScheduledTransferInput, atMs: number): Promise<ScheduledTransferView> {
    const parts = { p2p, letters: verification };
    const outcome = await runOccurrence(database, parts, { ...input, at: new Date(atMs) });
    if (!outcome) return { status: 'nothing', detail: 'The schedule has ended.' };
    if ('skipped' in outcome) return { status: 'skipped', detail: outcome.skipped.detail };
    const { id, status, status_detail } = outcome.transfer;
    return { status, transferId: id, detail: status_detail };
  }

  return { lookAtP2p, makeScheduledTransfer };
}

function viewOfTransfer({ status, status_detail, updated_at, expires_at, recipient_id }: TransferRow): P2pView {
  const at = { sinceMs: updated_at.getTime(), detail: status_detail };
  if (status !== 'held') return { status, ...at, waitsFor: 'nobody', ended: true };
  const leftMs = expires_at!.getTime() - Date.now();
  return {
    status,
    ...at,
    waitsFor: recipient_id ? 'recipient' : 'invited',
    waitsUntilMs: expires_at!.getTime(),
    nextInMs: recipient_id ? leftMs : Math.min(leftMs, LOOK_AGAIN_MS),
    ended: false,
  };
}

function viewOfRequest({ status, updated_at, expires_at, transfer_id }: RequestRow): P2pView {
  const sinceMs = updated_at.getTime();
  const detail = transfer_id
    ? `Paid by ${transfer_id}.`
    : status === 'pending'
      ? 'Not answered yet.'
      : 'No money moved.';
  if (status !== 'pending') return { status, sinceMs, detail, waitsFor: 'nobody', ended: true };
  const waitsUntilMs = expires_at.getTime();
  return {
    status,
    sinceMs,
    detail,
    waitsFor: 'payer',
    waitsUntilMs,
    nextInMs: waitsUntilMs - Date.now(),
    ended: false,
  };
}
