import type { Knex } from 'knex';
import type { ScheduledTransferInput, ScheduledTransferView } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { type CustomerLetters, writeTo } from '../../people/customers/letters';
import { nextOccurrence } from '../p2p/occurrences';
import { endSchedule, recurrenceOf, runSchedule } from '../p2p/schedules';
import type { TransferDependencies } from '../p2p/send';
import type { TransferRow } from '../p2p/transfer';
import type { RunStatus, StandingOrderRow, StandingOrderRunRow } from './order';

/** The result of an occurrence. */
export type Outcome = { transfer: TransferRow } | { skipped: StandingOrderRunRow } | undefined;

const PAUSED = 'The standing order is paused.';

/** The flow's step: makes the transfer that was due at `atMs` (milliseconds since the epoch), and says what became of it. */
export async function makeScheduledTransfer(
  { database, p2p, verification }: { database: Database; p2p: TransferDependencies; verification: CustomerLetters },
  input: ScheduledTransferInput,
  atMs: number,
): Promise<ScheduledTransferView> {
  const outcome = await runOccurrence(database, { p2p, letters: verification }, { ...input, at: new Date(atMs) });
  if (!outcome) return { status: 'nothing', detail: 'The schedule has ended.' };
  if ('skipped' in outcome) return { status: 'skipped', detail: outcome.skipped.detail };
  const { id, status, status_detail } = outcome.transfer;
  return { status, transferId: id, detail: status_detail };
}

/**
 * Makes the transfer of one occurrence of a schedule. A repeat makes no second one. For a standing order it also writes
 * down the result, and tells the customer when no money moved. Undefined: nothing was due.
 */
export async function runOccurrence(
  database: Database,
  { p2p, letters }: { p2p: TransferDependencies; letters: CustomerLetters },
  input: { scheduleId: string; tenantId: string; at: Date },
): Promise<Outcome> {
  const { scheduleId, tenantId, at } = input;
  const order = (trx: Knex.Transaction): Promise<StandingOrderRow | undefined> =>
    trx('p2p_schedules').where({ id: scheduleId, kind: 'standing_order' }).forUpdate().first();
  const skipped = await database.tenant(tenantId, async (trx) => {
    const paused = await order(trx);
    const known: StandingOrderRunRow | undefined = await trx('standing_order_runs')
      .where({ order_id: scheduleId, due_at: at })
      .first();
    if (known) return known.status === 'skipped' ? known : undefined;
    if (paused?.status !== 'active' || !paused.paused_at) return undefined;
    if (!nextOccurrence(recurrenceOf(paused), at)) await endSchedule(trx, paused, 'ended');
    return noteRun(trx, letters, paused, at, { status: 'skipped', detail: PAUSED });
  });
  if (skipped) return { skipped };
  const transfer = await runSchedule(database, p2p, input);
  if (!transfer) return undefined;
  await database.tenant(tenantId, async (trx) => {
    const made = await order(trx);
    if (!made) return;
    const status = transfer.status === 'failed' ? 'failed' : 'made';
    await noteRun(trx, letters, made, at, { status, detail: transfer.status_detail, transfer });
  });
  return { transfer };
}

/** Writes down the result of an occurrence, and tells the customer when no money moved. A repeat does nothing. */
async function noteRun(
  trx: Knex.Transaction,
  letters: CustomerLetters,
  order: StandingOrderRow,
  at: Date,
  { status, detail, transfer }: { status: RunStatus; detail: string; transfer?: TransferRow },
): Promise<StandingOrderRunRow | undefined> {
  const [run]: StandingOrderRunRow[] = await trx('standing_order_runs')
    .insert({
      order_id: order.id,
      due_at: at,
      tenant_id: order.tenant_id,
      status,
      transfer_id: transfer?.id ?? null,
      detail,
    })
    .onConflict(['order_id', 'due_at'])
    .ignore()
    .returning('*');
  if (run && status !== 'made') await tell(trx, letters, order, run);
  return run;
}

async function tell(
  trx: Knex.Transaction,
  letters: CustomerLetters,
  order: StandingOrderRow,
  { status, due_at, detail }: StandingOrderRunRow,
): Promise<void> {
  const amount = `${formatAmount(order.amount_minor, order.currency)} ${order.currency}`;
  const what = status === 'skipped' ? 'skipped' : 'not carried out';
  const customer = await trx('customers').where({ id: order.sender_id }).first();
  await writeTo(trx, letters, customer, {
    subject: `Your standing order of ${amount} was ${what}`,
    text:
      `Your standing order of ${amount} to ${order.recipient_hint ?? 'a saved recipient'}, due on ` +
      `${due_at.toISOString().slice(0, 10)}, was ${what}: ${detail}\n\nNo money has moved. It is not made up for; the ` +
      'next one comes when it is due.\n',
  });
}
