/**
 * What the console is measured with, written by number, a part at a time. `hash` spreads what a row is over the numbers, the
 * same at each run; `dice` is its last three digits. Parameters: first and last number, how many in all, when the last is.
 */

/** Days that the data lasts: thirteen months. */
export const DAYS = 396;
/** How many other organizations there are; one payment in six is theirs. */
export const OTHERS = 19;
/** Customers, top-ups, transfers, audit lines and interventions that go with a million payments. */
export const BESIDE = { customers: 200_000, topups: 100_000, transfers: 300_000, lines: 1_000_000, waiting: 10_000 };

/** Who the rows belong to: one organization of the tenant has nearly all, the other ones share the rest. */
export const PREPARE = `
  CREATE TABLE bench.places (number integer PRIMARY KEY, tenant_id text, organization_id text, terminal_id text);
  CREATE TABLE bench.people (number integer PRIMARY KEY, id text);
  CREATE TABLE bench.filled (payments integer, until timestamptz);
  -- What payers pay with, more often the card brands that come first.
  CREATE TABLE bench.methods AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS number, * FROM payment_methods_catalogue
    WHERE currencies = '{}' AND kind IN ('card', 'wallet', 'apm', 'bank_transfer', 'direct_debit', 'hosted_page');`;

/** Numbers with their time, their place and their chance. */
const NUMBERED = `
  SELECT n, t.at, bench.suffix((extract(epoch FROM t.at) * 1000)::bigint, n) AS suffix,
    abs(hashint8extended(n, 1)) AS hash, abs(hashint8extended(n, 2)) % 1000 AS dice, abs(hashint8extended(n, 3)) % 1000 AS other_dice
  FROM generate_series(:first::bigint, :last::bigint) n
  CROSS JOIN LATERAL (SELECT (:until::timestamptz - interval '${DAYS} days' * (1 - (n + 1)::float8 / :total))::timestamptz(3) AS at) t`;

/**
 * Payments with their attempts, refunds and disputes. Of a thousand 700 have taken money, 150 were refused, 50 cancelled, 40
 * expired; the others were refunded or charged back. What is younger than that takes has not happened to it yet.
 */
