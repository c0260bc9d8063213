import { printedReference } from '../../domain/creditor-reference';
import { formatAmount } from '../../domain/money';
import type { PaymentRow } from '../../money/payments/payment';
import type { Proposal } from './proposals';
import type { BankTransferRequestRow } from './request';
import type { BankReturnRow } from './return';
import type { BankTransfer } from './service';

/** One payment by bank transfer, in short: a line of a list, and of an export. */
export function presentTransferLine(
  payment: PaymentRow,
  request: BankTransferRequestRow | undefined,
): Record<string, unknown> {
  const shown = (minor: bigint) => formatAmount(minor, payment.currency);
  const received = request?.received_minor ?? payment.captured_minor;
  const missing = payment.amount_minor - received;
  return {
    paymentId: payment.id,
    organizationId: payment.organization_id,
    merchantTransactionId: payment.merchant_transaction_id,
    transactionStatus: payment.status,
    detail: payment.status_detail,
    processor: payment.processor,
    accountId: request?.account_id,
    reference: request?.reference,
    printedReference: request && printedReference(request.reference),
    amount: shown(payment.amount_minor),
    currency: payment.currency,
    received: shown(received),
    missing: shown(missing > 0n ? missing : 0n),
    refunded: shown(payment.refunded_minor),
    fee: shown(request?.fee_minor ?? 0n),
    expiresAt: request?.expires_at ?? payment.waits_until ?? undefined,
    createdAt: payment.created_at,
    settledAt: payment.settled_at ?? undefined,
  };
}

/** The same with what the payer is shown, what came, and what went back. */
export function presentTransfer({ payment, request, arrivals, returns }: BankTransfer): Record<string, unknown> {
  return {
    ...presentTransferLine(payment, request),
    action: payment.action ?? undefined,
    arrivals: arrivals.map(({ id, amount_minor, currency, booked_on: bookedOn, status, bank_reference }) => ({
      entryId: id,
      amount: formatAmount(amount_minor, currency),
      bookedOn,
      status,
      bankReference: bank_reference ?? undefined,
    })),
    returns: returns.map(presentReturn),
  };
}

export function presentReturn(row: BankReturnRow): Record<string, unknown> {
  return {
    returnId: row.id,
    kind: row.kind,
    paymentId: row.payment_id ?? undefined,
    entryId: row.entry_id ?? undefined,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    status: row.status,
    detail: row.status_detail,
    payerName: row.holder ?? undefined,
    payerIban: row.iban_last4 ? `${row.iban_country}**${row.iban_last4}` : undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function presentProposal(row: Proposal): Record<string, unknown> {
  return {
    entryId: row.id,
    status: row.status,
    accountId: row.account_id,
    paymentId: row.payment_id ?? undefined,
    why: row.proposal ?? undefined,
    needsSecond: row.status === 'proposed' ? row.seconded_by !== null : undefined,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    bookedOn: row.booked_on,
    creditorReference: row.creditor_reference ?? undefined,
    text: row.text,
    payerName: row.payer_name ?? undefined,
    payerIban: row.iban_last4 ? `${row.iban_country}**${row.iban_last4}` : undefined,
    createdAt: row.created_at,
  };
}
