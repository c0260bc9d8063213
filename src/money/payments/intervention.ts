import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { OperatorNote } from '../../domain/flows';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';

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

/** What a flow carries out, and about what. */
export interface Carrying {
  subjectIds: readonly string[];
  acts: readonly InterventionAct[];
  /** Tells one step from another: an intervention is carried out by one, which may repeat. */
  step: string;
}

/** What a flow finds of the order that a note names. */
export type Ordered =
  | { ordered: 'none' }
  | { ordered: 'taken' }
  | { ordered: 'fresh'; row: InterventionRow }
  | { ordered: 'repeat'; row: InterventionRow };

/**
 * Looks whether a flow may carry out what a note names. Anybody who reaches the engine can send a note, so it is only a
 * call to look: what counts is the order that an operator gave through the API, for this object and this act. Without
 * one, the note was sent to the engine directly (`none`). `taken`: another step has carried the order out.
 */
export async function orderedBy(
  trx: Knex.Transaction,
  { interventionId }: Pick<OperatorNote, 'interventionId'>,
  { subjectIds, acts, step }: Carrying,
): Promise<Ordered> {
  if (typeof interventionId !== 'string' || interventionId.includes('\0')) return { ordered: 'none' };
  const row: InterventionRow | undefined = await trx('interventions')
    .where({ id: interventionId })
    .whereIn('subject_id', subjectIds)
    .whereIn('act', acts)
    .whereNotIn('status', ['proposed', 'withdrawn'])
    .forUpdate()
    .first();
  if (!row) return { ordered: 'none' };
  if (row.status === 'ordered') return { ordered: 'fresh', row };
  return row.carried_out_by === step ? { ordered: 'repeat', row } : { ordered: 'taken' };
}

/**
 * Writes down that somebody sent a note to the engine, past the API. Who that was is not known: the note only claims it.
 * `refused`: why it changes nothing.
 */
export async function noteSentToEngine(
  trx: Knex.Transaction,
  about: { tenantId: string | null; action: string; target: string },
  note: OperatorNote,
  refused?: string,
): Promise<void> {
  await appendAuditLine(trx, {
    ...about,
    actor: 'engine',
    result: refused ? 'refused' : 'accepted',
    detail: { sentTo: 'engine', claims: { operator: asText(note.operator), reason: asText(note.reason) }, refused },
  });
}

export const ORDER_IT = 'it was sent to the engine: order it through the API or the console';

const LONGEST_CLAIM = 200;

/** What a stranger wrote, as far as the audit log keeps it. */
function asText(claim: unknown): string {
  return typeof claim === 'string' ? claim.replaceAll('\0', '').slice(0, LONGEST_CLAIM) : '';
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
