const digits = (value: string, count: number) =>
  Array.from({ length: count }, (_, n) => `bench.digit(${value}, ${count - 1 - n})`).join(' || ');

/** What `fill` writes with, and into: the merchants that take turns, and the books of the processors. */
export const PREPARE = `
  CREATE SCHEMA bench;
  CREATE TABLE bench.merchants (number integer PRIMARY KEY, tenant_id text, organization_id text, terminal_id text);
  CREATE TABLE bench.houses (LIKE bench.merchants INCLUDING ALL);
  -- What the processors themselves hold, by our payment id.
  CREATE TABLE bench.charges (processor text, reference text, currency text, status text, captured_minor bigint,
    refunded_minor bigint, PRIMARY KEY (processor, reference));

  CREATE FUNCTION bench.digit(value bigint, place integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substr('0123456789abcdefghjkmnpqrstvwxyz', (value >> (5 * place) & 31)::integer + 1, 1) $$;
  -- A TypeID without its prefix: a UUID of version 7, with the number where the random part is (base 32 has all hex digits).
  CREATE FUNCTION bench.suffix(ms bigint, number bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ${digits('ms', 10)} || 'e008' || lpad(to_hex(number), 12, '0') $$;`;

/** Which numbers a part has, of how many, when the last of all is, and after which entry. */
export const PART = `CREATE TEMPORARY TABLE part (part bigint, first bigint, last bigint, total bigint, until timestamptz(3),
  merchants bigint, entries bigint) ON COMMIT DROP`;

/**
 * The payments of one part, by number. What happens to a payment follows from the last two digits of its number (\`class\`):
 * 0 to 66 captured at once, 67 to 74 captured by order, 75 to 84 failed, 85 and 86 cancelled, 87 expired, 88 to 91 refunded
 * in part, 92 refunded, 93 charged back, 94 contested with success, 95 to 98 top-ups, 99 paid after it had expired.
 */
const PAYMENTS_OF_PART = `
  CREATE TEMPORARY TABLE g ON COMMIT DROP AS
  WITH numbered AS MATERIALIZED (
    SELECT n, (extract(epoch FROM until - interval '400 days' * (1 - n::float8 / total)) * 1000)::bigint AS ms,
      (until - interval '400 days' * (1 - n::float8 / total))::timestamptz(3) AS at,
      CASE WHEN n % 10 < 5 THEN 'a' WHEN n % 10 < 8 THEN 'b' ELSE 'c' END AS processor,
      500 + n * 7919 % 20000 AS amount, part.*
    FROM part, generate_series(first, last) n
  ), classed AS MATERIALIZED (
    SELECT *, bench.suffix(ms, n) AS suffix, at < until - interval '12 hours' AS is_settled,
      -- What takes days has not happened yet to the last ones.
      CASE WHEN at > until - interval '4 days' AND (n % 100 BETWEEN 88 AND 94 OR n % 100 = 99) THEN 0
        ELSE n % 100 END AS class
    FROM numbered
  )
  SELECT c.*, 'pay_' || suffix AS id, class BETWEEN 95 AND 98 AS is_topup,
    CASE WHEN class NOT BETWEEN 95 AND 98 AND n % 7 = 0 THEN 'USD' ELSE 'EUR' END AS currency,
    class IN (73, 74) AND at > until - interval '7 days' AS is_held,
    class BETWEEN 67 AND 74 OR class BETWEEN 85 AND 87 AS is_manual,
    class < 75 AND NOT (class IN (73, 74) AND at > until - interval '7 days') OR class BETWEEN 88 AND 98 AS is_captured,
    CASE WHEN class BETWEEN 88 AND 91 THEN amount / 2 WHEN class = 92 THEN amount ELSE 0 END AS refunded,
    CASE WHEN class BETWEEN 95 AND 98 THEN amount / 100 ELSE 0 END AS fee,
    p.id AS customer_id, coalesce(h.tenant_id, m.tenant_id) AS tenant_id,
    coalesce(h.organization_id, m.organization_id) AS organization_id, coalesce(h.terminal_id, m.terminal_id) AS terminal_id,
    -- Settled with the batch of its part and processor.
    'ba_' || part || '_' || processor AS batch_id
  FROM classed c
  JOIN bench.merchants m ON m.number = n % merchants
  LEFT JOIN people p ON class BETWEEN 95 AND 98
    AND p.number = ((n / 100 - first / 100) * 4 + class - 95) % (SELECT count(*) FROM people)
  LEFT JOIN bench.houses h ON h.tenant_id = p.tenant_id;
  CREATE INDEX ON g (n);
  ANALYZE g;`;