export const PAYMENTS = [
  `CREATE TEMPORARY TABLE g ON COMMIT DROP AS
  SELECT c.*, 'pay_' || suffix AS id, p.tenant_id, p.organization_id, p.terminal_id, m.id AS method_id, m.kind, m.brand, m.processor,
    CASE WHEN other_dice < 800 THEN 'EUR' WHEN other_dice < 920 THEN 'USD' WHEN other_dice < 990 THEN 'GBP' ELSE 'JPY' END AS currency,
    CASE WHEN hash % 10 = 0 THEN 4999 ELSE 100 + hash % 50000 END AS amount,
    CASE
      WHEN at > :until::timestamptz - interval '1 hour' AND dice < 100 THEN 'requires_action'
      WHEN at > :until::timestamptz - interval '7 days' AND dice < 20 THEN 'authorized'
      WHEN dice < 150 THEN 'failed' WHEN dice < 200 THEN 'cancelled' WHEN dice < 240 THEN 'expired'
      WHEN at > :until::timestamptz - interval '12 hours' THEN 'captured'
      WHEN at < :until::timestamptz - interval '4 days' AND dice < 270 THEN 'refunded'
      WHEN at < :until::timestamptz - interval '4 days' AND dice < 290 THEN 'partially_refunded'
      WHEN at < :until::timestamptz - interval '4 days' AND dice < 294 THEN 'charged_back'
      ELSE 'settled' END AS status
  FROM (${NUMBERED}) c
  JOIN bench.places p ON p.number = CASE n % 6 WHEN 5 THEN 1 + n / 6 % ${OTHERS} ELSE 0 END
  JOIN bench.methods m ON m.number = CASE WHEN hash % 100 < 60 THEN 0 WHEN hash % 100 < 80 THEN 1
    ELSE hash / 100 % (SELECT count(*) FROM bench.methods) END`,
  'ANALYZE g',
  `INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand, processor,
    currency, amount_minor, capture_mode, status, result_code, status_detail, authorized_minor, captured_minor, refunded_minor,
    charged_back_minor, settled_at, request, customer_id, beneficiary, card_bin, card_last4, card_holder, card_expiry_month,
    card_expiry_year, provider_reference, attempts, version, submitted_at, waits_until, review_reason, review_since, created_at,
    updated_at)
  SELECT g.id, g.tenant_id, g.organization_id, g.terminal_id, to_char(at, 'YYYYMM') || '-' || lpad(n::text, 8, '0'), method_id, kind,
    brand, processor, currency, amount, CASE status WHEN 'authorized' THEN 'manual' ELSE 'automatic' END, status,
    CASE WHEN status = 'failed' THEN (ARRAY[201, 205, 205, 205, 206, 200])[1 + hash % 6] WHEN status = 'cancelled' THEN 110 WHEN status = 'expired' THEN 302
      ELSE 0 END,
    CASE WHEN status = 'failed' THEN 'The issuer declined.' WHEN captured > 0 THEN 'Approved and captured.' ELSE 'As it stands.' END,
    CASE WHEN status = 'authorized' THEN amount ELSE captured END, captured,
    CASE status WHEN 'refunded' THEN amount WHEN 'partially_refunded' THEN amount / 2 ELSE 0 END,
    CASE status WHEN 'charged_back' THEN amount ELSE 0 END, CASE WHEN captured > 0 AND status <> 'captured' THEN at + interval '12 hours' END,
    '{"threeDS": "auto", "storeCard": false}', c.id, 'merchant',
    CASE kind WHEN 'card' THEN '411111' END, CASE kind WHEN 'card' THEN lpad((hash / 7 % 10000)::text, 4, '0') END,
    CASE kind WHEN 'card' THEN 'A Buyer' END, CASE kind WHEN 'card' THEN '12' END, CASE kind WHEN 'card' THEN '2032' END,
    'p' || processor || '_' || n, 1, 4, at + interval '1 second',
    CASE status WHEN 'authorized' THEN at + interval '7 days' WHEN 'requires_action' THEN at + interval '1 hour' END,
    CASE WHEN status = 'expired' AND hash % 12 = 0 THEN 'the processor has other amounts' END,
    CASE WHEN status = 'expired' AND hash % 12 = 0 THEN at + interval '1 day' END,
    at, least(at + interval '12 hours', :until::timestamptz)
  FROM g
  CROSS JOIN LATERAL (SELECT CASE WHEN status IN ('captured', 'settled', 'refunded', 'partially_refunded', 'charged_back')
    THEN amount ELSE 0 END AS captured) taken
  LEFT JOIN bench.people c ON hash % 3 = 0 AND c.number = hash / 3 % (SELECT count(*) FROM bench.people)
  ORDER BY n`,
  `INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends, sent_at,
    created_at, updated_at)
  SELECT id, processor, tenant_id, 1, CASE WHEN status IN ('authorized', 'requires_action') THEN status
      WHEN status = 'failed' THEN 'declined' WHEN status IN ('cancelled', 'expired') THEN 'voided' ELSE 'captured' END,
    'Filled in.', 'p' || processor || '_' || n, 1, at, at, at FROM g ORDER BY n`,
  // Statistics find by them what to count.
  `INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail, at)
  SELECT id, tenant_id, 'initiated', status, 0, 'authorize', 'Filled in.', at FROM g ORDER BY n`,
  `INSERT INTO refunds (id, tenant_id, organization_id, payment_id, processor, currency, amount_minor, status, result_code,
    status_detail, cause, attempts, submitted_at, settled_at, created_at, updated_at)
  SELECT 'ref_' || bench.suffix((extract(epoch FROM at + interval '3 days') * 1000)::bigint, n), tenant_id, organization_id, id,
    processor, currency, CASE status WHEN 'refunded' THEN amount ELSE greatest(amount / 2, 1) END, 'succeeded', 0, 'Refunded.',
    'refund', 1, at + interval '3 days', at + interval '4 days', at + interval '3 days', at + interval '3 days'
  FROM g WHERE status IN ('refunded', 'partially_refunded') ORDER BY n`,
  `INSERT INTO disputes (id, tenant_id, organization_id, payment_id, processor, case_id, currency, amount_minor, status, created_at,
    updated_at)
  SELECT 'dsp_' || suffix, tenant_id, organization_id, id, processor, 'case_' || n, currency, amount, 'lost', at + interval '2 days',
    at + interval '3 days' FROM g WHERE status = 'charged_back' ORDER BY n`,
];

/** Top-ups of the tenant's customers, one in a thousand by a link. Their payments are of the tenant's house. */
export const TOPUPS = [
  `CREATE TEMPORARY TABLE g ON COMMIT DROP AS
  SELECT c.*, p.*, m.id AS customer_id, 500 + hash % 20000 AS amount,
    CASE WHEN dice < 100 THEN 'failed' WHEN dice < 105 THEN 'refunded' WHEN at > :until::timestamptz - interval '12 hours' THEN 'captured'
      ELSE 'settled' END AS status,
    CASE WHEN other_dice < 950 THEN 'EUR' ELSE 'USD' END AS currency
  FROM (${NUMBERED}) c JOIN bench.places p ON p.number = -1
  JOIN bench.people m ON m.number = hash % (SELECT count(*) FROM bench.people)`,
  // Their numbers begin where those of no other payment are.
  `INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand, processor,
    currency, amount_minor, capture_mode, status, result_code, status_detail, authorized_minor, captured_minor, refunded_minor,
    settled_at, request, customer_id, beneficiary, card_bin, card_last4, card_holder, card_expiry_month, card_expiry_year,
    provider_reference, attempts, version, submitted_at, link_id, created_at, updated_at)
  SELECT 'pay_' || suffix, tenant_id, organization_id, terminal_id, 'top_' || suffix, 1, 'card', 'VISA', 'a', currency, amount,
    'automatic', status, CASE status WHEN 'failed' THEN 205 ELSE 0 END, 'Filled in.', taken, taken,
    CASE status WHEN 'refunded' THEN amount ELSE 0 END, CASE WHEN status IN ('settled', 'refunded') THEN at + interval '12 hours' END,
    '{"threeDS": "auto", "storeCard": false}', customer_id, 'wallet', '411111', lpad((hash / 7 % 10000)::text, 4, '0'), 'A Buyer', '12',
    '2032', 'top_' || n, 1, 3, at, CASE WHEN dice = 999 THEN 'lnk_' || bench.suffix(0, 1) END, at, at
  FROM g CROSS JOIN LATERAL (SELECT CASE status WHEN 'failed' THEN 0 ELSE amount END AS taken) t ORDER BY n`,
  `INSERT INTO topups (id, tenant_id, customer_id, payment_id, currency, fee_minor, incoming_minor, created_by, created_at)
  SELECT 'top_' || suffix, tenant_id, customer_id, 'pay_' || suffix, currency, amount / 100, 0, customer_id, at FROM g ORDER BY n`,
];

