import type { P2pInput, P2pView } from '../../domain/flows';
import type { Database } from '../../foundation/db/database';
import { advanceRequest, lockRequest, type RequestRow } from './requests';
import type { TransferDependencies } from './send';
import { advanceTransfer } from './steps';
import { lockTransfer, type TransferRow } from './transfer';

/** Where somebody has joined but may not move money for now, the flow looks again after this long. */
const LOOK_AGAIN_MS = 3_600_000;

/** Does what is due of a transfer or a request for money that waits for somebody. Safe to repeat at any time. */
export function advanceP2p(
  { database, p2p }: { database: Database; p2p: TransferDependencies },
  { kind, id, tenantId }: P2pInput,
): Promise<P2pView> {
  return database.tenant(tenantId, async (trx) => {
    const view =
      kind === 'transfer'
        ? viewOfTransfer(await advanceTransfer(trx, p2p, await lockTransfer(trx, id)))
        : viewOfRequest(await advanceRequest(trx, await lockRequest(trx, id)));
    await trx(TABLES[kind]).where({ id }).update({ look_at: null });
    return view;
  });
}

const TABLES: Record<P2pInput['kind'], string> = { transfer: 'p2p_transfers', request: 'p2p_requests' };

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
  const nextInMs = waitsUntilMs - Date.now();
  return { status, sinceMs, detail, waitsFor: 'payer', waitsUntilMs, nextInMs, ended: false };
}