const STATUS = `CASE WHEN is_held THEN 'authorized' WHEN class BETWEEN 75 AND 84 THEN 'failed'
  WHEN class IN (85, 86) THEN 'cancelled' WHEN class IN (87, 99) THEN 'expired' WHEN class BETWEEN 88 AND 91 THEN 'partially_refunded'
  WHEN class = 92 THEN 'refunded' WHEN class = 93 THEN 'charged_back' WHEN is_settled THEN 'settled' ELSE 'captured' END`;

const PAYMENTS = `
  INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand, processor,
    currency, amount_minor, capture_mode, status, result_code, status_detail, authorized_minor, captured_minor, refunded_minor,
    charged_back_minor, settled_at, request, customer_id, beneficiary, card_bin, card_last4, card_holder, card_expiry_month,
    card_expiry_year, provider_reference, attempts, version, submitted_at, waits_until, created_at, updated_at)
  SELECT id, tenant_id, organization_id, terminal_id, 'order-' || n,
    -- One in a thousand is by another method, and a card's digits come back after ten thousand.
    CASE n % 1000 WHEN 7 THEN 2 ELSE 1 END, 'card', 'VISA', processor, currency, amount,
    CASE WHEN is_manual THEN 'manual' ELSE 'automatic' END, ${STATUS},
    CASE WHEN is_captured OR is_held THEN 0 WHEN class BETWEEN 75 AND 84 THEN 205 ELSE 300 END,
    CASE WHEN is_captured THEN 'Approved and captured.' WHEN is_held THEN 'Authorized; waiting for the capture.'
      WHEN class BETWEEN 75 AND 84 THEN 'The issuer declined.' ELSE 'It ended without a charge.' END,
    CASE WHEN class BETWEEN 75 AND 84 OR class = 99 THEN 0 ELSE amount END, CASE WHEN is_captured THEN amount ELSE 0 END, refunded,
    CASE WHEN class = 93 THEN amount ELSE 0 END, CASE WHEN is_captured AND is_settled THEN at + interval '12 hours' END,
    '{"threeDS": "auto", "storeCard": false}', customer_id, CASE WHEN is_topup THEN 'wallet' ELSE 'merchant' END,
    '411111', lpad((n % 10000)::text, 4, '0'), 'Bench', '12', '2032', 'p' || processor || '_' || n, 1, 4, at + interval '1 second',
    CASE WHEN is_held THEN at + interval '7 days' END, at,
    least(at + interval '1 second' * CASE WHEN class BETWEEN 88 AND 94 OR class = 99 THEN 259200 WHEN is_captured AND is_settled
      THEN 43200 ELSE 2 END, until)
  FROM g ORDER BY n`;

const ATTEMPTS = `
  INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends, sent_at,
    created_at, updated_at)
  SELECT id, processor, tenant_id, 1, CASE WHEN is_held THEN 'authorized' WHEN class BETWEEN 75 AND 84 THEN 'declined'
      WHEN class BETWEEN 85 AND 87 THEN 'voided' ELSE 'captured' END,
    'Filled in.', 'p' || processor || '_' || n, 1, at + interval '1 second', at, at + interval '2 seconds'
  FROM g ORDER BY n`;

