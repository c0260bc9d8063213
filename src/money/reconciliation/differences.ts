import type { Knex } from 'knex';
import type { ProcessorId, SettlementLine } from '../../domain/connector';
import { newId } from '../../domain/ids';
import {
  CAUSES_OF_LINE,
  IN_NO_REPORT,
  IS_UNMATCHED,
  MATCHING_LOCK,
  SUBJECT_OF_LINE,
  TRANSFER_OF_CAUSE,
} from './movements';

export const DIFFERENCE_KINDS = ['missing_here', 'missing_there', 'different_amount', 'different_fee'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

export const DIFFERENCE_STATUSES = ['open', 'resolved', 'matched_later'] as const;

export const RESOLUTIONS = ['book', 'write_off', 'provider_corrects'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** One row of `reconciliation_differences`. Amounts are minor units of `currency`. */
export interface DifferenceRow {
  id: string;
  /** Absent while the line names no payment that we know. */
  tenant_id: string | null;
  processor: ProcessorId;
  kind: DifferenceKind;
  line_kind: SettlementLine['kind'];
  line_id: string | null;
  batch_id: string | null;
  /** The cause of the ledger transfer on our side. */
  movement: string | null;
  reference: string;
  payment_reference: string;
  currency: string;
  /** What the report says: an amount, of `different_fee` the fee. */
  reported_minor: bigint | null;
  /** What we hold or expect. */
  expected_minor: bigint | null;
  /** The fee of a line that is not booked. */
  fee_minor: bigint;
  status: (typeof DIFFERENCE_STATUSES)[number];
  resolution: Resolution | null;
  reason: string | null;
  resolved_by: string | null;
  found_at: Date;
  closed_at: Date | null;
}

export function newDifferenceIds(count: number): string[] {
  return Array.from({ length: count }, () => newId('difference'));
}

const CHUNK = 1_000;

/**
 * Opens a difference for every waiting line that was kept for `graceMs` (of one batch, or of all): `different_amount`
 * where a movement of ours differs in the amount only, `missing_here` otherwise.
 */
export async function openLineDifferences(
  system: Knex,
  processor: ProcessorId,
  { graceMs, batchId }: { graceMs: number; batchId?: string },
): Promise<void> {
  let after = '';
  for (;;) {
    const last = await system.transaction(async (trx) => {
      await trx.raw(MATCHING_LOCK, [processor]);
      const { rows } = await trx.raw(
        `SELECT l.line_id FROM settlement_lines l WHERE l.processor = :processor AND l.outcome = 'waiting'
           AND l.booked_at <= clock_timestamp() - :graceMs * interval '1 millisecond' AND l.line_id > :after ${batchId === undefined ? '' : 'AND l.batch_id = :batchId'}
           AND NOT EXISTS (SELECT 1 FROM reconciliation_differences d WHERE d.processor = l.processor
             AND d.line_id = l.line_id AND d.kind IN ('missing_here', 'different_amount') AND d.status <> 'matched_later')
         ORDER BY l.line_id LIMIT ${CHUNK}`,
        { processor, graceMs, after, ...(batchId === undefined ? {} : { batchId }) },
      );
      const lines: string[] = rows.map(({ line_id }: { line_id: string }) => line_id);
      if (lines.length > 0) await openFor(trx, processor, lines);
      return lines.at(-1);
    });
    if (last === undefined) return;
    after = last;
  }
}

async function openFor(trx: Knex.Transaction, processor: ProcessorId, lines: string[]): Promise<void> {
  const { rows } = await trx.raw(
    `INSERT INTO reconciliation_differences (id, tenant_id, processor, kind, line_kind, line_id, batch_id, movement,
       reference, payment_reference, currency, reported_minor, expected_minor, fee_minor)
     SELECT n.id, coalesce(o.tenant_id, p.tenant_id), g.processor,
       CASE WHEN o.cause IS NULL THEN 'missing_here' ELSE 'different_amount' END, g.kind, g.line_id, g.batch_id, o.cause,
       g.reference, g.payment_reference, g.currency, g.amount_minor, o.amount_minor, g.fee_minor
     FROM unnest(:ids::text[], :lines::text[]) AS n(id, line_id)
     JOIN settlement_lines g ON g.processor = :processor AND g.line_id = n.line_id
     LEFT JOIN LATERAL (${SUBJECT_OF_LINE}) p ON true
     LEFT JOIN LATERAL (
       SELECT t.tenant_id, t.cause, t.amount_minor FROM (${CAUSES_OF_LINE}) c
       CROSS JOIN LATERAL (${TRANSFER_OF_CAUSE}) t
       WHERE t.currency = g.currency AND t.amount_minor <> g.amount_minor AND ${IS_UNMATCHED}
         -- One movement explains one line.
         AND NOT EXISTS (SELECT 1 FROM reconciliation_differences o WHERE o.tenant_id = t.tenant_id
           AND o.movement = t.cause AND o.kind = 'different_amount' AND o.status = 'open')
       ORDER BY t.id LIMIT 1) o ON true
     ON CONFLICT DO NOTHING
     RETURNING tenant_id, movement`,
    { processor, ids: newDifferenceIds(lines.length), lines },
  );
  const explained = rows.filter(({ movement }: DifferenceRow) => movement !== null);
  // The line has come after all, if with another amount.
  await trx.raw(
    `UPDATE reconciliation_differences d SET status = 'matched_later', closed_at = clock_timestamp()
     FROM unnest(:tenants::text[], :movements::text[]) AS m(tenant_id, movement)
     WHERE d.kind = 'missing_there' AND d.status = 'open' AND d.tenant_id = m.tenant_id AND d.movement = m.movement`,
    {
      tenants: explained.map(({ tenant_id }: DifferenceRow) => tenant_id),
      movements: explained.map(({ movement }: DifferenceRow) => movement),
    },
  );
}

/**
 * Opens `missing_there` for every movement that no report has shown `graceMs` after it was booked. Movements of disputes are
 * looked for where the dispute changed since `since`; captures and refunds know by themselves that they are not settled.
 */
export async function openMissingThere(
  system: Knex,
  processor: ProcessorId,
  { graceMs, since }: { graceMs: number; since: Date },
): Promise<void> {
  let found = CHUNK;
  while (found === CHUNK)
    found = await system.transaction(async (trx) => {
      await trx.raw(MATCHING_LOCK, [processor]);
      const { rows }: { rows: MissingThere[] } = await trx.raw(
        `SELECT * FROM (${IN_NO_REPORT}) m
         WHERE NOT EXISTS (SELECT 1 FROM reconciliation_differences o WHERE o.tenant_id = m.tenant_id
           AND o.movement = m.cause AND o.kind <> 'different_fee' AND o.status <> 'matched_later')
         LIMIT ${CHUNK}`,
        { processor, graceMs, since },
      );
      if (rows.length > 0)
        await trx('reconciliation_differences').insert(
          rows.map(({ cause, kind, amount_minor, ...row }) => ({
            ...row,
            id: newId('difference'),
            processor,
            kind: 'missing_there',
            line_kind: kind,
            movement: cause,
            expected_minor: amount_minor,
          })),
        );
      return rows.length;
    });
}

interface MissingThere {
  tenant_id: string;
  cause: string;
  kind: SettlementLine['kind'];
  reference: string;
  payment_reference: string;
  currency: string;
  amount_minor: bigint;
}
