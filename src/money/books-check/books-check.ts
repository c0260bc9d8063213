import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { type CauseStep, causeInSql, DISPUTE_MOVEMENTS, type DisputeMovement } from '../ledger/causes';
import { isTaking } from '../payments/bookings';
import type { PaymentRow } from '../payments/payment';
import type { ReceiptRow } from '../payments/receipt';
import { ATTEMPT_CHECKS } from './attempt-checks';
import type { Check, Finding } from './check';
import { P2P_CHECKS } from './p2p-checks';
import { SUSPENSE_CHECKS } from './suspense-checks';
import { TOPUP_CHECKS } from './topup-checks';

/** What a processor says it did, by our payment id. Amounts are decimal strings. */
export interface ProcessorCharge {
  reference: string;
  currency: string;
  status: string;
  captured: bigint;
  refunded: bigint;
}

const disputeCause = (movement: DisputeMovement) => causeInSql('dispute', 'd.id', movement);

/** Amounts booked for a payment by cause; held refunds are those neither posted nor voided. */
const BOOKED = `
  SELECT p.id, p.status, p.captured_minor, p.refunded_minor, p.refund_reserved_minor, p.charged_back_minor,
    p.contested_minor, p.authorized_minor,
    coalesce((SELECT amount_minor FROM ledger_transfers t WHERE t.tenant_id = p.tenant_id
      AND t.cause = ${causeInSql('payment', 'p.id', 'capture')}), 0) AS booked_capture,
    coalesce((SELECT sum(CASE WHEN t.cause = ${causeInSql('refund', 'r.id', 'reversed')} THEN -t.amount_minor
        ELSE t.amount_minor END)
      FROM refunds r JOIN ledger_transfers t ON t.tenant_id = r.tenant_id
        AND t.cause IN (${(['post', 'corrected', 'reversed'] as const).map((step) => causeInSql('refund', 'r.id', step))})
      WHERE r.payment_id = p.id), 0) AS booked_refunds,
    coalesce((SELECT sum(t.amount_minor) FROM refunds r JOIN ledger_transfers t ON t.tenant_id = r.tenant_id
      AND t.cause = ${causeInSql('refund', 'r.id', 'hold')} WHERE r.payment_id = p.id
      AND NOT EXISTS (SELECT 1 FROM ledger_transfers e WHERE e.pending_id = t.id)), 0) AS held_refunds,
    coalesce((SELECT sum(CASE WHEN t.cause IN (${DISPUTE_MOVEMENTS.filter(isTaking).map(disputeCause)}) THEN t.amount_minor
        ELSE -t.amount_minor END)
      FROM disputes d JOIN ledger_transfers t ON t.tenant_id = d.tenant_id
        AND t.cause IN (${DISPUTE_MOVEMENTS.map(disputeCause)}) WHERE d.payment_id = p.id), 0) AS booked_disputes,
    coalesce((SELECT sum(d.amount_minor) FROM disputes d WHERE d.payment_id = p.id
      AND d.second_presentment_at IS NOT NULL AND d.status NOT IN ('won', 'lost')), 0) AS in_contest,
    EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.tenant_id = p.tenant_id AND t.cause = ${causeInSql('payment', 'p.id', 'authorize')}
      AND NOT EXISTS (SELECT 1 FROM ledger_transfers e WHERE e.pending_id = t.id)) AS held
  FROM payments p`;

/** What was booked for a receipt. Versions before it had a row booked it on its payment, once, under another cause. */
const bookedForReceipt = (step: CauseStep<'receipt'>, before: CauseStep<'payment'>) =>
  `coalesce((SELECT sum(l.amount_minor) FROM ledger_transfers l WHERE l.tenant_id = u.tenant_id
    AND l.cause IN (${causeInSql('receipt', 'u.id', step)},
      CASE WHEN u.reference = ${causeInSql('payment', 'u.payment_id', 'late')} THEN ${causeInSql('payment', 'u.payment_id', before)} END)), 0)`;