/** Each row: step number, its time, from, to, cause. */
const EVENTS = `
  INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail, at)
  SELECT g.id, g.tenant_id, e.from_status, e.to_status, 0, e.cause, 'Filled in.', g.at + e.after
  FROM g CROSS JOIN LATERAL (VALUES
    (1, interval '2 seconds', 'initiated', 'authorized', 'authorize', is_manual),
    (1, interval '2 seconds', 'initiated', 'captured', 'authorize', is_captured AND NOT is_manual),
    (1, interval '2 seconds', 'initiated', 'failed', 'authorize', class BETWEEN 75 AND 84),
    (1, interval '1 hour', 'initiated', 'expired', 'expiry', class = 99),
    (2, interval '1 hour', 'authorized', 'captured', 'capture', is_captured AND is_manual),
    (2, interval '1 hour', 'authorized', 'cancelled', 'void', class IN (85, 86)),
    (2, interval '1 hour', 'authorized', 'expired', 'expiry', class = 87),
    (3, interval '12 hours', 'captured', 'settled', 'settlement ' || processor || '/' || batch_id, is_captured AND is_settled),
    (4, interval '3 days', 'settled', CASE class WHEN 92 THEN 'refunded' ELSE 'partially_refunded' END,
      'refund ' || 'ref_' || suffix, refunded > 0),
    (4, interval '2 days', 'settled', 'charged_back', 'callback ' || processor || '/evt_' || n, class IN (93, 94)),
    (5, interval '3 days', 'charged_back', 'settled', 'callback ' || processor || '/evt2_' || n, class = 94),
    (5, interval '3 days', 'expired', 'expired', 'late money returned', class = 99)
  ) AS e(step, after, from_status, to_status, cause, holds)
  WHERE e.holds ORDER BY g.n, e.step`;

const OPERATIONS = `
  INSERT INTO payment_operations (id, tenant_id, payment_id, processor, kind, amount_minor, status, cause, sends, sent_at, created_at, updated_at)
  SELECT 'cap_' || suffix, tenant_id, id, processor, CASE WHEN is_captured THEN 'capture' ELSE 'void' END, amount, 'succeeded',
    CASE WHEN is_captured THEN 'capture' ELSE 'void' END, 1, at + interval '1 hour', at + interval '1 hour', at + interval '1 hour'
  FROM g WHERE is_manual AND class <> 87 AND NOT is_held`;

const REFUNDS = `
  INSERT INTO refunds (id, tenant_id, organization_id, payment_id, processor, currency, amount_minor, status, result_code, status_detail, cause,
    attempts, submitted_at, settled_at, created_at, updated_at)
  SELECT 'ref_' || suffix, tenant_id, organization_id, id, processor, currency, refunded, 'succeeded', 0, 'Refunded.', 'refund', 1,
    at + interval '3 days', at + interval '4 days', at + interval '3 days', at + interval '3 days' FROM g WHERE refunded > 0`;

const DISPUTES = `
  INSERT INTO disputes (id, tenant_id, organization_id, payment_id, processor, case_id, currency, amount_minor, status,
    second_presentment_at, closed_at, created_at, updated_at)
  SELECT 'dsp_' || suffix, tenant_id, organization_id, id, processor, 'case_' || n, currency, amount,
    CASE class WHEN 94 THEN 'won' ELSE 'open' END, CASE class WHEN 94 THEN at + interval '3 days' END,
    CASE class WHEN 94 THEN at + interval '3 days' END, at + interval '2 days', at + interval '3 days'
  FROM g WHERE class IN (93, 94)`;

