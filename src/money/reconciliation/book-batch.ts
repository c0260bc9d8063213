import type { Knex } from 'knex';
import type { Connector, ProcessorId } from '../../domain/connector';
import type { SettlementInput, SettlementView } from '../../domain/flows';
import type { Ledger } from '../ledger/ledger';
import { openLineDifferences } from './differences';
import { matchLines } from './matching';
import { isKept, keepReport } from './reports';

/** What reads settlement reports and books what they say. Runs as the system role: a batch has lines of many tenants. */
export interface Settling {
  database: { system: Knex };
  ledger: Ledger;
  connectors: { get(processor: ProcessorId): Pick<Connector, 'settlementReport' | 'settlementBatches'> };
}

/**
 * Books every line of a batch that agrees with what we hold and was not booked before: thousands of payments in a few
 * statements, each line once. Lines for payments whose outcome is not known here yet are counted as waiting; with `final`
 * they become differences, for ops to resolve.
 */
export async function bookBatch(
  { database: { system }, ledger, connectors }: Settling,
  { processor, batchId }: SettlementInput,
  final: boolean,
): Promise<SettlementView> {
  if (!(await isKept(system, processor, batchId)))
    await keepReport(system, processor, await connectors.get(processor).settlementReport(batchId));
  await matchLines(system, ledger, processor, batchId);
  if (final) await openLineDifferences(system, processor, { graceMs: 0, batchId });
  const { rows } = await system.raw(
    `SELECT count(*)::integer AS lines, count(*) FILTER (WHERE outcome <> 'waiting')::integer AS booked
     FROM settlement_lines WHERE processor = ? AND batch_id = ?`,
    [processor, batchId],
  );
  const { lines, booked } = rows[0];
  return { lines, booked, waiting: lines - booked };
}
