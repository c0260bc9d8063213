import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import { OPEN_STATUSES } from '../../domain/states/payment';
import { PLATFORM_TENANT } from '../ledger/accounts';
import type { Ledger } from '../ledger/ledger';
import type { TransferTargets } from '../payments/virtual-accounts';
import { intoSuspense } from './bookings';
import {
  decidedByPlatform,
  type Mismatch,
  matchingDetail,
  PLATFORM_ACTOR,
  type UnmatchedTransferRow,
} from './unmatched-transfer';

/** An incoming transfer as its processor tells of it. */
export interface IncomingTransfer {
  processor: ProcessorId;
  transferId: string;
  /** Of the report, in the inbox. */
  callbackId: string;
  account: string;
  text: string;
  payerName?: string;
  money: Money;
  /** Whose account it came on, where that tells. */
  tenantId?: string;
}

const WHY: Record<Mismatch, string> = {
  no_payment: 'Its account and its text name no payment.',
  several_payments: 'Its text names several payments.',
  other_currency: 'The payment that it names is in another currency.',
  payment_not_waiting: 'The payment that it names does not wait for money.',
};

/**
 * Writes a transfer down that counts towards no payment, and books it, in one transaction, once for each transfer of a
 * processor. It belongs to the tenant whose account it came on, or of the payments that it names, else to the platform itself. With `matchWith` it goes
 * to that payment without an operator. Runs as the system role. Answers the row that is there then.
 */
export function suspend(
  system: Knex,
  ledger: Ledger,
  transfer: IncomingTransfer,
  { payments }: TransferTargets,
  matchWith?: string,
): Promise<UnmatchedTransferRow> {
  const mismatch = mismatchOf(transfer, payments);
  const tenants = new Set(payments.map(({ tenant_id }) => tenant_id));
  const tenantId = transfer.tenantId ?? (tenants.size === 1 ? [...tenants][0]! : PLATFORM_TENANT);
  const decision = matchWith && {
    ...decidedByPlatform('Its text names this payment.'),
    decision: 'match',
    payment_id: matchWith,
    decisions: 1,
  };
  return system.transaction(async (trx) => {
    const [row]: UnmatchedTransferRow[] = await trx('unmatched_transfers')
      .insert({
        id: newId('unmatchedTransfer'),
        tenant_id: tenantId,
        processor: transfer.processor,
        transfer_id: transfer.transferId,
        callback_id: transfer.callbackId,
        account: transfer.account,
        remittance_text: transfer.text,
        payer_name: transfer.payerName ?? null,
        currency: transfer.money.currency,
        amount_minor: transfer.money.amountMinor,
        mismatch,
        status: decision ? 'matching' : 'open',
        status_detail: matchWith ? matchingDetail(matchWith) : WHY[mismatch],
        review_since: decision ? null : trx.fn.now(),
        ...decision,
      })
      .onConflict(['processor', 'transfer_id'])
      .ignore()
      .returning('*');
    if (!row) return findUnmatchedTransfer(trx, transfer.processor, transfer.transferId);
    await ledger.book(trx, row.tenant_id, row.currency, intoSuspense(row));
    return row;
  }) as Promise<UnmatchedTransferRow>;
}

function mismatchOf({ money }: IncomingTransfer, payments: TransferTargets['payments']): Mismatch {
  if (payments.length === 0) return 'no_payment';
  if (payments.length > 1) return 'several_payments';
  return payments[0]!.currency === money.currency ? 'payment_not_waiting' : 'other_currency';
}

/** Undefined for a transfer that was never in suspense. Runs as the system role. */
export function findUnmatchedTransfer(
  system: Knex,
  processor: ProcessorId,
  transferId: string,
): Promise<UnmatchedTransferRow | undefined> {
  return system('unmatched_transfers').where({ processor, transfer_id: transferId }).first();
}

/**
 * Has open transfers go to payments whose accounts they came on, where the account was given out only after they had come.
 * Each is tried once: what the processor refuses is left to operators. Runs as the system role. Answers how many.
 */
export async function matchWithNewPayments(system: Knex): Promise<number> {
  // Mostly none is open: that is found out faster than the statement below is planned.
  if (!(await system('unmatched_transfers').where({ status: 'open', decisions: 0 }).first('id'))) return 0;
  const { rowCount } = await system.raw(
    `UPDATE unmatched_transfers u SET status = 'matching', decision = 'match', payment_id = p.id, decisions = 1,
       reason = 'Its account was given out for this payment.', status_detail = 'It is being matched with ' || p.id || '.', decided_by = :platform, decided_at = clock_timestamp(),
       review_since = NULL, updated_at = clock_timestamp()
     FROM virtual_accounts v JOIN payments p ON p.id = v.payment_id
     WHERE u.status = 'open' AND u.decisions = 0 AND v.iban = u.account AND p.currency = u.currency
       AND p.processor = u.processor AND p.status = ANY (:open)`,
    { platform: PLATFORM_ACTOR, open: OPEN_STATUSES },
  );
  return rowCount;
}
