import type { Knex } from 'knex';
import { ATTEMPT_CHECKS } from './attempt-checks';
import { AUDIT_LOG_CHECKS } from './audit-log-checks';
import { CARD_CHECKS } from './card-checks';
import { type Check, type Checked, type CheckResult, runChecks } from './check';
import { OPERATION_CHECKS } from './operation-checks';
import { P2P_CHECKS } from './p2p-checks';
import { PAYMENT_CHECKS } from './payment-checks';
import type { Since } from './since';
import { STATISTICS_CHECKS } from './statistics-checks';
import { SUSPENSE_CHECKS } from './suspense-checks';
import { TOPUP_CHECKS } from './topup-checks';

const CHECKS: Check[] = [
  {
    name: 'entries balance per tenant and currency',
    since: ['ledger_entries'],
    sql: `SELECT tenant_id || ' ' || currency AS subject, sum(signed_minor)::text AS detail
      FROM ledger_entries GROUP BY tenant_id, currency HAVING sum(signed_minor) <> 0`,
  },
  {
    name: 'wallet balances equal their entries',
    sql: `SELECT b.account_id::text AS subject, b.posted_minor || ' but entries say ' || coalesce(-e.total, 0) AS detail
      FROM ledger_balances b LEFT JOIN (SELECT account_id, sum(signed_minor) AS total FROM ledger_entries
        GROUP BY account_id) e ON e.account_id = b.account_id WHERE b.posted_minor <> coalesce(-e.total, 0)`,
  },
  {
    name: 'what is summed up of accounts and currencies is their entries',
    sql: `WITH early AS MATERIALIZED (SELECT account_id, tenant_id, currency,
          coalesce(sum(signed_minor) FILTER (WHERE signed_minor > 0), 0) AS debit,
          coalesce(-sum(signed_minor) FILTER (WHERE signed_minor < 0), 0) AS credit
        FROM ledger_entries WHERE transfer_id <= (SELECT through_id FROM ledger_summed) GROUP BY 1, 2, 3),
      compared AS (
        SELECT account_id::text AS subject, s.debit_minor, s.credit_minor, e.debit, e.credit
        FROM ledger_sums s FULL JOIN (SELECT e.* FROM early e JOIN ledger_accounts a ON a.id = e.account_id
          WHERE NOT a.guarded) e USING (account_id)
        UNION ALL
        SELECT tenant_id || ' ' || currency, t.debit_minor, t.credit_minor, e.debit, e.credit
        FROM ledger_totals t FULL JOIN (SELECT tenant_id, currency, sum(debit) AS debit, sum(credit) AS credit FROM early
          GROUP BY 1, 2) e USING (tenant_id, currency))
      SELECT subject, format('debits %s but entries say %s, credits %s but entries say %s', coalesce(debit_minor, 0),
        coalesce(debit, 0), coalesce(credit_minor, 0), coalesce(credit, 0)) AS detail FROM compared
      WHERE coalesce(debit_minor, 0) <> coalesce(debit, 0) OR coalesce(credit_minor, 0) <> coalesce(credit, 0)`,
  },
  {
    name: 'each entry of a wallet leaves the balance of the one before, and its own amount',
    sql: `SELECT account_id || ' ' || cause AS subject, balance || ' after ' || before AS detail FROM (
        SELECT account_id, cause, signed, balance, coalesce(lag(balance) OVER (PARTITION BY account_id
          ORDER BY booked_at, id), 0) AS before
        FROM (SELECT debit_account_id AS account_id, cause, -amount_minor AS signed, debit_balance_minor AS balance,
            booked_at, id FROM ledger_transfers WHERE debit_guarded AND phase IN ('posted', 'post')
          UNION ALL SELECT credit_account_id, cause, amount_minor, credit_balance_minor, booked_at, id
            FROM ledger_transfers WHERE credit_guarded AND phase IN ('posted', 'post')) e) chain
      WHERE balance IS DISTINCT FROM before + signed`,
  },
  {
    name: 'what is held of a wallet is its open holds',
    sql: `SELECT b.account_id::text AS subject, b.held_minor || ' but open holds say ' || coalesce(h.total, 0) AS detail
      FROM ledger_balances b LEFT JOIN (SELECT t.debit_account_id, sum(t.amount_minor) AS total FROM ledger_transfers t
        LEFT JOIN ledger_transfers e ON e.pending_id = t.id WHERE t.phase = 'pending' AND t.debit_guarded AND e.id IS NULL
        GROUP BY t.debit_account_id) h ON h.debit_account_id = b.account_id WHERE b.held_minor <> coalesce(h.total, 0)`,
  },
  {
    name: 'no wallet is negative',
    sql: `SELECT account_id::text AS subject, (posted_minor - held_minor)::text AS detail FROM ledger_balances
      WHERE posted_minor - held_minor < 0`,
  },
  ...PAYMENT_CHECKS,
  ...OPERATION_CHECKS,
  ...ATTEMPT_CHECKS,
  ...CARD_CHECKS,
  ...SUSPENSE_CHECKS,
  ...TOPUP_CHECKS,
  ...P2P_CHECKS,
  ...AUDIT_LOG_CHECKS,
  ...STATISTICS_CHECKS,
];

/**
 * Proves the books from the inside: every check that has findings names them. `more`: those of shelves above this one. `each`:
 * told after each check. `since`: what was touched since an audit that found nothing. Runs as the ops role.
 */
export function auditBooks(
  ops: Knex,
  more: readonly Check[] = [],
  each?: (result: CheckResult) => Promise<void>,
  since?: Since,
): Promise<Checked> {
  return runChecks(ops, [...CHECKS, ...more], each, since);
}