const RECEIPTS = `
  INSERT INTO unapplied_receipts (id, tenant_id, organization_id, payment_id, processor, money, currency, amount_minor, is_taken,
    status, status_detail, reference, idempotency_key, sends, sent_at, created_at, updated_at)
  SELECT 'rcp_' || suffix, tenant_id, organization_id, id, processor, 'charge', currency, amount, true, 'returned',
    'It arrived after the payment had ended.', 'rcp_' || suffix, 'receipt/' || 'rcp_' || suffix, 1,
    at + interval '2 days', at + interval '2 days', at + interval '3 days'
  FROM g WHERE class = 99`;

const TOPUPS = `
  INSERT INTO topups (id, tenant_id, customer_id, payment_id, currency, fee_minor, incoming_minor, created_by, created_at)
  SELECT 'top_' || suffix, tenant_id, customer_id, id, currency, fee, CASE WHEN is_settled THEN 0 ELSE amount - fee END,
    customer_id, at FROM g WHERE is_topup`;

/** Three transfers of each customer of the part, once the money of its top-ups is there. */
const TRANSFERS = `
  CREATE TEMPORARY TABLE transfers ON COMMIT DROP AS
  SELECT s.number * 3 + r AS n, at, 'trf_' || bench.suffix((extract(epoch FROM at) * 1000)::bigint, first + s.number * 3 + r) AS id, s.tenant_id, s.id AS sender_id,
    t.id AS recipient_id
  FROM people s CROSS JOIN generate_series(0, 2) r
  JOIN people t ON t.number = (s.number + 2) % (SELECT count(*) / 2 * 2 FROM people)
  CROSS JOIN part
  CROSS JOIN (SELECT max(g.at) + interval '13 hours' AS at FROM g) later
  WHERE later.at < until AND s.id <> t.id AND s.tenant_id = t.tenant_id;
  INSERT INTO p2p_transfers (id, tenant_id, sender_id, recipient_id, currency, amount_minor, fee_minor, fee_payer, status,
    status_detail, moved_by, settled_at, created_at, updated_at)
  SELECT id, tenant_id, sender_id, recipient_id, 'EUR', 100, 1, 'sender', 'settled', 'Settled at once.', sender_id, at, at, at
  FROM transfers;
  INSERT INTO p2p_transfer_events (tenant_id, transfer_id, to_status, detail, actor, at)
  SELECT tenant_id, id, 'settled', 'Settled at once.', sender_id, at FROM transfers`;

/** What the reports of the part say, a batch for each processor. */
const LINES = `
  CREATE TEMPORARY TABLE lines ON COMMIT DROP AS
  SELECT g.processor, 'ln_' || lpad(g.n::text, 12, '0') || '_' || l.part AS line_id, g.batch_id, g.tenant_id, l.kind, l.reference,
    g.id AS payment_reference, g.currency, l.amount, CASE l.kind WHEN 'capture' THEN l.amount * 15 / 1000 ELSE 0 END AS fee,
    g.at + interval '12 hours' AS at, l.movement
  FROM g CROSS JOIN LATERAL (VALUES
    (1, 'capture', id, amount, id || '/capture', is_captured AND is_settled),
    (2, 'refund', 'ref_' || suffix, refunded, 'ref_' || suffix || '/post', refunded > 0),
    (3, 'chargeback', id, amount, 'dsp_' || suffix || '/charged-back', class IN (93, 94)),
    (4, 'chargeback_reversal', id, amount, 'dsp_' || suffix || '/second-presentment', class = 94),
    (5, 'capture', id, amount, 'rcp_' || suffix || '/arrived', class = 99),
    (6, 'refund', 'rcp_' || suffix, amount, 'rcp_' || suffix || '/returned', class = 99)
  ) AS l(part, kind, reference, amount, movement, holds)
  WHERE l.holds;
  INSERT INTO settlement_lines (processor, line_id, batch_id, tenant_id, kind, reference, payment_reference, currency, amount_minor,
    fee_minor, outcome, booked_at, movement)
  SELECT processor, line_id, batch_id, tenant_id, kind, reference, payment_reference, currency, amount, fee, 'matched', at, movement
  FROM lines;
  INSERT INTO settlement_batches (processor, batch_id, line_count, booked_at, closed_at)
  SELECT processor, batch_id, count(*), max(at), max(at) FROM lines GROUP BY 1, 2`;

