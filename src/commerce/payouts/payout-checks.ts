import type { Check } from '../../money/books-check/check';
import { type CauseStep, causeInSql } from '../../money/ledger/causes';
import { PART } from './reckoning';

const booked = (step: CauseStep<'payout'>) => `coalesce((SELECT t.amount_minor FROM ledger_transfers t
  WHERE t.tenant_id = p.tenant_id AND t.cause = ${causeInSql('payout', 'p.id', step)}), 0)`;

/** Which of the bookings a payout must have, by its status: 1 where there must be one of its amount. */
const MUST: Record<string, string> = {
  ordered: '1',
  paid: "CASE WHEN status IN ('settled', 'returned') THEN 1 ELSE 0 END",
  returned: "CASE WHEN status = 'returned' THEN 1 ELSE 0 END",
  released: "CASE WHEN status IN ('failed', 'cancelled') THEN 1 ELSE 0 END",
};

const balanceOf = (kind: string) => `
  SELECT a.tenant_id, a.owner AS organization_id, a.currency, b.posted_minor AS ledger FROM ledger_accounts a
  JOIN ledger_balances b ON b.account_id = a.id WHERE a.kind = '${kind}'`;

/** What lies in an account of sellers is what its rows say. */
const heldBy = (kind: string, rows: string) => `
  SELECT concat_ws(' ', organization_id, currency) AS subject,
    format('rows say %s, the ledger says %s', coalesce(r.rows, 0), coalesce(l.ledger, 0)) AS detail
  FROM (${balanceOf(kind)}) l FULL JOIN (${rows}) r USING (tenant_id, organization_id, currency)
  WHERE coalesce(r.rows, 0) <> coalesce(l.ledger, 0)`;

/** What must hold between payouts, their statements and the ledger. */
export const PAYOUT_CHECKS: Check[] = [
  {
    name: 'a payout is booked as what became of it',
    sql: `SELECT id AS subject, format('%s of %s: ordered %s, paid %s, returned %s, released %s', status, amount_minor,
        ordered, paid, returned, released) AS detail
      FROM (SELECT p.id, p.status, p.amount_minor, ${booked('ordered')} AS ordered, ${booked('paid')} AS paid,
          ${booked('returned')} AS returned, ${booked('released')} AS released FROM payouts p) s
      WHERE ${Object.entries(MUST)
        .map(([step, must]) => `${step} <> amount_minor * (${must})`)
        .join(' OR ')}`,
  },
  {
    name: 'what is on its way to sellers is what their open payouts say',
    sql: heldBy(
      'payout_clearing',
      `SELECT tenant_id, organization_id, currency, sum(amount_minor) AS rows FROM payouts
        WHERE status IN ('scheduled', 'sent') GROUP BY 1, 2, 3`,
    ),
  },
  {
    name: 'the reserve of sellers is what their payouts hold',
    sql: heldBy(
      'merchant_reserve',
      `SELECT tenant_id, organization_id, currency, sum(reserve_held_minor) AS rows FROM payouts
        WHERE reserve_released_by IS NULL AND reserve_held_minor > 0 GROUP BY 1, 2, 3`,
    ),
  },
  {
    name: 'a statement of a payout is the sum of its entries',
    sql: `SELECT p.id AS subject, format('gross %s is %s, fees %s is %s, refunds %s is %s, disputes %s is %s, other %s is %s',
        p.gross_minor, e.gross, p.fees_minor, e.fees, p.refunds_minor, e.refunds, p.disputes_minor, e.disputes,
        p.returned_minor + p.other_minor - p.amount_minor - p.reserve_held_minor + p.reserve_released_minor, e.rest) AS detail
      FROM payouts p LEFT JOIN (SELECT payout_id, sum(signed) FILTER (WHERE part = 'gross_minor') AS gross,
          sum(signed) FILTER (WHERE part = 'fees_minor') AS fees, sum(signed) FILTER (WHERE part = 'refunds_minor') AS refunds,
          sum(signed) FILTER (WHERE part = 'disputes_minor') AS disputes,
          sum(signed) FILTER (WHERE part IN ('returned_minor', 'other_minor')) AS rest
        FROM (SELECT n.payout_id, ${PART} AS part, CASE WHEN c.kind = 'merchant_payable' THEN t.amount_minor
            ELSE -t.amount_minor END AS signed
          FROM payout_entries n JOIN ledger_transfers t ON t.id = n.transfer_id
          JOIN ledger_accounts c ON c.id = t.credit_account_id
          JOIN ledger_accounts o ON o.id = CASE WHEN c.kind = 'merchant_payable' THEN t.debit_account_id ELSE c.id END) s
        GROUP BY payout_id) e ON e.payout_id = p.id
      WHERE p.gross_minor <> coalesce(e.gross, 0) OR p.fees_minor <> coalesce(e.fees, 0)
        OR p.refunds_minor <> coalesce(e.refunds, 0) OR p.disputes_minor <> coalesce(e.disputes, 0)
        OR p.returned_minor + p.other_minor - p.amount_minor - p.reserve_held_minor + p.reserve_released_minor
          <> coalesce(e.rest, 0)`,
  },
  {
    name: 'a statement begins where the one before ended',
    sql: `SELECT id AS subject, format('opens with %s after %s', opening_minor, before) AS detail FROM (
        SELECT id, number, opening_minor, lag(number, 1, 0) OVER w AS earlier, lag(closing_minor, 1, 0::bigint) OVER w AS before
        FROM payouts WINDOW w AS (PARTITION BY organization_id, currency ORDER BY number)) s
      WHERE opening_minor <> before OR number <> earlier + 1`,
  },
  {
    // A statement looks for entries from some time ago on only; one that was older than that would be in none.
    name: 'no entry is missing in the statements of its seller',
    sql: `SELECT t.cause AS subject, t.amount_minor || ' ' || t.currency || ' is in no statement' AS detail
      FROM ledger_accounts a JOIN LATERAL (
        SELECT max(e.transfer_id) AS id FROM payouts p JOIN payout_entries e ON e.payout_id = p.id
        WHERE p.organization_id = a.owner AND p.currency = a.currency AND p.created_at < clock_timestamp() - interval '1 hour') f
        ON f.id IS NOT NULL
      JOIN ledger_transfers t ON a.id IN (t.debit_account_id, t.credit_account_id) AND t.id <= f.id
      WHERE a.kind = 'merchant_payable' AND t.phase IN ('posted', 'post')
        AND NOT EXISTS (SELECT 1 FROM payout_entries e WHERE e.transfer_id = t.id)`,
  },
];
