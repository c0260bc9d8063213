import { causeInSql, subjectIdInSql } from '../ledger/causes';
import type { Check } from './check';

/** What was booked for a cause; nothing where it was not. */
const booked = (cause: string) =>
  `coalesce((SELECT l.amount_minor FROM ledger_transfers l WHERE l.tenant_id = t.tenant_id AND l.cause = ${cause}), 0)`;

/** What a top-up that a seller has sold did to the wallet: `w`, with what has to follow it for the seller: `f`. */
const FLOAT = `
  SELECT s.seller_id, s.tenant_id, l.id, l.cause, l.amount_minor, l.phase, l.debit_account_id, l.credit_account_id
  FROM (SELECT tenant_id, seller_id, payment_id AS subject FROM topups WHERE seller_id IS NOT NULL
    UNION ALL SELECT t.tenant_id, t.seller_id, r.id FROM topups t JOIN refunds r ON r.payment_id = t.payment_id
      WHERE t.seller_id IS NOT NULL
    UNION ALL SELECT t.tenant_id, t.seller_id, d.id FROM topups t JOIN disputes d ON d.payment_id = t.payment_id
      WHERE t.seller_id IS NOT NULL) s
  JOIN ledger_transfers l ON l.tenant_id = s.tenant_id AND ${subjectIdInSql('payment', 'l.cause')} = s.subject`;

/** Positive where an account of this kind gives, negative where it gets. */
const given = (kind: string, transfer: string) => `
  ${transfer}.amount_minor * ((SELECT kind FROM ledger_accounts WHERE id = ${transfer}.debit_account_id) = '${kind}')::integer
  - ${transfer}.amount_minor * ((SELECT kind FROM ledger_accounts WHERE id = ${transfer}.credit_account_id) = '${kind}')::integer`;

/** What must hold for money that was captured for wallets. */
export const TOPUP_CHECKS: Check[] = [
  {
    name: 'every payment for a wallet is a top-up, and none other',
    since: ['payments', 'topups'],
    sql: `SELECT coalesce(p.id, t.id) AS subject, coalesce(p.beneficiary, 'no payment') AS detail
      FROM payments p FULL JOIN topups t ON t.payment_id = p.id
      WHERE (p.beneficiary = 'wallet') IS DISTINCT FROM (t.id IS NOT NULL) AND (t.id IS NOT NULL OR p.beneficiary = 'wallet')`,
  },
  {
    name: 'fees of top-ups are booked and returned as the top-up says',
    since: ['payments', 'topups', 'refunds'],
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
    since: ['payments', 'topups'],
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
    since: ['payments', 'topups'],
    sql: `SELECT t.id AS subject, t.incoming_minor::text AS detail FROM topups t JOIN payments p ON p.id = t.payment_id
      WHERE p.settled_at IS NOT NULL AND t.incoming_minor <> 0`,
  },
  {
    name: 'what moves into a wallet that a seller has sold for, or out of it, moves between tenant and seller too',
    sql: `WITH moved AS (${FLOAT})
      SELECT coalesce(w.cause, f.cause) AS subject,
        format('%s %s of the wallet, %s %s of the seller', w.phase, w.out, f.phase, f.back) AS detail
      FROM (SELECT m.*, ${given('customer_wallet', 'm')} AS out FROM moved m WHERE m.cause NOT LIKE '%/float') w
      FULL JOIN (SELECT m.*, ${given('merchant_payable', 'm')} AS back, ${given('seller_float', 'm')} AS float
        FROM moved m WHERE m.cause LIKE '%/float') f ON f.tenant_id = w.tenant_id AND f.cause = w.cause || '/float'
      WHERE coalesce(w.out, 0) <> 0 AND f.id IS NULL
        OR f.id IS NOT NULL AND (w.out IS DISTINCT FROM f.back OR f.float <> -f.back OR w.phase <> f.phase
          OR f.seller_id NOT IN (SELECT owner FROM ledger_accounts WHERE id = f.debit_account_id)
          OR f.seller_id NOT IN (SELECT owner FROM ledger_accounts WHERE id = f.credit_account_id))`,
  },
  {
    name: 'what sellers hold for wallets comes from top-ups that they have sold',
    sql: `WITH moved AS (${FLOAT})
      SELECT l.cause AS subject, l.amount_minor || ' ' || l.currency AS detail
      FROM ledger_accounts a JOIN ledger_transfers l ON a.id IN (l.debit_account_id, l.credit_account_id)
      WHERE a.kind = 'seller_float' AND l.id NOT IN (SELECT id FROM moved WHERE cause LIKE '%/float')`,
  },
  {
    name: 'no customer has paid more than it owes',
    sql: `SELECT a.owner || ' ' || a.currency AS subject, sum(e.signed_minor)::text AS detail
      FROM ledger_accounts a JOIN ledger_entries e ON e.account_id = a.id
      WHERE a.kind = 'customer_receivable' GROUP BY a.owner, a.currency HAVING sum(e.signed_minor) < 0`,
  },
];
