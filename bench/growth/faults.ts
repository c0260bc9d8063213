import type { Knex } from 'knex';

/** A row that is spoilt, and the check that has to find it. */
interface Fault {
  check: string;
  /** What the finding says; absent: whatever. */
  says?: RegExp;
  sql: string;
}

/** The id of the nth payment that is like this: each fault spoils another one. */
const payment = (like: string, nth = 0) => `(SELECT id FROM payments WHERE ${like} ORDER BY id OFFSET ${nth} LIMIT 1)`;
const SETTLED = "status = 'settled' AND beneficiary = 'merchant' AND capture_mode = 'automatic' AND processor = 'a'";
const TOPUP = "status = 'settled' AND beneficiary = 'wallet'";
const topup = (nth: number) => `payment_id = ${payment(TOPUP, nth)}`;
const oneOf = (table: string, like: string, nth = 0) =>
  `(SELECT id FROM ${table} WHERE ${like} ORDER BY id OFFSET ${nth} LIMIT 1)`;
const WALLET = "a.kind = 'customer_wallet'";
const wallet = (nth: number) =>
  `account_id = (SELECT a.id FROM ledger_accounts a WHERE ${WALLET} ORDER BY a.id OFFSET ${nth} LIMIT 1)`;

/** An entry between an account that is there and one that is made for it, for the cause. */
const entryTo = (kind: string, owner: string, cause: string) => `
  WITH other AS (SELECT * FROM ledger_accounts WHERE kind = 'fee_income' AND currency = 'EUR' ORDER BY id LIMIT 1),
    made AS (INSERT INTO ledger_accounts (tenant_id, currency, kind, owner, guarded)
      SELECT tenant_id, currency, '${kind}', ${owner}, false FROM other RETURNING *)
  INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id, credit_guarded,
    amount_minor, phase, cause)
  SELECT made.tenant_id, made.currency, other.id, false, made.id, false, 5, 'posted', ${cause} FROM made, other`;

/** A payment of a third party, made of the nth transfer between customers. `made`: the values of the other columns. */
const bankPayment = (nth: number, made: Record<string, string>) => `
  INSERT INTO open_banking_payments (tenant_id, tpp_id, customer_id, account_id, creditor_iban, currency, amount_minor,
    ${Object.keys(made).join(', ')})
  SELECT t.tenant_id, 'tpp_spoilt', t.sender_id, a.id, 'GB29NWBK60161331926819', t.currency, t.amount_minor,
    ${Object.values(made).join(', ')}
  FROM p2p_transfers t JOIN ledger_accounts a ON a.owner = t.sender_id AND a.currency = t.currency AND ${WALLET}
  ORDER BY t.id OFFSET ${nth} LIMIT 1`;

/**
 * One fault for each check. None for 'entries balance', where one row is both sides, nor for 'no wallet is negative', which a
 * constraint refuses.
 */