/** Every transfer of the part in the ledger: sixteen numbers for each payment, and more for the sums of batches. */
const ENTRIES = `
  CREATE TEMPORARY TABLE t ON COMMIT DROP AS
  SELECT g.entries + g.n * 16 + e.slot + 1 AS id, g.tenant_id, g.currency, e.debit_kind, e.debit_owner, e.credit_kind, e.credit_owner, e.amount,
    e.phase, g.entries + g.n * 16 + e.ends + 1 AS pending_id, e.cause, g.at + e.after AS at
  FROM g CROSS JOIN LATERAL (VALUES
    (0, 'provider_receivable', processor, 'merchant_payable', organization_id, amount, 'pending', NULL::integer, id || '/authorize',
      interval '2 seconds', is_manual),
    (1, 'provider_receivable', processor, CASE WHEN is_topup THEN 'customer_incoming' ELSE 'merchant_payable' END,
      CASE WHEN is_topup THEN customer_id ELSE organization_id END, amount, CASE WHEN is_manual THEN 'post' ELSE 'posted' END,
      CASE WHEN is_manual THEN 0 END, id || '/capture', interval '3 seconds', is_captured),
    (2, 'provider_receivable', processor, 'merchant_payable', organization_id, amount, 'void', 0, id || '/release',
      interval '1 hour', is_manual AND NOT is_captured AND NOT is_held),
    (3, 'customer_incoming', customer_id, 'fee_income', tenant_id, fee, 'posted', NULL, id || '/fee', interval '3 seconds', fee > 0),
    (4, 'customer_incoming', customer_id, 'customer_wallet', customer_id, amount - fee, 'posted', NULL, id || '/settled',
      interval '12 hours', is_topup AND is_settled),
    (5, 'merchant_payable', organization_id, 'provider_receivable', processor, refunded, 'pending', NULL,
      'ref_' || suffix || '/hold', interval '3 days', refunded > 0),
    (6, 'merchant_payable', organization_id, 'provider_receivable', processor, refunded, 'post', 5,
      'ref_' || suffix || '/post', interval '3 days', refunded > 0),
    (7, 'merchant_payable', organization_id, 'provider_receivable', processor, amount, 'posted', NULL,
      'dsp_' || suffix || '/charged-back', interval '2 days', class IN (93, 94)),
    (8, 'provider_receivable', processor, 'merchant_payable', organization_id, amount, 'posted', NULL,
      'dsp_' || suffix || '/second-presentment', interval '3 days', class = 94),
    (9, 'provider_receivable', processor, 'suspense', processor, amount, 'posted', NULL, 'rcp_' || suffix || '/arrived',
      interval '2 days', class = 99),
    (10, 'suspense', processor, 'provider_receivable', processor, amount, 'posted', NULL, 'rcp_' || suffix || '/returned',
      interval '3 days', class = 99)
  ) AS e(slot, debit_kind, debit_owner, credit_kind, credit_owner, amount, phase, ends, cause, after, holds)
  WHERE e.holds
  UNION ALL
  SELECT entries + (first + f.n) * 16 + e.slot + 1, f.tenant_id, 'EUR', 'customer_wallet', f.sender_id, e.kind,
    CASE e.kind WHEN 'fee_income' THEN f.tenant_id ELSE f.recipient_id END, e.amount, 'posted', NULL, f.id || e.step, f.at
  FROM part, transfers f, (VALUES (11, 'customer_wallet', 100, '/settle'), (12, 'fee_income', 1, '/fee')) AS e(slot, kind, amount, step)
  UNION ALL
  SELECT (SELECT entries + (total + 1) * 16 + part * 1000 FROM part) + row_number() OVER (ORDER BY s.cause, e.step), s.tenant_id, s.currency,
    e.debit_kind, s.processor, e.credit_kind, s.processor, e.amount, 'posted', NULL, s.cause || e.step, s.at
  FROM (SELECT tenant_id, currency, processor, 'settlement/' || processor || '/' || batch_id || '/' || min(line_id) AS cause,
      max(at) AS at, sum(fee) AS fees,
      coalesce(sum(amount) FILTER (WHERE kind IN ('capture', 'chargeback_reversal')), 0) AS came,
      coalesce(sum(amount) FILTER (WHERE kind IN ('refund', 'chargeback')), 0) AS went
    FROM lines
    GROUP BY tenant_id, currency, processor, batch_id) s
  CROSS JOIN LATERAL (VALUES ('/in', 'bank_clearing', 'provider_receivable', came), ('/out', 'provider_receivable', 'bank_clearing', went),
    ('/fee', 'provider_fee', 'bank_clearing', fees)) AS e(step, debit_kind, credit_kind, amount)
  WHERE e.amount > 0;
  ANALYZE t`;

