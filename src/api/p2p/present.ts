import { formatAmount } from '../../domain/money';
import type { Member } from '../../money/p2p/membership';
import { nextOccurrence } from '../../money/p2p/occurrences';
import type { RequestRow } from '../../money/p2p/requests';
import { recurrenceOf, type ScheduleRow } from '../../money/p2p/schedules';
import type { TransferEventRow, TransferRow } from '../../money/p2p/transfer';

export function presentMember({ row, aliases }: Member): Record<string, unknown> {
  return {
    customerId: row.customer_id,
    status: row.suspended_at ? 'suspended' : 'active',
    acceptEach: row.accepts_each,
    aliases: aliases.map(({ id, type, value, createdAt }) => ({ aliasId: id, type, alias: value, createdAt })),
    enrolledAt: row.enrolled_at,
    suspendedAt: row.suspended_at ?? undefined,
    suspendedBy: row.suspended_by ?? undefined,
    suspensionReason: row.suspension_reason ?? undefined,
  };
}

export function presentTransfer(row: TransferRow): Record<string, unknown> {
  const arrives = row.fee_payer === 'recipient' ? row.amount_minor - row.fee_minor : row.amount_minor;
  return {
    transferId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    statusDetail: row.status_detail,
    senderId: row.sender_id,
    recipientId: row.recipient_id ?? undefined,
    recipient: row.recipient_hint ?? row.recipient_id,
    ...moneyOf(row),
    fee: formatAmount(row.fee_minor, row.currency),
    feePayer: row.fee_payer,
    netAmount: formatAmount(arrives, row.currency),
    note: row.note ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    settledAt: row.settled_at ?? undefined,
    requestId: row.request_id ?? undefined,
    scheduleId: row.schedule_id ?? undefined,
    scheduledFor: row.scheduled_for ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function presentTransferEvent({ from_status, to_status, detail, actor, at }: TransferEventRow) {
  return { from: from_status ?? undefined, to: to_status, detail, actor, at };
}

export function presentMoneyRequest(row: RequestRow): Record<string, unknown> {
  return {
    requestId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    requesterId: row.requester_id,
    payerId: row.payer_id,
    payer: row.payer_hint ?? row.payer_id,
    ...moneyOf(row),
    note: row.note ?? undefined,
    transferId: row.transfer_id ?? undefined,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function presentSchedule(row: ScheduleRow): Record<string, unknown> {
  return {
    scheduleId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    senderId: row.sender_id,
    recipientId: row.recipient_id,
    recipient: row.recipient_hint ?? row.recipient_id,
    ...moneyOf(row),
    note: row.note ?? undefined,
    frequency: row.frequency,
    startsAt: row.starts_at,
    endsAt: row.ends_at ?? undefined,
    nextAt: row.status === 'active' ? nextOccurrence(recurrenceOf(row), new Date()) : undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function moneyOf({ amount_minor, currency }: { amount_minor: bigint; currency: string }) {
  return { amount: formatAmount(amount_minor, currency), currency };
}