export const FAULTS: Fault[] = [
  {
    check: 'wallet balances equal their entries',
    sql: `UPDATE ledger_balances SET posted_minor = posted_minor + 1 WHERE ${wallet(0)}`,
  },
  {
    check: 'what is summed up of accounts and currencies is their entries',
    says: /: \d+: debits/,
    sql: `UPDATE ledger_sums SET debit_minor = debit_minor + 1 WHERE account_id = (SELECT min(account_id) FROM ledger_sums)`,
  },
  {
    check: 'what is summed up of accounts and currencies is their entries',
    says: /: ten_\w+ USD: debits/,
    sql: `UPDATE ledger_totals SET credit_minor = credit_minor - 1
      WHERE (tenant_id, currency) = (SELECT min(tenant_id), 'USD' FROM ledger_totals WHERE currency = 'USD')`,
  },
  {
    check: 'statistics count every payment and refund as it stands',
    says: /counted as taken/,
    sql: `UPDATE payment_counted SET minor = minor + 1 WHERE id = ${payment(SETTLED, 11)}`,
  },
  {
    check: 'statistics count every payment and refund as it stands',
    says: /^(?=.*: ref_).*refunded \d+ but counted as none 0/,
    sql: `DELETE FROM payment_counted WHERE id = ${oneOf('refunds', "status = 'succeeded'", 1)}`,
  },
  {
    check: 'the sums that statistics are read from are what payments and refunds count as',
    says: / day .*: refused_count 1 too many$/,
    sql: `UPDATE payment_sums SET refused_count = refused_count + 1
      WHERE (organization_id, at) = (SELECT organization_id, at FROM payment_sums WHERE per = 'day' AND kind = 'card' ORDER BY 1, 2 LIMIT 1)
        AND per = 'day' AND kind = 'card' AND code = 0`,
  },
  {
    check: 'the sums that statistics are read from are what payments and refunds count as',
    says: / interval .*open_minor 1 too many/,
    sql: `UPDATE payment_sums SET open_minor = open_minor + 1 WHERE ctid = (SELECT ctid FROM payment_sums WHERE per = 'interval' LIMIT 1)`,
  },
  {
    check: 'each entry of a wallet leaves the balance of the one before, and its own amount',
    sql: `UPDATE ledger_transfers SET credit_balance_minor = credit_balance_minor + 1
      WHERE id = ${oneOf('ledger_transfers', 'credit_guarded')}`,
  },
  {
    check: 'what is held of a wallet is its open holds',
    sql: `UPDATE ledger_balances SET held_minor = 1 WHERE ${wallet(1)}`,
  },
  {
    check: 'captures, refunds and disputes are booked as the payment says',
    sql: `UPDATE payments SET captured_minor = captured_minor - 1 WHERE id = ${payment(SETTLED, 0)}`,
  },
  {
    check: 'every payment that was sent has the attempt that serves it',
    sql: `DELETE FROM payment_attempts WHERE payment_id = ${payment(SETTLED, 9)}`,
  },
  {
    check: 'payments stand as their attempts do, and what an attempt has beyond that has a receipt',
    sql: `UPDATE payment_attempts SET status = 'voided' WHERE payment_id = ${payment(SETTLED, 10)}`,
  },
  {
    check: 'no card is in the vault that nothing needs',
    sql: `INSERT INTO vault_cards (id, tenant_id, fingerprint, key_id, wrapped_key, sealed, created_at)
      SELECT 'crd_spoilt', tenant_id, 'f', 'k1', 'w', 's', created_at - interval '1 day' FROM payments ORDER BY id LIMIT 1`,
  },
  {
    check: 'suspense holds what waits in it, per tenant, processor and currency',
    sql: `UPDATE unapplied_receipts SET status = 'returning' WHERE id = ${oneOf('unapplied_receipts', "status = 'returned'")}`,
  },
  {
    check: 'a hold is open exactly while the payment is authorized',
    sql: `UPDATE payments SET status = 'authorized' WHERE id = ${payment("status = 'cancelled'")}`,
  },
  {
    check: 'the status follows from the amounts',
    sql: `UPDATE payments SET status = 'captured' WHERE id = ${payment("status = 'failed'")}`,
  },
  {
    check: 'every step of the timeline follows the one before',
    sql: `UPDATE payment_events SET from_status = 'pending' WHERE id = ${oneOf('payment_events', "from_status = 'captured'", 1)}`,
  },
  {
    check: 'money that nobody asked for is booked when it was taken, and when it went back',
    sql: `UPDATE unapplied_receipts SET status = 'refused' WHERE id = ${oneOf('unapplied_receipts', "status = 'returned'")}`,
  },
  {
    check: 'a capture or void that succeeded is in the books',
    sql: `UPDATE payment_operations SET kind = 'capture' WHERE id = ${oneOf('payment_operations', "kind = 'void'", 1)}`,
  },
  {
    check: 'a refund is booked as what became of it',
    sql: `UPDATE refunds SET status = 'declined' WHERE id = ${oneOf('refunds', 'true')}`,
  },
  {
    check: 'every entry is about something that is there',
    sql: entryTo('suspense', "'nobody'", "'pay_nothing/capture'"),
  },
  {
    check: 'every payment for a wallet is a top-up, and none other',
    sql: `UPDATE payments SET beneficiary = 'merchant' WHERE id = ${payment(TOPUP, 0)}`,
  },
  {
    check: 'fees of top-ups are booked and returned as the top-up says',
    sql: `UPDATE topups SET fee_minor = fee_minor + 1 WHERE ${topup(1)}`,
  },
  {
    check: 'a top-up that is refunded in full has its whole fee back',
    sql: `UPDATE payments SET status = 'refunded', refunded_minor = captured_minor WHERE id = ${payment(TOPUP, 2)}`,
  },
  {
    check: 'what comes in for a customer is what its top-ups have not settled',
    sql: `UPDATE topups SET incoming_minor = incoming_minor + 1 WHERE ${topup(3)}`,
  },
  {
    check: 'nothing of a settled top-up is still coming in',
    sql: `UPDATE topups SET incoming_minor = incoming_minor + 1 WHERE ${topup(4)}`,
  },
  {
    check: 'no customer has paid more than it owes',
    sql: entryTo('customer_receivable', oneOf('customers', 'true'), `${payment(TOPUP, 5)} || '/owed'`),
  },
  {
    check: 'transfers between customers are booked as they say',
    sql: `UPDATE p2p_transfers SET amount_minor = amount_minor + 1 WHERE id = ${oneOf('p2p_transfers', 'true')}`,
  },
  {
    check: 'what is paid out to the invited has come from their senders',
    sql: entryTo('suspense', "'p2p'", `${oneOf('p2p_transfers', 'true', 1)} || '/joined'`),
  },
  {
    check: 'a request for money is paid by one settled transfer',
    sql: `INSERT INTO p2p_requests (id, tenant_id, requester_id, payer_id, currency, amount_minor, status, transfer_id, expires_at, created_by)
      SELECT 'mrq_spoilt', tenant_id, recipient_id, sender_id, currency, amount_minor, 'paid', id, now(), sender_id
      FROM p2p_transfers ORDER BY id OFFSET 2 LIMIT 1`,
  },
  {
    check: 'the stock of an item is what was added and adjusted, less what was sold',
    sql: `UPDATE items SET quantity = quantity + 1 WHERE id = ${oneOf('items', 'true')}`,
  },
  {
    check: 'what is reserved of an item is what open orders hold of it, and what its movements say',
    sql: `UPDATE items SET reserved = reserved + 1 WHERE id = ${oneOf('items', 'true', 1)}`,
  },
  {
    check: 'the pieces of an order are held while it is open, sold once it is paid, and given back otherwise',
    sql: `DELETE FROM stock_movements WHERE id = ${oneOf('stock_movements', "kind = 'released'")}`,
  },
  {
    check: 'an order comes to what its lines come to',
    sql: `UPDATE order_lines SET unit_minor = unit_minor + 1 WHERE order_id = ${oneOf('orders', "status = 'open'")}`,
  },
  {
    check: 'an order is paid by its payment, and a payment with the money pays its order',
    sql: `UPDATE payments SET order_id = NULL WHERE order_id = ${oneOf('orders', "status = 'paid'")}`,
  },
  {
    check: 'a line of a report stands for an entry of the same amount',
    sql: `UPDATE settlement_lines SET amount_minor = amount_minor + 1 WHERE payment_reference = ${payment(SETTLED, 1)}`,
  },
  {
    check: 'what is settled has been in a report',
    sql: `UPDATE payments SET settled_at = NULL WHERE id = ${payment(SETTLED, 2)}`,
  },
  {
    check: 'what we booked has been in a report of its processor',
    sql: `WITH gone AS (DELETE FROM settlement_lines WHERE payment_reference = ${payment(SETTLED, 3)} RETURNING payment_reference)
      UPDATE payments SET settled_at = NULL WHERE id IN (SELECT payment_reference FROM gone)`,
  },
  {
    check: 'every line of a report is about something of ours',
    sql: `UPDATE settlement_lines SET outcome = 'waiting', movement = NULL WHERE payment_reference = ${payment(SETTLED, 4)}`,
  },
  {
    check: 'a settlement is booked as the sums of its lines',
    sql: `UPDATE settlement_lines SET fee_minor = fee_minor + 1 WHERE payment_reference = ${payment(SETTLED, 5)}`,
  },
  {
    check: 'our view and that of processor a agree',
    says: /we hold \d+ as captured$/,
    sql: `UPDATE bench.charges SET captured_minor = captured_minor - 1 WHERE reference = ${payment(SETTLED, 6)}`,
  },
  {
    check: 'our view and that of processor a agree',
    says: /we hold 0 as refunded/,
    sql: `UPDATE bench.charges SET refunded_minor = 1 WHERE reference = ${payment(SETTLED, 7)}`,
  },
  {
    check: 'our view and that of processor a agree',
    says: /a payment we do not have/,
    sql: `INSERT INTO bench.charges VALUES ('a', 'pay_nothing', 'EUR', 'captured', 5, 0)`,
  },
  {
    check: 'our view and that of processor a agree',
    says: /has charged nothing/,
    sql: `DELETE FROM bench.charges WHERE reference = ${payment(SETTLED, 8)}`,
  },
  {
    check: 'a payment that a third party initiated is one transfer of the same amount, payer and payee',
    sql: bankPayment(3, { id: "'dpm_spoilt'", consent_id: "'con_spoilt_1'", kind: "'domestic'", transfer_id: 't.id' }),
  },
  {
    check:
      'a payment that a third party scheduled is one schedule of the same amount, payer and payee, and its transfer',
    sql: bankPayment(4, {
      id: "'dpm_scheduled'",
      consent_id: "'con_spoilt_2'",
      kind: "'scheduled'",
      schedule_id: "'sch_nothing'",
    }),
  },
  {
    check: 'a consent to pay is consumed by its one payment, and by nothing else',
    sql: `INSERT INTO consents (id, tenant_id, tpp_id, kind, status, status_detail, customer_id, record, awaits_until,
        authorised_at, authenticated_at, grant_id)
      SELECT 'con_spoilt_3', tenant_id, 'tpp_spoilt', 'payment', 'Consumed', 'Its payment was made.', id, '{}', now(), now(), now(),
        'grant_spoilt'
      FROM customers ORDER BY id LIMIT 1`,
  },
];

/** Spoils one row for each fault, past all triggers. */
export async function plant(owner: Knex, faults: readonly Fault[] = FAULTS): Promise<void> {
  await owner.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    for (const { sql } of faults) await trx.raw(sql);
  });
}

/** The faults that none of these lines is about: each is `<check>: <subject>: <detail>`. */
export function missed(lines: readonly string[], faults: readonly Fault[] = FAULTS): string[] {
  return faults.flatMap(({ check, says = /^/ }) =>
    lines.some((line) => line.startsWith(`${check}: `) && says.test(line)) ? [] : [`${check} ${says.source}`],
  );
}