const ACCOUNTS = `
  INSERT INTO ledger_accounts (tenant_id, currency, kind, owner, guarded)
  SELECT tenant_id, currency, kind, owner, kind IN ('customer_wallet', 'customer_incoming')
  FROM (SELECT tenant_id, currency, debit_kind AS kind, debit_owner AS owner FROM t
    UNION SELECT tenant_id, currency, credit_kind, credit_owner FROM t) a
  ON CONFLICT DO NOTHING`;

/** A guarded account keeps the balance that each entry leaves behind. Its entries are all of this part. */
const BOOKED = `
  CREATE TEMPORARY TABLE chain ON COMMIT DROP AS
  SELECT id, kind, owner, tenant_id, sum(signed) OVER (PARTITION BY kind, owner ORDER BY at, id) AS balance, at
  FROM (SELECT id, debit_kind AS kind, debit_owner AS owner, tenant_id, -amount AS signed, at FROM t
    UNION ALL SELECT id, credit_kind, credit_owner, tenant_id, amount, at FROM t) e
  WHERE kind IN ('customer_wallet', 'customer_incoming');
  INSERT INTO ledger_transfers (id, tenant_id, currency, debit_account_id, debit_guarded, credit_account_id, credit_guarded,
    amount_minor, phase, pending_id, cause, booked_at, debit_balance_minor, credit_balance_minor)
  OVERRIDING SYSTEM VALUE
  SELECT t.id, t.tenant_id, t.currency, d.id, d.guarded, c.id, c.guarded, t.amount, t.phase, t.pending_id, t.cause, t.at, l.balance,
    r.balance
  FROM t
  JOIN ledger_accounts d ON (d.tenant_id, d.currency, d.kind, d.owner) = (t.tenant_id, t.currency::bpchar, t.debit_kind, t.debit_owner)
  JOIN ledger_accounts c ON (c.tenant_id, c.currency, c.kind, c.owner) = (t.tenant_id, t.currency::bpchar, t.credit_kind, t.credit_owner)
  LEFT JOIN chain l ON (l.id, l.kind, l.owner) = (t.id, t.debit_kind, t.debit_owner)
  LEFT JOIN chain r ON (r.id, r.kind, r.owner) = (t.id, t.credit_kind, t.credit_owner)
  ORDER BY t.id;
  INSERT INTO ledger_balances (account_id, tenant_id, posted_minor, moved_at)
  SELECT DISTINCT ON (a.id) a.id, a.tenant_id, x.balance, x.at FROM chain x
  JOIN ledger_accounts a ON (a.tenant_id, a.currency, a.kind, a.owner) = (x.tenant_id, 'EUR', x.kind, x.owner)
  ORDER BY a.id, x.at DESC, x.id DESC`;

