import type { Knex } from 'knex';
import { DomainError, found, refuse } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { Ledger } from '../ledger/ledger';
import {
  type InterventionAct,
  type InterventionOutcome,
  type InterventionRow,
  type InterventionStatus,
  lockIntervention,
  moveIntervention,
} from '../payments/intervention';
import { recordReturned } from '../payments/receipt';
import { becauseOf } from '../payments/timeline-causes';
import { applyChange } from '../payments/transition';
import { bringToFlow } from './flow';
import { findSubject, OUTCOMES_OF, possibleActs, type Subject } from './subject';

export interface InterventionOrder {
  /** Chosen by the caller; the same order twice is one intervention. */
  interventionId: string;
  objectId: string;
  act: InterventionAct;
  outcome?: InterventionOutcome;
  processorReference?: string;
  reason: string;
}

export interface InterventionFilter extends Page {
  objectId?: string;
  status?: InterventionStatus;
  tenantId?: string;
}

interface Parts {
  database: Database;
  ledger: Ledger;
  engine: Engine;
}

/** Acts whose effect on money a person decides: above the limit two have to. */
const NEEDS_TWO: ReadonlySet<InterventionAct> = new Set(['cancel', 'resolve', 'mark_returned']);

/**
 * What operators do about payments, top-ups, refunds, disputes and late money. The flow of the object carries an order out
 * and records it; what has no flow any more is booked here at once.
 */
export class Interventions {
  constructor(
    private readonly parts: Parts,
    /** INTERVENTION_FOUR_EYES_MINOR: acts about more than this need a second operator. Minor units of any currency. */
    private readonly fourEyesMinor: bigint,
  ) {}

  /** One more than the page holds, newest first. */
  async list({ objectId, status, tenantId, ...page }: InterventionFilter): Promise<InterventionRow[]> {
    const rows = paged(this.parts.database.ops('interventions'), page);
    if (objectId) rows.where({ subject_id: objectId });
    if (status) rows.where({ status });
    if (tenantId) rows.where({ tenant_id: tenantId });
    return rows;
  }

  /** Throws `not_found`. */
  async find(id: string): Promise<InterventionRow> {
    return found(await this.parts.database.ops('interventions').where({ id }).first(), 'intervention');
  }

  /** What `objectId` names, as it stands now. Throws `not_found`. */
  subject(objectId: string): Promise<Subject> {
    return findSubject(this.parts.database.ops, objectId);
  }

  /**
   * Orders an act; above the limit only proposes it. Throws `not_found`, `invalid_request` (an outcome that the object
   * cannot have) and `invalid_state` (409: its state does not allow the act, or one is proposed already).
   */
  async order(order: InterventionOrder, by: Actor): Promise<InterventionRow> {
    const { database } = this.parts;
    const known: InterventionRow | undefined = await database
      .ops('interventions')
      .where({ id: order.interventionId })
      .first();
    if (known) return known;
    const { row } = await this.subject(order.objectId);
    const ordered = await database
      .tenant(row.tenant_id, async (trx) => {
        const subject = await findSubject(trx, order.objectId, { lock: true });
        requirePossible(subject, order.act);
        checkOutcome(subject, order);
        const needsSecond = NEEDS_TWO.has(order.act) && subject.row.amount_minor > this.fourEyesMinor;
        const [written]: InterventionRow[] = await trx('interventions')
          .insert({
            id: order.interventionId,
            tenant_id: subject.row.tenant_id,
            organization_id: subject.row.organization_id,
            subject_kind: subject.kind,
            subject_id: subject.id,
            act: order.act,
            outcome: order.outcome ?? null,
            processor_reference: order.processorReference ?? null,
            reason: order.reason,
            currency: subject.row.currency,
            amount_minor: subject.row.amount_minor,
            needs_second: needsSecond,
            status: needsSecond ? 'proposed' : 'ordered',
            status_detail: needsSecond ? 'Another operator has to confirm it.' : WAITS_FOR_FLOW,
            ordered_by: by.id,
          })
          .returning('*');
        const done = needsSecond ? written! : await this.carryOut(trx, subject, written!, by);
        await note(trx, done, by, needsSecond ? 'propose' : 'order');
        return done;
      })
      .catch((error: unknown) => {
        if (violates(error, 'interventions_one_proposal'))
          throw new DomainError('invalid_state', 'An intervention is proposed already: confirm or withdraw it first');
        throw error;
      });
    return this.bring(ordered);
  }

