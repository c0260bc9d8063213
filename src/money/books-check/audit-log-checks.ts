import type { Check } from './check';

/** The audit log is what was sealed, and the seals follow each other. */
export const AUDIT_LOG_CHECKS: Check[] = [
  {
    name: 'each seal of the audit log follows the one before',
    sql: `SELECT seal::text AS subject, CASE WHEN before_seal IS NULL THEN 'follows nothing, and is not the first'
          WHEN before_seal <> seal - 1 THEN 'follows ' || before_seal ELSE 'was made after another hash' END AS detail
      FROM (SELECT seal, previous, lag(seal) OVER (ORDER BY seal) AS before_seal,
        lag(hash) OVER (ORDER BY seal) AS before_hash FROM audit_seals) s
      WHERE (before_seal IS NULL AND (seal <> 1 OR previous <> decode(repeat('00', 32), 'hex')))
        OR before_seal <> seal - 1 OR before_hash <> previous`,
  },
  {
    name: 'the lines of the audit log are those that were sealed',
    sql: `SELECT seal::text AS subject, 'lines ' || line_ids[1] || ' to ' || line_ids[cardinality(line_ids)]
        || ': one of them was changed or removed' AS detail
      FROM audit_seals WHERE hash <> audit_seal_hash(previous, line_ids)`,
  },
  {
    name: 'each line of the audit log is in one seal, or waits for it',
    sql: `SELECT id::text AS subject, 'is in ' || count(line_id) || ' seals' AS detail
      FROM audit_log l LEFT JOIN (SELECT unnest(line_ids) AS line_id FROM audit_seals UNION ALL
        SELECT line_id FROM audit_unsealed) s ON s.line_id = l.id
      GROUP BY id HAVING count(line_id) <> 1`,
  },
];
