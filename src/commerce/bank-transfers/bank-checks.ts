import { OWN_BANK } from '../../domain/connector';
import type { Check } from '../../money/books-check/check';
import { causeInSql } from '../../money/ledger/causes';

/** The balance of accounts of a kind, a debit counted above zero. */
const balanceOf = (kind: string, more = '') => `
  SELECT a.tenant_id, a.owner, a.currency, sum(e.signed_minor) AS ledger FROM ledger_accounts a
  JOIN ledger_entries e ON e.account_id = a.id WHERE a.kind = '${kind}' ${more} GROUP BY 1, 2, 3`;

/** What the tenant has on its hands, by its rows: what came less what it became, in minor units. */
const ON_HANDS = `
  SELECT tenant_id, currency, -amount_minor AS minor FROM bank_entries WHERE status <> 'other'
  UNION ALL SELECT tenant_id, currency, captured_minor - refunded_minor FROM payments WHERE processor = '${OWN_BANK}'
  UNION ALL SELECT tenant_id, currency, amount_minor FROM unmatched_transfers
    WHERE processor = '${OWN_BANK}' AND status NOT IN ('matched', 'returned')
  UNION ALL SELECT tenant_id, currency, amount_minor FROM unapplied_receipts
    WHERE processor = '${OWN_BANK}' AND is_taken AND status <> 'returned'
  UNION ALL SELECT tenant_id, currency, amount_minor FROM bank_returns WHERE status = 'settled'`;

/** What must hold between a tenant's own accounts, their statements, and the books. */
export const BANK_CHECKS: Check[] = [
  {
    name: 'every movement of an account at a bank is booked once, with its amount',
    sql: `SELECT b.id AS subject, format('%s at the bank, %s in the books', b.amount_minor, coalesce(t.amount_minor, 0)) AS detail
      FROM bank_entries b LEFT JOIN ledger_transfers t ON t.tenant_id = b.tenant_id AND t.cause = ${causeInSql('bankEntry', 'b.id', 'booked')}
      WHERE t.amount_minor IS DISTINCT FROM b.amount_minor`,
  },
  {
    name: 'an account at a bank holds what its last statement says, and what was advised since',
    sql: `SELECT a.id AS subject, format('the bank says %s, and %s more was advised; the ledger says %s', s.closing_minor,
        coalesce(n.minor, 0), coalesce(l.ledger, 0)) AS detail
      FROM bank_accounts a
      CROSS JOIN LATERAL (SELECT closing_minor FROM bank_statements WHERE account_id = a.id AND closing_minor IS NOT NULL
        AND status = 'booked' ORDER BY closing_on DESC, id DESC LIMIT 1) s
      LEFT JOIN (${balanceOf('bank_account')}) l ON l.owner = a.id
      LEFT JOIN (SELECT account_id, sum(CASE direction WHEN 'credit' THEN amount_minor ELSE -amount_minor END) AS minor
        FROM bank_entries WHERE NOT is_on_statement GROUP BY 1) n ON n.account_id = a.id
      WHERE s.closing_minor + coalesce(n.minor, 0) <> coalesce(l.ledger, 0)
        AND NOT EXISTS (SELECT 1 FROM bank_statements o WHERE o.account_id = a.id AND o.status = 'stored')`,
  },
  {
    name: 'what payments by bank transfer have received is what counts towards them',
    sql: `SELECT r.payment_id AS subject, format('%s received, %s counted', r.received_minor, coalesce(e.minor, 0)) AS detail
      FROM bank_transfer_requests r LEFT JOIN (SELECT payment_id, sum(amount_minor) AS minor FROM bank_entries
        WHERE status = 'counted' GROUP BY 1) e USING (payment_id)
      WHERE r.received_minor <> coalesce(e.minor, 0)`,
  },
  {
    name: 'a payment is captured at an own bank only with money that came',
    sql: `SELECT p.id AS subject, format('%s captured, %s came', p.captured_minor, coalesce(e.minor, 0)) AS detail
      FROM payments p LEFT JOIN (SELECT payment_id, sum(amount_minor) AS minor FROM bank_entries
        WHERE status IN ('counted', 'late') GROUP BY 1) e ON e.payment_id = p.id
      WHERE p.processor = '${OWN_BANK}' AND p.captured_minor > coalesce(e.minor, 0)`,
  },
  {
    name: 'what came on own accounts, and is nobody’s yet, is what the ledger has on its hands',
    sql: `SELECT concat_ws(' ', tenant_id, currency) AS subject,
        format('rows say %s, the ledger says %s', coalesce(r.minor, 0), coalesce(l.ledger, 0)) AS detail
      FROM (SELECT tenant_id, currency, sum(minor) AS minor FROM (${ON_HANDS}) h GROUP BY 1, 2) r
      FULL JOIN (${balanceOf('provider_receivable', `AND a.owner = '${OWN_BANK}'`)}) l USING (tenant_id, currency)
      WHERE coalesce(r.minor, 0) <> coalesce(l.ledger, 0)`,
  },
  {
    name: 'a transfer back to a payer is booked as what became of it',
    sql: `SELECT id AS subject, format('%s of %s: paid %s, returned %s', status, amount_minor, paid, back) AS detail FROM (
        SELECT b.id, b.status, b.amount_minor, coalesce(p.amount_minor, 0) AS paid, coalesce(r.amount_minor, 0) AS back
        FROM bank_returns b
        LEFT JOIN ledger_transfers p ON p.tenant_id = b.tenant_id AND p.cause = ${causeInSql('bankReturn', 'b.id', 'paid')}
        LEFT JOIN ledger_transfers r ON r.tenant_id = b.tenant_id AND r.cause = ${causeInSql('bankReturn', 'b.id', 'returned')}) s
      WHERE paid - back <> CASE status WHEN 'settled' THEN amount_minor ELSE 0 END`,
  },
];
