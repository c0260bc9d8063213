import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { OperatorNote } from '../../domain/flows';

export const INTERVENTION_SUBJECTS = ['payment', 'topup', 'refund', 'dispute', 'receipt'] as const;
export type InterventionSubject = (typeof INTERVENTION_SUBJECTS)[number];

export const INTERVENTION_ACTS = ['ask_again', 'cancel', 'resolve', 'mark_returned', 'close'] as const;
export type InterventionAct = (typeof INTERVENTION_ACTS)[number];

/** What an operator learnt from the processor by another way. The last two are of refunds. */
export const INTERVENTION_OUTCOMES = ['captured', 'nothing_charged', 'refunded', 'not_refunded'] as const;
export type InterventionOutcome = (typeof INTERVENTION_OUTCOMES)[number];

export const INTERVENTION_STATUSES = ['proposed', 'ordered', 'done', 'refused', 'withdrawn'] as const;
export type InterventionStatus = (typeof INTERVENTION_STATUSES)[number];

/** One row of `interventions`: what an operator ordered. The amount is that of its object, in minor units. */
export interface InterventionRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  subject_kind: InterventionSubject;
  subject_id: string;
  act: InterventionAct;
  outcome: InterventionOutcome | null;
  processor_reference: string | null;
  reason: string;
  currency: string;
  amount_minor: bigint;
  needs_second: boolean;
  status: InterventionStatus;
  status_detail: string;
  ordered_by: string;
  confirmed_by: string | null;
  carried_out_by: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The row, locked until the transaction ends. Throws `not_found`. */
export async function lockIntervention(trx: Knex.Transaction, id: string): Promise<InterventionRow> {
  return found(await trx('interventions').where({ id }).forUpdate().first(), 'intervention');
}

/** Moves a locked row. */
export async function moveIntervention(
  trx: Knex.Transaction,
  { id }: Pick<InterventionRow, 'id'>,
  change: { status: InterventionStatus; status_detail: string } & Partial<
    Pick<InterventionRow, 'confirmed_by' | 'carried_out_by'>
  >,
): Promise<InterventionRow> {
  const [moved]: InterventionRow[] = await trx('interventions')
    .where({ id })
    .update({ ...change, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return moved!;
}

/** What a flow finds of the intervention that a note names. `taken`: another step has carried it out. */
export type Ordered = 'none' | 'fresh' | 'repeat' | 'taken';

/**
 * Looks whether a flow may carry out what a note names: an intervention is carried out by one step, which may repeat. A
 * note without one was sent to the engine directly. `step`: tells one step from another.
 */
export async function orderedBy(
  trx: Knex.Transaction,
  { interventionId }: Pick<OperatorNote, 'interventionId'>,
  step: string,
): Promise<{ ordered: Ordered; row?: InterventionRow }> {
  if (!interventionId) return { ordered: 'none' };
  const row = await lockIntervention(trx, interventionId);
  if (row.status === 'ordered') return { ordered: 'fresh', row };
  return { ordered: row.carried_out_by === step ? 'repeat' : 'taken', row };
}

/** Writes down that a flow has taken an intervention, or why it could not. */
export function endIntervention(
  trx: Knex.Transaction,
  row: InterventionRow,
  step: string,
  refused?: string,
): Promise<InterventionRow> {
  return moveIntervention(trx, row, {
    status: refused ? 'refused' : 'done',
    status_detail: refused ? `Refused: ${refused}.` : DONE[row.act],
    carried_out_by: step,
  });
}

const DONE: Record<InterventionAct, string> = {
  ask_again: 'The processor is asked.',
  cancel: 'It is being cancelled at the processor.',
  resolve: 'The outcome is booked.',
  mark_returned: 'The money is booked as returned.',
  close: 'Somebody has seen to it.',
};
