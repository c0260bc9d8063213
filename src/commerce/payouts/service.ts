import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import { DomainError, found, notFound } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { isOpenPayout, type PayoutStatus } from '../../domain/states/payout';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import type { Ledger } from '../../money/ledger/ledger';
import { type AccountRow, accountInEffect } from './account';
import { released } from './bookings';
import { proceedWithPayout } from './flow';
import { movePayout } from './move';
import { orderPayout, type Standing, standingOf } from './order';
import { findPayout, type Origin, type PayoutRow } from './payout';
import { payingProcessor } from './processor';
import type { PositionRow, Seller } from './reckoning';
import { type RunRow, runsOf } from './runs';

/** Whose payouts a request may see: those of a tenant, or of one organization. */
export interface PayoutScope {
  tenantId: string;
  organizationId?: string;
}

export interface OnDemand {
  id: string;
  currency: string;
  /** Minor units; absent: all that is available. */
  amountMinor?: bigint;
  /** Absent: now. Until then it can be cancelled. */
  sendAt?: Date;
}

export interface PayoutFilter extends Page {
  status?: PayoutStatus;
  currency?: string;
  origin?: Origin;
  from?: Date;
  to?: Date;
}

interface PayoutDependencies {
  database: Database;
  engine: Engine;
  ledger: Ledger;
  connectors: Pick<Connectors, 'all'>;
  firstAnswers: FirstAnswers;
}

/** How long the engine may take to accept a command. */
const ENGINE_DEADLINE_MS = 3_000;

/** What the API does about payouts. What somebody orders is written down first; the flow acts on it. */
export class Payouts {
  /** `firstAnswerMs`: how long a request waits for the flow, in milliseconds. */
  constructor(
    private readonly deps: PayoutDependencies,
    private readonly firstAnswerMs: number,
  ) {}

