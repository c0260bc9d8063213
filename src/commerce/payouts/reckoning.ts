import type { Knex } from 'knex';
import { type CauseSubject, isCauseOfInSql } from '../../money/ledger/causes';
import type { StatementSums } from './payout';

/** Whose balance, and in which currency. */
export interface Seller {
  tenantId: string;
  organizationId: string;
  currency: string;
}

/** One row of `payout_positions`: where the payouts of a seller stand. */
export interface PositionRow {
  tenant_id: string;
  organization_id: string;
  currency: string;
  last_number: number;
  /** The closing balance of the last statement, in minor units. */
  closing_minor: bigint;
  next_run_at: Date | null;
  run_ordered_at: Date | null;
}

/** What a seller's books say at one instant. Amounts are minor units. */
export interface Reckoning {
  /** What was booked since the last statement. */
  sums: StatementSums;
  /** The closing balance of the last statement, and those sums. */
  balanceMinor: bigint;
  /** Of it, what processors have yet to settle. */
  unsettledMinor: bigint;
  /** Of it, what refunds under way hold. */
  refundingMinor: bigint;
  /** When the first of the entries was booked. */
  from: Date | null;
}

type Part = keyof StatementSums;

/** Under which heading the entries about a subject stand. What a fee account is the other side of is a fee. */
const PARTS: Record<CauseSubject, Part> = {
  payment: 'gross_minor',
  refund: 'refunds_minor',
  dispute: 'disputes_minor',
  payout: 'returned_minor',
  bankEntry: 'other_minor',
  bankAccount: 'other_minor',
  bankReturn: 'other_minor',
  receipt: 'other_minor',
  unmatchedTransfer: 'other_minor',
  transfer: 'other_minor',
  settlement: 'other_minor',
  adjustment: 'other_minor',
};

/** The heading of an entry `t` whose other side is the account `o`. */
export const PART = `CASE WHEN o.kind = 'fee_income' THEN 'fees_minor' ${(Object.keys(PARTS) as CauseSubject[])
  .map((subject) => `WHEN ${isCauseOfInSql(subject, 't.cause')} THEN '${PARTS[subject]}'`)
  .join(' ')} ELSE 'other_minor' END`;

/**
 * Entries are looked for from the last statement on that is so old: a transaction that booked one before it has long ended
 * since, and statements made meanwhile may have missed those of transactions that were still under way.
 */
const SETTLED_DOWN = "interval '1 hour'";

/** The entries of the account `a` that no statement has, one row each: `id`, `signed`, `part`, `booked_at`. */
const FRESH = (['debit', 'credit'] as const)
  .map((side) => {
    const other = side === 'debit' ? 'credit' : 'debit';
    return `
      SELECT t.id, ${side === 'debit' ? '-' : ''}t.amount_minor AS signed, ${PART} AS part, t.booked_at
      FROM account a CROSS JOIN floor f JOIN ledger_transfers t ON t.${side}_account_id = a.id AND t.id > f.id
      JOIN ledger_accounts o ON o.id = t.${other}_account_id
      WHERE t.phase IN ('posted', 'post')
        AND NOT EXISTS (SELECT 1 FROM payout_entries e WHERE e.transfer_id = t.id)`;
  })
  .join(' UNION ALL ');

/** One statement, so that all of it is of one instant. */
const reckon = (taking: boolean) => `
  WITH account AS (SELECT id FROM ledger_accounts WHERE tenant_id = :tenantId AND currency = :currency
      AND kind = 'merchant_payable' AND owner = :organizationId),
    floor AS (SELECT coalesce((SELECT max(e.transfer_id) FROM payout_entries e WHERE e.payout_id = (SELECT p.id FROM payouts p
      WHERE p.organization_id = :organizationId AND p.currency = :currency
        AND p.created_at < clock_timestamp() - ${SETTLED_DOWN} ORDER BY p.number DESC LIMIT 1)), 0) AS id),
    fresh AS (${FRESH})
    ${taking ? ', taken AS (INSERT INTO payout_entries (transfer_id, tenant_id, payout_id) SELECT id, :tenantId, :payoutId FROM fresh)' : ''}
  SELECT ${[...new Set(Object.values(PARTS).concat('fees_minor'))]
    .map((part) => `coalesce(sum(signed) FILTER (WHERE part = '${part}'), 0)::bigint AS ${part}`)
    .join(', ')}, min(booked_at) AS "from",
    (SELECT coalesce(sum(captured_minor - refunded_minor - refund_reserved_minor - charged_back_minor), 0)::bigint
      FROM payments WHERE organization_id = :organizationId AND currency = :currency AND settled_at IS NULL
        AND captured_minor > 0 AND beneficiary = 'merchant') AS unsettled,
    (SELECT coalesce(sum(r.amount_minor), 0)::bigint FROM refunds r WHERE r.organization_id = :organizationId
      AND r.currency = :currency AND r.status = 'pending' AND r.taken_from IS NULL)
      + (SELECT coalesce(sum(r.amount_minor), 0)::bigint FROM refunds r JOIN topups s ON s.payment_id = r.payment_id
        WHERE s.seller_id = :organizationId AND r.currency = :currency AND r.status = 'pending'
          AND r.taken_from = 'customer_wallet') AS refunding
  FROM fresh`;

/**
 * What is in a seller's books now. With `payoutId`, the entries since the last statement become those of this payout; the
 * position has to be locked then.
 */
export async function reckonUp(
  trx: Knex.Transaction,
  { tenantId, organizationId, currency }: Seller,
  position: Pick<PositionRow, 'closing_minor'>,
  payoutId?: string,
): Promise<Reckoning> {
  const bindings = { tenantId, organizationId, currency, ...(payoutId && { payoutId }) };
  const { rows } = await trx.raw(reckon(payoutId !== undefined), bindings);
  const { from, unsettled, refunding, ...sums } = rows[0] as StatementSums & {
    from: Date | null;
    unsettled: bigint;
    refunding: bigint;
  };
  const moved = Object.values(sums).reduce((total: bigint, sum: bigint) => total + sum, 0n);
  return {
    sums,
    balanceMinor: position.closing_minor + moved,
    unsettledMinor: unsettled,
    refundingMinor: refunding,
    from,
  };
}

/** The seller's position, locked until the transaction ends: one payout of a seller is made at a time. */
export async function lockPosition(
  trx: Knex.Transaction,
  { tenantId, organizationId, currency }: Seller,
): Promise<PositionRow> {
  const key = { organization_id: organizationId, currency };
  await trx('payout_positions')
    .insert({ ...key, tenant_id: tenantId })
    .onConflict(['organization_id', 'currency'])
    .ignore();
  return trx('payout_positions').where(key).forUpdate().first();
}
