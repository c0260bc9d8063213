import { causeInSql } from '../ledger/causes';
import type { Check } from './check';

/** What was booked for a cause; nothing where it was not. */
const booked = (cause: string) =>
  `coalesce((SELECT l.amount_minor FROM ledger_transfers l WHERE l.tenant_id = t.tenant_id AND l.cause = ${cause}), 0)`;

/** What must hold for money that was captured for wallets. */
export const TOPUP_CHECKS: Check[] = [
  {
    name: 'every payment for a wallet is a top-up, and none other',
    sql: `SELECT coalesce(p.id, t.id) AS subject, coalesce(p.beneficiary, 'no payment') AS detail
      FROM payments p FULL JOIN topups t ON t.payment_id = p.id
      WHERE (p.beneficiary = 'wallet') IS DISTINCT FROM (t.id IS NOT NULL) AND (t.id IS NOT NULL OR p.beneficiary = 'wallet')`,
  },
  {
    name: 'fees of top-ups are booked and returned as the top-up says',
    sql: `SELECT id AS subject, format('fee %s booked %s, returned %s booked %s', expected, fee, fee_returned_minor, returned)
        AS detail
      FROM (SELECT t.id, CASE WHEN p.captured_minor > 0 THEN t.fee_minor ELSE 0 END AS expected,
          ${booked(causeInSql('payment', 'p.id', 'fee'))} AS fee, t.fee_returned_minor,
          coalesce((SELECT sum(${booked(causeInSql('refund', 'r.id', 'fee'))} - ${booked(causeInSql('refund', 'r.id', 'fee-kept'))}
              + ${booked(causeInSql('refund', 'r.id', 'corrected/fee'))} - ${booked(causeInSql('refund', 'r.id', 'reversed/fee'))})
            FROM refunds r WHERE r.payment_id = p.id), 0) AS returned
        FROM topups t JOIN payments p ON p.id = t.payment_id) f
      WHERE expected <> fee OR fee_returned_minor <> returned`,
  },
  {
    name: 'a top-up that is refunded in full has its whole fee back',
    sql: `SELECT t.id AS subject, t.fee_returned_minor || ' of ' || t.fee_minor AS detail
      FROM topups t JOIN payments p ON p.id = t.payment_id
      WHERE p.status = 'refunded' AND p.refunded_minor = p.captured_minor AND t.fee_returned_minor <> t.fee_minor`,
  },
  {
    name: 'what comes in for a customer is what its top-ups have not settled',
    sql: `SELECT a.owner || ' ' || a.currency AS subject, b.posted_minor - b.held_minor || ' but top-ups say ' || coalesce(s.total, 0)
        AS detail
      FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
      LEFT JOIN (SELECT tenant_id, customer_id, currency, sum(incoming_minor) AS total FROM topups GROUP BY 1, 2, 3) s
        ON s.tenant_id = a.tenant_id AND s.customer_id = a.owner AND s.currency = a.currency
      WHERE a.kind = 'customer_incoming' AND b.posted_minor - b.held_minor <> coalesce(s.total, 0)`,
  },
  {
    name: 'nothing of a settled top-up is still coming in',
    sql: `SELECT t.id AS subject, t.incoming_minor::text AS detail FROM topups t JOIN payments p ON p.id = t.payment_id
      WHERE p.settled_at IS NOT NULL AND t.incoming_minor <> 0`,
  },
  {
    name: 'no customer has paid more than it owes',
    sql: `SELECT a.owner || ' ' || a.currency AS subject, sum(e.signed_minor)::text AS detail
      FROM ledger_accounts a JOIN ledger_entries e ON e.account_id = a.id
      WHERE a.kind = 'customer_receivable' GROUP BY a.owner, a.currency HAVING sum(e.signed_minor) < 0`,
  },
];
