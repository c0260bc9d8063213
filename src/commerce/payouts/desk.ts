import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { Ledger } from '../../money/ledger/ledger';
import { paid, returned } from './bookings';
import { proceedWithPayout } from './flow';
import { movePayout } from './move';
import { findPayout, type PayoutRow } from './payout';

/** Why a payout needs an operator. */
export const PAYOUT_PROBLEMS = ['outcome_unknown', 'returned', 'refused'] as const;
export type PayoutProblem = (typeof PAYOUT_PROBLEMS)[number];

/** The status in which a payout has each problem. */
const STATUS_OF: Record<PayoutProblem, PayoutRow['status']> = {
  outcome_unknown: 'sent',
  returned: 'returned',
  refused: 'failed',
};

/** Why an operator has to look at a payout that is for review. */
export function payoutProblemOf(status: PayoutRow['status']): PayoutProblem | undefined {
  return PAYOUT_PROBLEMS.find((problem) => STATUS_OF[problem] === status);
}

export const PAYOUT_ADVICE: Record<PayoutProblem, string> = {
  outcome_unknown: 'Ask the processor again. If the bank says that the money came back, mark it as returned.',
  returned: 'The money is back in the balance. Have the seller check its account, then close it.',
  refused: 'The money is back in the balance. Read why, have the seller name another account, then close it.',
};

export interface DeskFilter extends Page {
  problem?: PayoutProblem;
  tenantId?: string;
  organizationId?: string;
}

interface DeskParts {
  database: Database;
  ledger: Ledger;
  engine: Engine;
}

/** What operators do about payouts whose outcome is unknown for too long, or that were refused or came back. */
export class PayoutDesk {
  constructor(
    private readonly parts: DeskParts,
    /** PAYOUT_FOUR_EYES_MINOR: to mark more than this as returned takes two operators. Minor units of any currency. */
    private readonly fourEyesMinor: bigint,
  ) {}

  /** Those that wait for an operator; one more than the page holds, newest first. */
  async list({ problem, tenantId, organizationId, ...page }: DeskFilter): Promise<PayoutRow[]> {
    const rows = paged(this.parts.database.ops('payouts').whereNotNull('review_since'), page);
    if (problem) rows.where({ status: STATUS_OF[problem] });
    if (tenantId) rows.where({ tenant_id: tenantId });
    if (organizationId) rows.where({ organization_id: organizationId });
    return rows;
  }

  /** Any payout, whether it waits for an operator or not. Throws `not_found`. */
  async find(id: string): Promise<PayoutRow> {
    return found<PayoutRow>(await this.parts.database.ops('payouts').where({ id }).first(), 'payout');
  }

  /** Has its flow ask the processor now. Throws `not_found`, and `invalid_state` where the outcome is known. */
  async askAgain(id: string, reason: string, by: Actor): Promise<PayoutRow> {
    const row = await this.act(id, by, 'ask_again', { reason }, async (trx, payout) => {
      requireSent(payout);
      const [asked]: PayoutRow[] = await trx('payouts')
        .where({ id })
        .update({ look_at: trx.raw('clock_timestamp()') })
        .returning('*');
      return asked!;
    });
    await this.wake(row);
    return row;
  }

  /**
   * The money is back, as the bank or the processor says by another way: it goes into the balance of the seller. Above the
   * limit this is a proposal. Throws `not_found`, and `invalid_state` (409) where it never went out, is back already, or is
   * proposed already.
   */
  async markReturned(id: string, reason: string, by: Actor): Promise<PayoutRow> {
    const row = await this.act(id, by, 'mark_returned', { reason }, async (trx, payout) => {
      requireOut(payout);
      if (payout.return_proposed_by) throw new DomainError('invalid_state', 'Somebody has proposed it already');
      const proposed = { return_reason: reason, return_proposed_by: by.id, return_proposed_at: new Date() };
      const [noted]: PayoutRow[] = await trx('payouts').where({ id }).update(proposed).returning('*');
      return payout.amount_minor > this.fourEyesMinor ? noted! : this.takeBack(trx, noted!);
    });
    await this.wake(row);
    return row;
  }

  /** Throws `not_found`, `forbidden` (who proposed it) and `invalid_state` (409: nothing is proposed, or it is back). */
  async confirmReturn(id: string, by: Actor): Promise<PayoutRow> {
    const row = await this.act(id, by, 'confirm_returned', {}, async (trx, payout) => {
      requireOut(payout);
      if (!payout.return_proposed_by) throw new DomainError('invalid_state', 'Nothing is proposed');
      if (payout.return_proposed_by === by.id)
        throw new DomainError('forbidden', 'Another operator has to confirm the proposal');
      const [agreed]: PayoutRow[] = await trx('payouts')
        .where({ id })
        .update({ return_confirmed_by: by.id })
        .returning('*');
      return this.takeBack(trx, agreed!);
    });
    await this.wake(row);
    return row;
  }

  /** Takes a proposal back. Throws `not_found` and `invalid_state` (409). */
  withdrawReturn(id: string, reason: string, by: Actor): Promise<PayoutRow> {
    return this.act(id, by, 'withdraw_returned', { reason }, async (trx, payout) => {
      requireOut(payout);
      if (!payout.return_proposed_by) throw new DomainError('invalid_state', 'Nothing is proposed');
      const [withdrawn]: PayoutRow[] = await trx('payouts')
        .where({ id })
        .update({ return_reason: null, return_proposed_by: null, return_proposed_at: null })
        .returning('*');
      return withdrawn!;
    });
  }

  /** It was refused or came back, and an operator has seen to it. Throws `not_found` and `invalid_state` (409). */
  close(id: string, reason: string, by: Actor): Promise<PayoutRow> {
    return this.act(id, by, 'close_review', { reason }, async (trx, payout) => {
      if (!payout.review_since || payout.status === 'sent')
        throw new DomainError('invalid_state', `The payout is ${payout.status}: there is nothing to close`);
      const [closed]: PayoutRow[] = await trx('payouts').where({ id }).update({ review_since: null }).returning('*');
      return closed!;
    });
  }

  private async takeBack(trx: Knex.Transaction, payout: PayoutRow): Promise<PayoutRow> {
    const movements = [...(payout.status === 'sent' ? [paid(payout)] : []), returned(payout)];
    await this.parts.ledger.book(trx, payout.tenant_id, payout.currency, movements);
    return movePayout(trx, payout, 'returned', {
      review_since: null,
      detail: `It came back, as operators say: ${payout.return_reason}. The money is back in the balance.`,
    });
  }

  /** Locks a payout, acts on it and writes down who did: one of two operators at once is first. */
  private act(
    id: string,
    by: Actor,
    verb: string,
    detail: { reason?: string },
    work: (trx: Knex.Transaction, payout: PayoutRow) => Promise<PayoutRow>,
  ): Promise<PayoutRow> {
    return this.parts.database.system.transaction(async (trx) => {
      const row = await work(trx, await findPayout(trx, id, { lock: true }));
      await noteDone(trx, row.tenant_id, by, `payouts.${verb}`, id, { ...detail, status: row.status });
      return row;
    });
  }

  private async wake(row: PayoutRow): Promise<void> {
    const { engine } = this.parts;
    await wake(engine, () => proceedWithPayout(engine, row));
  }
}

function requireSent({ status }: PayoutRow): void {
  if (status !== 'sent') throw new DomainError('invalid_state', `The payout is ${status}: its processor is not asked`);
}

function requireOut({ status }: PayoutRow): void {
  if (status !== 'sent' && status !== 'settled')
    throw new DomainError('invalid_state', `The payout is ${status}: no money of it is out`);
}
