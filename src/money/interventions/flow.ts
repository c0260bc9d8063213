import type { Knex } from 'knex';
import type { OperatorNote, OperatorResolution, SignalName } from '../../domain/flows';
import { hasEnded } from '../../domain/states/dispute';
import { isClosed } from '../../domain/states/payment';
import { isOutage } from '../../foundation/log/failures';
import type { Engine } from '../../foundation/temporal/engine';
import { signalFlow, signalRunning } from '../../foundation/temporal/flows';
import { DISPUTE_FLOW } from '../disputes/flow';
import { REFUND_FLOW, wakePayment } from '../payments/flow';
import { type InterventionAct, type InterventionRow, moveIntervention } from '../payments/intervention';
import { findSubject, type Subject } from './subject';

const BATCH = 100;

/** What each act is called in the engine. The others are carried out where they are ordered. */
const SIGNALS: Partial<Record<InterventionAct, SignalName>> = {
  ask_again: 'retryNow',
  cancel: 'cancelNow',
  resolve: 'resolveUnknown',
};

/** Brings an order to the flow of its object; one that is gone is started anew. Rejects when the engine is away. */
export async function bringToFlow(engine: Engine, system: Knex, subject: Subject, row: InterventionRow): Promise<void> {
  const note: OperatorNote = { operator: row.ordered_by, reason: row.reason, interventionId: row.id };
  switch (subject.kind) {
    case 'payment':
    case 'topup':
      return wakePayment(engine, system, subject.row, SIGNALS[row.act]!, resolution(row, note));
    // How a refund ended stands in the row that the note names.
    case 'refund': {
      if (await signalRunning(engine, REFUND_FLOW.id(subject.row), 'retryNow', note)) return;
      return signalFlow(engine, { ...REFUND_FLOW, runs: 'again' }, subject.row, { signal: 'retryNow', args: [note] });
    }
    case 'dispute':
      return signalFlow(engine, DISPUTE_FLOW, subject.row, { signal: 'retryNow', args: [note] });
    case 'receipt':
      return;
  }
}

function resolution({ act, outcome, processor_reference }: InterventionRow, note: OperatorNote): OperatorNote {
  if (act !== 'resolve') return note;
  const resolved: OperatorResolution = {
    ...note,
    outcome: outcome === 'captured' ? 'captured' : 'nothing_charged',
    ...(processor_reference && { processorReference: processor_reference }),
  };
  return resolved;
}

/**
 * Brings orders again that no flow has taken for `firstAnswerMs`: the engine was away, or the flow ended at that moment.
 * One whose object has ended meanwhile is refused. Answers how many it brought.
 */
export async function bringOrdered(system: Knex, engine: Engine, firstAnswerMs: number): Promise<number> {
  const rows: InterventionRow[] = await system('interventions')
    .where({ status: 'ordered' })
    .where('updated_at', '<', new Date(Date.now() - firstAnswerMs))
    .orderBy('updated_at')
    .limit(BATCH);
  let failure: unknown;
  for (const row of rows) {
    const subject = await findSubject(system, row.subject_id);
    if (isOver(subject)) {
      const detail = `Refused: the ${subject.kind} is ${subject.row.status}.`;
      await system.transaction(async (trx) => {
        const open = await trx('interventions').where({ id: row.id, status: 'ordered' }).forUpdate().first('id');
        if (open) await moveIntervention(trx, row, { status: 'refused', status_detail: detail });
      });
      continue;
    }
    // The next round leaves it alone for a while.
    await system('interventions').where({ id: row.id, status: 'ordered' }).update({ updated_at: new Date() });
    try {
      await bringToFlow(engine, system, subject, row);
    } catch (error) {
      if (isOutage(error)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return rows.length;
}

function isOver({ kind, row }: Subject): boolean {
  switch (kind) {
    case 'payment':
    case 'topup':
      return isClosed(row.status);
    case 'refund':
      return row.status !== 'pending';
    case 'dispute':
      return hasEnded(row.status);
    case 'receipt':
      return row.status !== 'refused';
  }
}