const CHARGES = `
  INSERT INTO bench.charges
  SELECT processor, id, currency, CASE WHEN is_captured THEN 'captured' WHEN is_held THEN 'authorized' ELSE 'declined' END,
    CASE WHEN is_captured OR class = 99 THEN amount ELSE 0 END, CASE class WHEN 99 THEN amount ELSE refunded END FROM g`;

/**
 * Of each hundred payments one has paid an order, and beside it another order is open and a third has expired. All orders of
 * a merchant in one part are of the same item.
 */
const GOODS = `
  CREATE TEMPORARY TABLE o ON COMMIT DROP AS
  SELECT n, ms, at, until, 'ord_' || suffix AS id, g.id AS payment_id, tenant_id, organization_id, amount,
    CASE n % 100 WHEN 0 THEN 'paid' WHEN 1 THEN 'open' ELSE 'expired' END AS status,
    'itm_' || min(suffix) OVER (PARTITION BY organization_id) AS item_id
  FROM g WHERE n % 100 < 3 AND currency = 'EUR';
  INSERT INTO items (id, tenant_id, organization_id, sku, name, currency, price_minor, quantity, reserved, status, decided_by,
    decided_at, created_by, created_at, updated_at)
  SELECT item_id, tenant_id, organization_id, item_id, 'Bench', 'EUR', 1000, 1000 - count(*) FILTER (WHERE status = 'paid'),
    count(*) FILTER (WHERE status = 'open'), 'approved', 'bench', min(at), 'bench', min(at), max(at)
  FROM o GROUP BY item_id, tenant_id, organization_id;
  INSERT INTO orders (id, tenant_id, organization_id, status, currency, total_minor, reserved_until, payment_id, closed_at,
    look_at, created_by, created_at, updated_at)
  SELECT id, tenant_id, organization_id, status, 'EUR', amount, s.held_until, CASE status WHEN 'paid' THEN payment_id END,
    CASE WHEN status <> 'open' THEN s.held_until END, CASE status WHEN 'open' THEN s.held_until END, 'bench', at, at
  FROM o CROSS JOIN LATERAL (SELECT CASE status WHEN 'open' THEN until + interval '1 day' ELSE at + interval '30 minutes' END) AS s (held_until);
  INSERT INTO order_lines (order_id, tenant_id, number, item_id, sku, description, unit_minor, quantity)
  SELECT id, tenant_id, 1, item_id, item_id, 'Bench', amount, 1 FROM o;
  INSERT INTO stock_movements (id, tenant_id, item_id, kind, quantity, order_id, cause, actor, created_at)
  SELECT 'stm_' || bench.suffix(ms, n * 4 + 1), tenant_id, item_id, 'reserved', 1, id, id || '/reserved', NULL, at FROM o
  UNION ALL SELECT 'stm_' || bench.suffix(ms + 1, n * 4 + 2), tenant_id, item_id, CASE status WHEN 'paid' THEN 'sold' ELSE 'released' END,
    1, id, id || CASE status WHEN 'paid' THEN '/sold' ELSE '/released' END, NULL, at FROM o WHERE status <> 'open'
  UNION ALL SELECT 'stm_' || bench.suffix(min(ms), min(n) * 4), tenant_id, item_id, 'added', 1000, NULL, 'added', 'bench', min(at)
    FROM o GROUP BY item_id, tenant_id;
  UPDATE payments p SET order_id = o.id FROM o WHERE p.id = o.payment_id AND o.status = 'paid'`;

/** What is written for each part, in this order, in one transaction. */
export const CHUNK_STEPS = [
  PAYMENTS_OF_PART,
  PAYMENTS,
  ATTEMPTS,
  EVENTS,
  OPERATIONS,
  REFUNDS,
  DISPUTES,
  RECEIPTS,
  TOPUPS,
  TRANSFERS,
  LINES,
  ENTRIES,
  ACCOUNTS,
  BOOKED,
  CHARGES,
  GOODS,
];