  /**
   * Pays out on demand. The same id again answers the row that is there (a repeat after a crash). Throws `not_found`,
   * `insufficient_funds` (422) where less is available or the smallest payout is more, and `invalid_state` (409) without a
   * verified account.
   */
  async create(scope: PayoutScope & { organizationId: string }, order: OnDemand, by: Actor): Promise<PayoutRow> {
    const { tenantId, organizationId } = scope;
    const { id, currency, amountMinor, sendAt = new Date() } = order;
    const answered = this.deps.firstAnswers.wait(id, this.firstAnswerMs);
    const row: PayoutRow = await this.deps.database.tenant(tenantId, async (trx) => {
      found(await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id'), 'organization');
      const known: PayoutRow | undefined = await trx('payouts').where({ id }).first();
      if (known) return known;
      const processor = payingProcessor(this.deps.connectors);
      const ordered = { id, origin: 'on_demand' as const, processor, amountMinor, sendAt, by: by.id };
      const made = await orderPayout(trx, this.deps.ledger, { tenantId, organizationId, currency }, ordered);
      if ('carried' in made) throw new DomainError(made.code, made.carried);
      const amount = formatAmount(made.amount_minor, currency);
      await noteDone(trx, tenantId, by, 'payouts.order', id, { organizationId, amount, currency });
      return made;
    });
    const isDue = row.status === 'scheduled' && row.send_at.getTime() <= Date.now();
    if ((await this.wake(row)) && isDue) await answered;
    return this.find(scope, id);
  }

  /** Takes a payout back that has not been sent. Throws `not_found`, and `invalid_state` (409) once it was. */
  async cancel(scope: PayoutScope, id: string, by: Actor): Promise<PayoutRow> {
    const row = await this.deps.database.tenant(scope.tenantId, async (trx) => {
      const known = await findOwn(trx, scope, id, { lock: true });
      if (known.status !== 'scheduled') throw new DomainError('invalid_state', `The payout is ${known.status}`);
      await this.deps.ledger.book(trx, known.tenant_id, known.currency, [released(known)]);
      const detail = 'It was cancelled. The money is back in the balance.';
      await noteDone(trx, known.tenant_id, by, 'payouts.cancel', id);
      return movePayout(trx, known, 'cancelled', { detail });
    });
    await this.wake(row);
    return row;
  }

  /** Throws `not_found`. */
  find(scope: PayoutScope, id: string): Promise<PayoutRow> {
    return this.deps.database.tenant(scope.tenantId, (trx) => findOwn(trx, scope, id));
  }

  /** The payout, and the account it went to, where it has been sent. Throws `not_found`. */
  findWithAccount(
    scope: PayoutScope,
    id: string,
  ): Promise<{ payout: PayoutRow; account?: AccountRow; seller: string }> {
    return this.deps.database.tenant(scope.tenantId, async (trx) => {
      const payout = await findOwn(trx, scope, id);
      const organization = await trx('organizations').where({ id: payout.organization_id }).first('name');
      const account = payout.account_id
        ? await trx('payout_accounts').where({ id: payout.account_id }).first()
        : undefined;
      return { payout, account, seller: organization.name };
    });
  }

  /**
   * Payouts with the accounts they went to, or would go to now, for a file to the tenant's bank: one, or those of a time
   * that were not taken back. Who takes the account numbers is written down. Throws `not_found`, and `invalid_state` (409)
   * where there is none, or an account is missing.
   */
  async forBank(
    scope: PayoutScope,
    which: { id: string } | { from: Date; to: Date; currency?: string },
    by: Actor,
  ): Promise<{ debtor: string; transfers: { payout: PayoutRow; account: AccountRow }[] }> {
    return this.deps.database.tenant(scope.tenantId, async (trx) => {
      const payouts = 'id' in which ? [await findOwn(trx, scope, which.id)] : await ofTime(trx, scope, which);
      if (payouts.length === 0) throw new DomainError('invalid_state', 'There is no payout for a file');
      const transfers: { payout: PayoutRow; account: AccountRow }[] = [];
      for (const payout of payouts) {
        const account: AccountRow | undefined = payout.account_id
          ? await trx('payout_accounts').where({ id: payout.account_id }).first()
          : await accountInEffect(trx, payout.organization_id, new Date());
        if (!account) throw new DomainError('invalid_state', `There is no verified account for ${payout.id}`);
        transfers.push({ payout, account });
      }
      const tenant = await trx('tenants').where({ id: scope.tenantId }).first('name');
      const ids = payouts.map(({ id }) => id);
      await noteDone(trx, scope.tenantId, by, 'payouts.pain001', ids[0]!, { payouts: ids.length });
      return { debtor: tenant.name, transfers };
    });
  }

  /** Newest first; one more than the page holds. */
  list(
    { tenantId, organizationId }: PayoutScope,
    { status, currency, origin, from, to, ...page }: PayoutFilter,
  ): Promise<PayoutRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('payouts').where({ tenant_id: tenantId }), page);
      const chosen = { organization_id: organizationId, status, currency, origin };
      for (const [column, value] of Object.entries(chosen)) if (value !== undefined) rows.where(column, value);
      if (from) rows.where('created_at', '>=', from);
      if (to) rows.where('created_at', '<', to);
      return rows;
    });
  }

  /** Where an organization stands in a currency: what could be paid now, and why. Throws `not_found`. */
  standing({ tenantId, organizationId, currency }: Seller): Promise<Standing> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      found(await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id'), 'organization');
      const position: PositionRow | undefined = await trx('payout_positions')
        .where({ organization_id: organizationId, currency })
        .first();
      return standingOf(trx, { tenantId, organizationId, currency }, position ?? { closing_minor: 0n }, new Date());
    });
  }

  /** What became of the dates of schedules, newest first; one more than the page holds. */
  runs({ tenantId, organizationId }: PayoutScope, page: Page): Promise<RunRow[]> {
    return this.deps.database.tenant(tenantId, (trx) => runsOf(trx, page, organizationId));
  }

  /**
   * Has the schedule of a tenant, or of one organization, run now, before its time. The workers do it. Sellers who are paid
   * on demand only are left out. Answers how many there are.
   */
  runNow({ tenantId, organizationId }: PayoutScope, by: Actor): Promise<number> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const positions = trx('payout_positions').where({ tenant_id: tenantId }).whereNotNull('next_run_at');
      if (organizationId) positions.where({ organization_id: organizationId });
      const ordered = await positions.update({ run_ordered_at: trx.raw('clock_timestamp()') });
      await noteDone(trx, tenantId, by, 'payouts.run', organizationId ?? tenantId, { positions: ordered });
      return ordered;
    });
  }

  /** False: the engine is away, and the workers will wake the flow when it is back. */
  private wake(row: PayoutRow): Promise<boolean> {
    const { engine } = this.deps;
    if (!isOpenPayout(row.status) && row.status !== 'cancelled') return Promise.resolve(false);
    return engine.connection
      .withDeadline(Date.now() + ENGINE_DEADLINE_MS, () => proceedWithPayout(engine, row))
      .then(
        () => true,
        () => false,
      );
  }
}

/** The largest file. */
const MOST_IN_FILE = 1_000;

async function ofTime(
  trx: Knex.Transaction,
  { tenantId, organizationId }: PayoutScope,
  { from, to, currency }: { from: Date; to: Date; currency?: string },
): Promise<PayoutRow[]> {
  const rows = trx('payouts')
    .where({
      tenant_id: tenantId,
      ...(organizationId && { organization_id: organizationId }),
      ...(currency && { currency }),
    })
    .whereNotIn('status', ['cancelled', 'failed'])
    .where('send_at', '>=', from)
    .where('send_at', '<', to)
    .orderBy('id')
    .limit(MOST_IN_FILE + 1);
  const found: PayoutRow[] = await rows;
  if (found.length > MOST_IN_FILE)
    throw new DomainError('invalid_state', `A file has ${MOST_IN_FILE} payouts at most: ask for a shorter time`);
  return found;
}

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(
  trx: Knex.Transaction,
  { organizationId }: PayoutScope,
  id: string,
  options: { lock?: boolean } = {},
): Promise<PayoutRow> {
  const row = await findPayout(trx, id, options);
  if (organizationId && row.organization_id !== organizationId) throw notFound('payout');
  return row;
}
