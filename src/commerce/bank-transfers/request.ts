import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { compactText, ourReference } from '../../domain/creditor-reference';
import { DomainError } from '../../domain/errors';
import { applyFee } from '../../money/fees/fees';
import { spendAllowance } from '../../money/limits/allowance';
import type { PaymentRow } from '../../money/payments/payment';
import { payableAccount } from '../bank-statements/account';

export const REQUEST_STATUSES = ['open', 'paid', 'closed'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** One row of `bank_transfer_requests`: what a payment asks its payer to transfer. Amounts are minor units of `currency`. */
export interface BankTransferRequestRow {
  payment_id: string;
  tenant_id: string;
  organization_id: string;
  account_id: string;
  reference: string;
  currency: string;
  amount_minor: bigint;
  received_minor: bigint;
  /** What the seller pays for it, once it is settled. */
  fee_minor: bigint;
  payer_name: string | null;
  status: RequestStatus;
  expires_at: Date;
  created_at: Date;
}

export interface RequestOrder {
  /** Default: the newest active account of the tenant in the currency. */
  accountId?: string;
  expiresAt: Date;
}

/** Tries for a reference that nothing else of the tenant has: two of 10^15 rarely meet. */
const TRIES = 3;

/**
 * Writes down what a payment asks for, once, in the caller's transaction of the tenant: the account, the reference that tells
 * it, the seller's fee; its customer's allowance is spent. Undefined where the tenant has no such account. Throws
 * `fee_exceeds_amount` and `limit_exceeded`.
 */
export async function createRequest(
  trx: Knex.Transaction,
  payment: PaymentRow,
  { accountId, expiresAt }: RequestOrder,
): Promise<BankTransferRequestRow | undefined> {
  const known = await findRequest(trx, payment.id);
  if (known) return known;
  const { tenant_id: tenantId, currency, amount_minor: amountMinor } = payment;
  const account = await payableAccount(trx, tenantId, currency, accountId);
  if (!account) return undefined;
  const operation = 'bank_transfer' as const;
  const { feeMinor } = await applyFee(trx, { tenantId, operation, currency, amountMinor });
  if (feeMinor >= amountMinor)
    throw new DomainError('fee_exceeds_amount', 'The fee would leave nothing of this amount');
  if (payment.customer_id)
    await spendAllowance(trx, {
      tenantId,
      customerId: payment.customer_id,
      operation,
      currency,
      amountMinor,
      cause: payment.id,
    });
  for (let tried = 0; tried < TRIES; tried += 1) {
    const [row]: BankTransferRequestRow[] = await trx('bank_transfer_requests')
      .insert({
        payment_id: payment.id,
        tenant_id: tenantId,
        organization_id: payment.organization_id,
        account_id: account.id,
        reference: referenceFor(payment.id, tried),
        currency,
        amount_minor: amountMinor,
        fee_minor: feeMinor,
        payer_name: payerOf(payment),
        status: 'open' satisfies RequestStatus,
        expires_at: expiresAt,
      })
      .onConflict(['tenant_id', 'reference'])
      .ignore()
      .returning('*');
    if (row) return row;
  }
  throw new Error(`no reference is free for payment ${payment.id}`);
}

function referenceFor(paymentId: string, tried: number): string {
  const hash = createHash('sha256').update(paymentId).update('\0'.repeat(tried)).digest();
  return ourReference(hash.readBigUInt64BE());
}

/** The payer as the seller knows it, so that a transfer without a reference can be told by amount and name. */
function payerOf({ request: { instrument, customer } }: PaymentRow): string | null {
  const named = instrument?.kind === 'bank_transfer' ? instrument.payerName : undefined;
  return compactText(named ?? [customer?.firstName, customer?.lastName].join(' ')) || null;
}

export function findRequest(connection: Knex, paymentId: string): Promise<BankTransferRequestRow | undefined> {
  return connection('bank_transfer_requests').where({ payment_id: paymentId }).first();
}

/** The requests of payments, locked until the transaction ends, in the order of their ids. */
export async function lockRequests(
  trx: Knex.Transaction,
  paymentIds: readonly string[],
): Promise<Map<string, BankTransferRequestRow>> {
  const rows: BankTransferRequestRow[] = await trx('bank_transfer_requests')
    .whereRaw('payment_id = ANY (?)', [[...new Set(paymentIds)]])
    .orderBy('payment_id')
    .forUpdate();
  return new Map(rows.map((row) => [row.payment_id, row]));
}

/** The request, locked until the transaction ends. Lock its account before it, and its payment not at all. */
export async function lockRequest(
  trx: Knex.Transaction,
  paymentId: string,
): Promise<BankTransferRequestRow | undefined> {
  return trx('bank_transfer_requests').where({ payment_id: paymentId }).forUpdate().first();
}
