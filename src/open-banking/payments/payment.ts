import type { DomainErrorCode } from '../../domain/errors';
import type { ScheduleStatus } from '../../domain/states/schedule';
import type { TransferStatus } from '../../domain/states/transfer';
import type { PaymentKind } from './initiation';

/** One row of `open_banking_payments`. It never changes: where its money is, the transfer says. */
export interface BankPaymentRow {
  id: string;
  tenant_id: string;
  tpp_id: string;
  consent_id: string;
  customer_id: string;
  kind: PaymentKind;
  /** The wallet that pays: of `ledger_accounts`. */
  account_id: bigint;
  creditor_iban: string;
  currency: string;
  amount_minor: bigint;
  /** What moves the money of one that is made at once. Null: it was refused before any money moved. */
  transfer_id: string | null;
  /** What makes the transfer of a scheduled one. Null: it was refused. */
  schedule_id: string | null;
  rejection: RejectionReason | null;
  rejection_detail: string | null;
  created_at: Date;
}

/** A payment and where its money is. */
export interface BankPayment extends BankPaymentRow {
  schedule_status: ScheduleStatus | null;
  /** Of its transfer, which a scheduled one has when it was due. */
  transfer_status: TransferStatus | null;
  transfer_detail: string | null;
  /** When its transfer or schedule came to its status. */
  moved_at: Date | null;
  fee_minor: bigint | null;
  fee_payer: 'sender' | 'recipient' | null;
  /** Of the consent. */
  record: Record<string, unknown>;
  /** The account that paid, where the consent says that the third party is told it. */
  refund?: RefundAccount;
}

/** Where a payment can be paid back to (`Refund.Account` of the standard). */
export interface RefundAccount {
  SchemeName: 'UK.OBIE.IBAN';
  Identification: string;
  Name: string;
}

/** Where a payment stands in the standard (OBTransactionIndividualStatus1Code), as far as it gets here. */
export type BankPaymentStatus = 'Pending' | 'AcceptedSettlementInProcess' | 'AcceptedSettlementCompleted' | 'Rejected';

/** What a transfer's state is for those who initiated it. Money that the payee sends back later was paid all the same. */
const BY_TRANSFER: Record<TransferStatus, BankPaymentStatus> = {
  held: 'AcceptedSettlementInProcess',
  settled: 'AcceptedSettlementCompleted',
  reversed: 'AcceptedSettlementCompleted',
  expired: 'Rejected',
  declined: 'Rejected',
  cancelled: 'Rejected',
  failed: 'Rejected',
};

/** `Pending`: of a scheduled one that is not due yet. */
export function statusOf({
  transfer_status,
  schedule_status,
}: Pick<BankPayment, 'transfer_status' | 'schedule_status'>): BankPaymentStatus {
  if (transfer_status) return BY_TRANSFER[transfer_status];
  return schedule_status === 'active' ? 'Pending' : 'Rejected';
}

/** Where a scheduled payment stands in the standard: whether it was initiated when it was due. */
export type ScheduledPaymentStatus = 'InitiationPending' | 'InitiationCompleted' | 'InitiationFailed' | 'Cancelled';

export function scheduledStatusOf({
  transfer_status,
  schedule_status,
}: Pick<BankPayment, 'transfer_status' | 'schedule_status'>): ScheduledPaymentStatus {
  if (transfer_status) return transfer_status === 'failed' ? 'InitiationFailed' : 'InitiationCompleted';
  if (schedule_status === 'cancelled') return 'Cancelled';
  return schedule_status === 'active' ? 'InitiationPending' : 'InitiationFailed';
}

/** Reasons of ISO 20022 (ExternalStatusReason1Code) for which a payment is refused. */
export type RejectionReason = 'AC06' | 'AG01' | 'AM04' | 'AM14' | 'BE06' | 'FF07';

/** For which of our own refusals a payment counts as made and refused. After any other, nothing has happened. */
const REJECTIONS: Partial<Record<DomainErrorCode, RejectionReason>> = {
  // There is not enough money.
  insufficient_funds: 'AM04',
  // More than the limits of the customer allow.
  limit_exceeded: 'AM14',
  fee_exceeds_amount: 'AM14',
  // The account must not be used.
  customer_blocked: 'AC06',
  p2p_suspended: 'AG01',
  // The payee cannot be paid, or is the payer.
  recipient_unavailable: 'BE06',
  not_found: 'BE06',
  invalid_request: 'FF07',
};

export function rejectionFor(code: DomainErrorCode): RejectionReason | undefined {
  return REJECTIONS[code];
}
