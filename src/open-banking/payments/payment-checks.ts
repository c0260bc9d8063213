import type { Check } from '../../money/books-check/check';

/** What must hold for payments that third parties initiate. */
export const BANK_PAYMENT_CHECKS: Check[] = [
  {
    name: 'a payment that a third party initiated is one transfer of the same amount, payer and payee',
    sql: `SELECT p.id AS subject, format('%s %s from %s to %s, but the transfer %s says %s %s from %s to %s', p.amount_minor,
        p.currency, p.customer_id, payee.owner, p.transfer_id, t.amount_minor, t.currency, t.sender_id, t.recipient_id)
        AS detail
      FROM open_banking_payments p
        LEFT JOIN p2p_transfers t ON t.id = p.transfer_id
        LEFT JOIN ledger_accounts payer ON payer.id = p.account_id
        LEFT JOIN ledger_accounts payee ON payee.iban = p.creditor_iban
      WHERE p.transfer_id IS NOT NULL AND (t.amount_minor, t.currency, t.sender_id, t.recipient_id, payer.owner,
          payer.currency, payee.currency, t.tenant_id)
        IS DISTINCT FROM (p.amount_minor, p.currency, p.customer_id, payee.owner, p.customer_id,
          p.currency, p.currency, p.tenant_id)`,
  },
  {
    name: 'a payment that a third party scheduled is one schedule of the same amount, payer and payee, and its transfer',
    sql: `SELECT p.id AS subject, format('%s %s from %s to %s, but the schedule %s says %s %s from %s to %s', p.amount_minor,
        p.currency, p.customer_id, p.creditor_iban, p.schedule_id, s.amount_minor, s.currency, s.sender_id,
        s.recipient_iban) AS detail
      FROM open_banking_payments p
        LEFT JOIN p2p_schedules s ON s.id = p.schedule_id
        LEFT JOIN p2p_transfers t ON t.schedule_id = p.schedule_id
        LEFT JOIN ledger_accounts payee ON payee.iban = p.creditor_iban
      WHERE p.schedule_id IS NOT NULL AND ((s.amount_minor, s.currency, s.sender_id, s.recipient_iban, s.recipient_id,
          s.frequency, s.tenant_id) IS DISTINCT FROM (p.amount_minor, p.currency, p.customer_id, p.creditor_iban,
          payee.owner, 'once', p.tenant_id)
        OR (t.id IS NOT NULL AND (t.amount_minor, t.currency, t.sender_id, t.recipient_id) IS DISTINCT FROM
          (p.amount_minor, p.currency, p.customer_id, payee.owner)))`,
  },
  {
    name: 'a consent to pay is consumed by its one payment, and by nothing else',
    sql: `SELECT c.id AS subject, c.status || ' with ' || coalesce(p.id, 'no payment') AS detail
      FROM consents c LEFT JOIN open_banking_payments p ON p.consent_id = c.id
      WHERE c.kind = 'payment' AND (c.status = 'Consumed') <> (p.id IS NOT NULL)`,
  },
];
