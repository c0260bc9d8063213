import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { Page } from '../../foundation/db/page';
import type { Ledger } from '../../money/ledger/ledger';
import { orderPayout } from './order';
import { payingProcessor } from './processor';
import { lockPosition, type PositionRow, type Seller } from './reckoning';
import { isDate, nextDate } from './schedule';
import { scheduleOf, termsFor } from './terms';

/** One row of `payout_runs`: what became of one date of a seller's schedule. */
export interface RunRow {
  id: bigint;
  tenant_id: string;
  organization_id: string;
  currency: string;
  due_at: Date;
  /** `carried`: nothing was paid, and the balance waits for the next date. */
  outcome: 'paid_out' | 'carried';
  detail: string;
  available_minor: bigint;
  payout_id: string | null;
  created_at: Date;
}

export interface Scheduling {
  database: Database;
  ledger: Ledger;
  connectors: Pick<Connectors, 'all'>;
}

/** Who the audit log and the row name for a payout that a schedule made. */
const SCHEDULE = 'schedule';

/**
 * Makes the payouts that are due, one seller after the other, at most `limit`: however many sellers share a date, they come
 * at the pace of one transaction each. Their flows are started by whoever looks for payouts that no flow has heard of.
 * Answers how many sellers it looked at. One that fails does not stop the others: the first failure is thrown at the end.
 */
export async function runDue(deps: Scheduling, limit: number, now = new Date()): Promise<number> {
  const due: PositionRow[] = await deps.database
    .system('payout_positions')
    .whereRaw('least(next_run_at, run_ordered_at) <= ?', [now])
    .orderByRaw('least(next_run_at, run_ordered_at)')
    .limit(limit);
  const failures: unknown[] = [];
  for (const { tenant_id: tenantId, organization_id: organizationId, currency } of due)
    await runOne(deps, { tenantId, organizationId, currency }, now).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return due.length;
}

/** The date of one seller's schedule, in one transaction; whoever comes second finds it done. */
function runOne({ database, ledger, connectors }: Scheduling, seller: Seller, now: Date): Promise<void> {
  return database.tenant(seller.tenantId, async (trx) => {
    const position = await lockPosition(trx, seller);
    const { next_run_at: next, run_ordered_at: ordered } = position;
    const schedule = scheduleOf(await termsFor(trx, seller, now));
    const isDue = next !== null && next <= now && isDate(schedule, next);
    const date = ordered ?? (isDue ? next : undefined);
    // The terms may have changed since the date was set: then there is only the next one to set.
    if (date && schedule.schedule !== 'on_demand' && !(await wasRun(trx, seller, date))) {
      const id = newId('payout');
      const order = {
        id,
        origin: 'schedule',
        processor: payingProcessor(connectors),
        sendAt: now,
        by: SCHEDULE,
      } as const;
      const made = await orderPayout(trx, ledger, seller, order, now);
      await trx('payout_runs').insert({
        tenant_id: seller.tenantId,
        organization_id: seller.organizationId,
        currency: seller.currency,
        due_at: date,
        ...('carried' in made
          ? { outcome: 'carried', detail: made.carried, available_minor: String(made.availableMinor) }
          : {
              outcome: 'paid_out',
              detail: 'All that was available was paid out.',
              available_minor: String(made.amount_minor),
              payout_id: made.id,
            }),
      });
    }
    await trx('payout_positions')
      .where({ organization_id: seller.organizationId, currency: seller.currency })
      .update({ next_run_at: nextDate(schedule, now) ?? null, run_ordered_at: null });
  });
}

async function wasRun(trx: Knex.Transaction, { organizationId, currency }: Seller, date: Date): Promise<boolean> {
  const key = { organization_id: organizationId, currency, due_at: date };
  return (await trx('payout_runs').where(key).first('id')) !== undefined;
}

/** Gives sellers who have money and no position yet one, with the next date of their schedule. Answers how many. */
export async function findNewSellers({ database }: Pick<Scheduling, 'database'>, now = new Date()): Promise<number> {
  const { rows } = await database.system.raw(
    `SELECT a.tenant_id AS "tenantId", a.owner AS "organizationId", a.currency FROM ledger_accounts a
     JOIN organizations o ON o.id = a.owner AND NOT o.house
     WHERE a.kind = 'merchant_payable' AND NOT EXISTS (SELECT 1 FROM payout_positions p
       WHERE p.organization_id = a.owner AND p.currency = a.currency) ORDER BY a.id LIMIT 100`,
  );
  for (const seller of rows as Seller[])
    await database.tenant(seller.tenantId, async (trx) => {
      await lockPosition(trx, seller);
      const next = nextDate(scheduleOf(await termsFor(trx, seller, now)), now) ?? null;
      await trx('payout_positions')
        .where({ organization_id: seller.organizationId, currency: seller.currency })
        .update({ next_run_at: next });
    });
  return rows.length;
}

/** Newest first; one more than the page holds. */
export function runsOf(trx: Knex.Transaction, { limit, cursor }: Page, organizationId?: string): Promise<RunRow[]> {
  const rows = trx('payout_runs')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor) rows.where('id', '<', cursor);
  if (organizationId) rows.where({ organization_id: organizationId });
  return rows;
}
