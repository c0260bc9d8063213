/**
 * SQL for the ledger's side of a settlement line: which transfers a line of a kind may stand for. `g` is a line or a group
 * of equal ones (kind, reference, payment_reference, currency, amount_minor), `p` its payment.
 */
export const CAUSES_OF_LINE = `
  SELECT p.id || '/capture' AS cause WHERE g.kind = 'capture'
  UNION ALL SELECT p.id || '/late' WHERE g.kind = 'capture'
  UNION ALL SELECT g.reference || '/post' WHERE g.kind = 'refund'
  -- Late money goes back under the reference '<payment>/late'.
  UNION ALL SELECT g.reference || '-returned' WHERE g.kind = 'refund' AND g.reference = p.id || '/late'
  UNION ALL SELECT d.id || s.step FROM disputes d,
    unnest(CASE g.kind WHEN 'chargeback' THEN ARRAY['/charged-back', '/lost']
      WHEN 'chargeback_reversal' THEN ARRAY['/second-presentment', '/won'] END) AS s(step)
    WHERE d.payment_id = p.id`;

/**
 * The transfer of a cause `c` that moves what `:processor` owes us, looked up by its key and in no other way, whatever the
 * planner believes of the tables.
 */
export const TRANSFER_OF_CAUSE = `
  SELECT id, tenant_id, cause, currency, amount_minor, booked_at FROM ledger_transfers f
  WHERE f.tenant_id = p.tenant_id AND f.cause = c.cause AND EXISTS (SELECT 1 FROM ledger_accounts a
    WHERE a.id IN (f.debit_account_id, f.credit_account_id) AND a.kind = 'provider_receivable'
      AND a.owner = :processor) OFFSET 0`;

/** Holds for a transfer `t` that no line stands for yet, and that ops have not written off or booked otherwise. */
export const IS_UNMATCHED = `
  NOT EXISTS (SELECT 1 FROM settlement_lines s WHERE s.tenant_id = t.tenant_id AND s.movement = t.cause)
  AND NOT EXISTS (SELECT 1 FROM reconciliation_differences w WHERE w.tenant_id = t.tenant_id AND w.movement = t.cause
    AND w.kind = 'missing_there' AND w.resolution IN ('book', 'write_off'))`;

/** Serializes matching per processor: two passes at once would pair one movement twice and fail. */
export const MATCHING_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('settlement ' || ?, 0))";

/** Movements of `:processor` that may be in no report; those of disputes where the dispute changed since `:since`. */
export const UNSETTLED_MOVEMENTS = `
  SELECT p.tenant_id, p.id || '/capture' AS cause, 'capture' AS kind, p.id AS reference, p.id AS payment_reference
  FROM payments p WHERE p.processor = :processor AND p.settled_at IS NULL AND p.captured_minor > 0
  UNION ALL
  SELECT r.tenant_id, r.id || '/post', 'refund', r.id, r.payment_id FROM refunds r JOIN payments p ON p.id = r.payment_id
  WHERE p.processor = :processor AND r.settled_at IS NULL AND r.status = 'succeeded'
  UNION ALL
  SELECT d.tenant_id, d.id || s.step, s.kind, d.payment_id, d.payment_id FROM disputes d,
    (VALUES ('/charged-back', 'chargeback'), ('/lost', 'chargeback'),
      ('/second-presentment', 'chargeback_reversal'), ('/won', 'chargeback_reversal')) AS s(step, kind)
  WHERE d.processor = :processor AND d.updated_at >= :since`;