const CHECKS: Check[] = [
  {
    name: 'entries balance per tenant and currency',
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
    name: 'no wallet is negative',
    sql: `SELECT account_id::text AS subject, (posted_minor - held_minor)::text AS detail FROM ledger_balances
      WHERE posted_minor - held_minor < 0`,
  },
  {
    name: 'captures, refunds and disputes are booked as the payment says',
    sql: `SELECT id AS subject, format('captured %s booked %s, refunded %s booked %s, reserved %s held %s, charged back %s booked %s, contested %s disputed %s',
        captured_minor, booked_capture, refunded_minor, booked_refunds, refund_reserved_minor, held_refunds,
        charged_back_minor, booked_disputes, contested_minor, in_contest) AS detail
      FROM (${BOOKED}) b WHERE captured_minor <> booked_capture OR refunded_minor <> booked_refunds
        OR refund_reserved_minor <> held_refunds OR charged_back_minor <> booked_disputes
        OR contested_minor <> in_contest`,
  },
  {
    name: 'a hold is open exactly while the payment is authorized',
    sql: `SELECT id AS subject, status || CASE WHEN held THEN ' with' ELSE ' without' END || ' a hold' AS detail
      FROM (${BOOKED}) b WHERE held <> (status = 'authorized')`,
  },
  {
    name: 'the status follows from the amounts',
    sql: `SELECT id AS subject, status AS detail FROM payments WHERE
      (captured_minor > 0) <> (status IN ('captured', 'settled', 'partially_refunded', 'refunded', 'charged_back'))
      OR (status = 'charged_back') <> (charged_back_minor > 0)
      OR (status = 'refunded' AND refunded_minor <> captured_minor)`,
  },
  {
    name: 'every step of the timeline follows the one before',
    sql: `SELECT payment_id AS subject, coalesce(before, 'initiated') || ' then from ' || from_status AS detail
      FROM (SELECT payment_id, from_status, lag(to_status) OVER (PARTITION BY payment_id ORDER BY id) AS before
        FROM payment_events) e WHERE from_status <> coalesce(before, 'initiated')`,
  },
  {
    name: 'money that nobody asked for is booked when it was taken, and when it went back',
    sql: `SELECT id AS subject, format('%s, taken: %s, arrived %s, returned %s', status, is_taken, arrived, returned) AS detail
      FROM (SELECT u.id, u.status, u.is_taken, u.amount_minor, ${bookedForReceipt('arrived', 'late')} AS arrived,
          ${bookedForReceipt('returned', 'late-returned')} AS returned FROM unapplied_receipts u) r
      WHERE arrived <> CASE WHEN is_taken THEN amount_minor ELSE 0 END
        OR returned <> CASE WHEN is_taken AND status = 'returned' THEN amount_minor ELSE 0 END`,
  },
  ...ATTEMPT_CHECKS,
  ...SUSPENSE_CHECKS,
  ...TOPUP_CHECKS,
  ...P2P_CHECKS,
];

/** Proves the books from the inside: every check that has findings names each of them. Runs as the ops role. */
export async function auditBooks(ops: Knex): Promise<{ checks: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const { rows }: { rows: { subject: string; detail: string }[] } = await ops.raw(check.sql);
    for (const row of rows) findings.push({ check: check.name, ...row });
  }
  return { checks: CHECKS.length, findings };
}

const BATCH = 500;

/** Holds a processor's books against ours. Payments whose outcome is still being established are counted, not judged. */
export async function auditProcessor(
  ops: Knex,
  processor: ProcessorId,
  charges: AsyncIterable<ProcessorCharge>,
): Promise<{ compared: number; open: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  let compared = 0;
  let open = 0;
  const compare = async (batch: ProcessorCharge[]) => {
    const references = batch.map((charge) => charge.reference);
    const rows = await ops('payments').whereIn('id', references);
    const ours = new Map(rows.map((row) => [row.id, row]));
    const receipts: ReceiptRow[] = await ops('unapplied_receipts')
      .where({ processor, is_taken: true })
      .whereIn('payment_id', [...ours.keys()]);
    for (const charge of batch) {
      const payment = ours.get(charge.reference);
      const unapplied = receipts.filter(({ payment_id }) => payment_id === charge.reference);
      compared += 1;
      if (
        payment &&
        (payment.unknown_since ||
          payment.status === 'pending' ||
          payment.refund_reserved_minor > 0n ||
          unapplied.some(({ status }) => status === 'returning'))
      )
        open += 1;
      else {
        const detail = disagreement(payment, charge, processor, unapplied);
        if (detail) findings.push(finding(processor, charge, detail));
      }
    }
  };
  let batch: ProcessorCharge[] = [];
  for await (const charge of charges) {
    batch.push(charge);
    if (batch.length === BATCH) {
      await compare(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await compare(batch);
  return { compared, open, findings };
}

/** What is not as it must be between a payment and a charge of a processor; undefined where they agree. */
function disagreement(
  payment: PaymentRow | undefined,
  charge: ProcessorCharge,
  processor: ProcessorId,
  unapplied: ReceiptRow[],
): string | undefined {
  const { captured, refunded } = charge;
  // What nobody asked for and the processor does not give back is in suspense, as the books say.
  const kept = unapplied.filter(({ status }) => status === 'refused');
  if (kept.some(({ amount_minor }) => amount_minor === captured - refunded)) return undefined;
  if (!payment) return captured > refunded ? 'the processor took money for a payment we do not have' : undefined;
  if (payment.processor !== processor)
    return captured > refunded ? `the payment went to processor ${payment.processor}` : undefined;
  if (payment.captured_minor !== captured && captured !== refunded)
    return `we hold ${payment.captured_minor} as captured`;
  if (payment.captured_minor > 0n && payment.refunded_minor !== refunded)
    return `we hold ${payment.refunded_minor} as refunded`;
  return undefined;
}

function finding(processor: ProcessorId, charge: ProcessorCharge, detail: string): Finding {
  return {
    check: `our view and that of processor ${processor} agree`,
    subject: charge.reference,
    detail: `captured ${charge.captured}, refunded ${charge.refunded} there; ${detail}`,
  };
}