  /**
   * The second operator agrees. Throws `not_found`, `forbidden` (who proposed it) and `invalid_state` (409: it is not
   * proposed any more, or the state of the object does not allow it any more).
   */
  async confirm(id: string, by: Actor): Promise<InterventionRow> {
    const known = await this.find(id);
    const confirmed = await this.parts.database.tenant(known.tenant_id, async (trx) => {
      const subject = await findSubject(trx, known.subject_id, { lock: true });
      const row = await lockProposal(trx, id);
      if (row.ordered_by === by.id) throw new DomainError('forbidden', 'Another operator has to confirm the proposal');
      requirePossible(subject, row.act);
      const change = { status: 'ordered', status_detail: WAITS_FOR_FLOW, confirmed_by: by.id } as const;
      const done = await this.carryOut(trx, subject, await moveIntervention(trx, row, change), by);
      await note(trx, done, by, 'confirm');
      return done;
    });
    return this.bring(confirmed);
  }

  /** Takes a proposal back. Throws `not_found` and `invalid_state` (409). */
  async withdraw(id: string, reason: string, by: Actor): Promise<InterventionRow> {
    const { tenant_id } = await this.find(id);
    return this.parts.database.tenant(tenant_id, async (trx) => {
      const row = await lockProposal(trx, id);
      const change = { status: 'withdrawn', status_detail: `Withdrawn: ${reason}` } as const;
      const withdrawn = await moveIntervention(trx, row, change);
      await note(trx, withdrawn, by, 'withdraw', { withdrawnBecause: reason });
      return withdrawn;
    });
  }

  /** What no flow waits for is done at once, in the transaction of the order. */
  private async carryOut(
    trx: Knex.Transaction,
    subject: Subject,
    row: InterventionRow,
    by: Actor,
  ): Promise<InterventionRow> {
    const cause = becauseOf.operator(row.ordered_by, row.act);
    if (row.act === 'close') await close(trx, this.parts.ledger, subject, cause, row.reason);
    else if (row.act === 'mark_returned' && subject.kind === 'receipt') {
      const payment = await trx('payments').where({ id: subject.row.payment_id }).first();
      const detail = `The money is back with its payer, as operators say: ${row.reason}`;
      await recordReturned(trx, this.parts.ledger, payment, subject.row, detail);
    } else return row;
    return moveIntervention(trx, row, {
      status: 'done',
      status_detail: row.act === 'close' ? 'Somebody has seen to it.' : 'The money is booked as returned.',
      carried_out_by: by.id,
    });
  }

  /** What is written down is accepted: with the engine away, the workers bring it when it is back. */
  private async bring(row: InterventionRow): Promise<InterventionRow> {
    if (row.status !== 'ordered') return row;
    const { database, engine } = this.parts;
    await wake(engine, async () =>
      bringToFlow(engine, database.system, await findSubject(database.ops, row.subject_id), row),
    );
    return row;
  }
}

const WAITS_FOR_FLOW = 'The flow of the object carries it out.';

function requirePossible(subject: Subject, act: InterventionAct): void {
  if (!possibleActs(subject).includes(act))
    throw new DomainError('invalid_state', `This is not possible: the ${subject.kind} is ${subject.row.status}`);
}

function checkOutcome({ kind }: Subject, { act, outcome }: InterventionOrder): void {
  if (act !== 'resolve') return;
  const outcomes = OUTCOMES_OF[kind] ?? [];
  if (!outcome || !outcomes.includes(outcome)) refuse('outcome', `must be one of ${outcomes.join(', ')} for a ${kind}`);
}

async function lockProposal(trx: Knex.Transaction, id: string): Promise<InterventionRow> {
  const row = await lockIntervention(trx, id);
  if (row.status !== 'proposed') throw new DomainError('invalid_state', `The intervention is ${row.status}`);
  return row;
}

/** Nobody has to look at it any more. */
async function close(
  trx: Knex.Transaction,
  ledger: Ledger,
  { kind, row }: Subject,
  cause: ReturnType<typeof becauseOf.operator>,
  reason: string,
): Promise<void> {
  if (kind === 'refund') await trx('refunds').where({ id: row.id }).update({ review_since: null });
  if (kind !== 'payment' && kind !== 'topup') return;
  await applyChange(trx, ledger, row, {
    to: row.status,
    resultCode: row.result_code,
    detail: `${row.status_detail} Operators have seen to it: ${reason}`,
    cause,
    columns: { review_reason: null, review_since: null },
  });
}

function note(trx: Knex.Transaction, row: InterventionRow, by: Actor, verb: string, more: object = {}): Promise<void> {
  const { id, act, outcome, reason, status } = row;
  return noteDone(trx, row.tenant_id, by, `interventions.${verb}`, row.subject_id, {
    interventionId: id,
    act,
    ...(outcome && { outcome }),
    reason,
    status,
    ...more,
  });
}
