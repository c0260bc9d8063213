import { type CauseStep, causeInSql } from '../ledger/causes';
import type { Check } from './check';

/** What was booked for a cause; nothing where it was not. */
const booked = (
  step: CauseStep<'transfer'>,
) => `coalesce((SELECT l.amount_minor FROM ledger_transfers l WHERE l.tenant_id = t.tenant_id
    AND l.cause = ${causeInSql('transfer', 't.id', step)}), 0)`;

const isHeld = `EXISTS (SELECT 1 FROM ledger_transfers l WHERE l.tenant_id = t.tenant_id AND l.cause = ${causeInSql('transfer', 't.id', 'hold')}
    AND NOT EXISTS (SELECT 1 FROM ledger_transfers e WHERE e.pending_id = l.id))`;

const arrived = "t.amount_minor - CASE WHEN t.fee_payer = 'recipient' THEN t.fee_minor ELSE 0 END";

/** What must hold for transfers between customers. */
export const P2P_CHECKS: Check[] = [
  {
    name: 'transfers between customers are booked as they say',
    since: ['p2p_transfers'],
    sql: `SELECT id AS subject, format('%s with %s booked and fee %s, %s reversed, %s', status, money, fee, reversed,
        CASE WHEN held THEN 'held' ELSE 'not held' END) AS detail
      FROM (SELECT t.*, ${booked('settle')} AS money, ${booked('fee')} AS fee, ${booked('reverse')} AS reversed,
          ${booked('fee-returned')} AS fee_returned, ${isHeld} AS held, ${arrived} AS arrived,
          t.status IN ('settled', 'reversed') AS moved, t.status = 'reversed' AS back
        FROM p2p_transfers t) b
      WHERE money <> CASE WHEN moved THEN amount_minor ELSE 0 END OR fee <> CASE WHEN moved THEN fee_minor ELSE 0 END
        OR reversed <> CASE WHEN back THEN arrived ELSE 0 END OR fee_returned <> CASE WHEN back THEN fee_minor ELSE 0 END
        OR held <> (status = 'held')`,
  },
  {
    name: 'what is paid out to the invited has come from their senders',
    sql: `SELECT a.tenant_id || ' ' || a.currency AS subject, sum(e.signed_minor)::text AS detail
      FROM ledger_accounts a JOIN ledger_entries e ON e.account_id = a.id
      WHERE a.kind = 'suspense' AND a.owner = 'p2p' GROUP BY a.tenant_id, a.currency HAVING sum(e.signed_minor) <> 0`,
  },
  {
    name: 'a request for money is paid by one settled transfer',
    sql: `SELECT r.id AS subject, r.status || ' by ' || coalesce(t.status, 'none') AS detail
      FROM p2p_requests r LEFT JOIN p2p_transfers t ON t.request_id = r.id AND t.status IN ('settled', 'reversed')
      WHERE r.transfer_id IS DISTINCT FROM t.id`,
  },
];