export const TRANSFERS = [
  `INSERT INTO p2p_transfers (id, tenant_id, sender_id, recipient_id, currency, amount_minor, fee_minor, fee_payer, status,
    status_detail, moved_by, settled_at, created_at, updated_at)
  SELECT 'trf_' || suffix, p.tenant_id, s.id, r.id, CASE WHEN other_dice < 995 THEN 'EUR' ELSE 'USD' END, 100 + hash % 9000, 1, 'sender',
    CASE WHEN dice < 995 THEN 'settled' WHEN dice < 997 THEN 'reversed' WHEN dice < 999 THEN 'declined' ELSE 'failed' END,
    'Filled in.', s.id, CASE WHEN dice < 997 THEN at END, at, at
  FROM (${NUMBERED}) c JOIN bench.places p ON p.number = 0 CROSS JOIN (SELECT count(*) FROM bench.people) many
  JOIN bench.people s ON s.number = hash % many.count
  JOIN bench.people r ON r.number = (hash + 1 + dice) % many.count ORDER BY n`,
];

/** Three in five lines are of one client; actions come as often as they do with merchants, a few hardly ever. */
export const LINES = [
  `INSERT INTO audit_log (tenant_id, actor, action, target, source, result, detail, at)
  SELECT p.tenant_id, CASE WHEN dice < 600 THEN 'cli_' || bench.suffix(0, 0) ELSE 'usr_' || bench.suffix(0, dice % 40) END,
    CASE WHEN other_dice < 400 THEN 'customer.read' WHEN other_dice < 410 THEN 'customer.list' WHEN other_dice < 700 THEN 'customer.update'
      WHEN other_dice < 990 THEN 'customer.topup_create' WHEN other_dice < 999 THEN 'fees.set'
      ELSE CASE WHEN hash % 100 = 0 THEN 'user.disable' ELSE 'user.invite' END END,
    CASE WHEN other_dice NOT BETWEEN 400 AND 409 THEN c.id END, '192.0.2.' || hash % 250, 'done',
    jsonb_build_object('requestId', 'req_' || suffix)
      || CASE WHEN other_dice BETWEEN 400 AND 409 THEN jsonb_build_object('customerIds', jsonb_build_array(c.id)) ELSE '{}' END, at
  FROM (${NUMBERED}) l JOIN bench.places p ON p.number = 0
  JOIN bench.people c ON c.number = hash % (SELECT count(*) FROM bench.people) ORDER BY n`,
];

/** What operators have proposed, each about another payment, and differences that nobody has looked at. */
export const WAITING = [
  `CREATE TEMPORARY TABLE g ON COMMIT DROP AS
  SELECT c.*, p.id AS payment_id, p.tenant_id, p.organization_id, p.currency, p.amount_minor, p.processor
  FROM (${NUMBERED}) c
  JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS number FROM payments WHERE status = 'failed' LIMIT :total) p ON p.number = n`,
  `INSERT INTO interventions (id, tenant_id, organization_id, subject_kind, subject_id, act, reason, currency, amount_minor,
    needs_second, status, status_detail, ordered_by, created_at, updated_at)
  SELECT 'itv_' || suffix, tenant_id, organization_id, 'payment', payment_id, 'close', 'The processor says so.', currency,
    amount_minor, true, 'proposed', 'It waits for a second operator.', 'usr_' || bench.suffix(0, dice % 9), at, at FROM g`,
  `INSERT INTO reconciliation_differences (id, tenant_id, processor, kind, line_kind, line_id, reference, payment_reference, currency,
    reported_minor, expected_minor, found_at)
  SELECT 'dif_' || suffix, tenant_id, processor, 'different_amount', 'capture', 'ln_' || n, payment_id, payment_id, currency,
    amount_minor + 1, amount_minor, at FROM g WHERE n % 5 = 0`,
];
