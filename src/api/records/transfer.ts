import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { TRANSFER_STATUSES } from '../../domain/states/transfer';
import { PAYERS } from '../../money/fees/fee';
import type { TransferRow } from '../../money/p2p/transfer';
import { amount, currency, id, instant, text } from '../server/conventions';

export const transferStatus = () => Joi.string().valid(...TRANSFER_STATUSES);

export const transferSchema = Joi.object({
  transferId: id('transfer').required(),
  tenantId: Joi.string().required(),
  status: transferStatus().required(),
  statusDetail: Joi.string().required(),
  senderId: id('customer').required(),
  recipientId: id('customer').description('Absent until the recipient has joined transfers'),
  recipient: Joi.string().required().description('The recipient as the sender wrote it. An address is shortened'),
  amount: amount().required(),
  currency: currency().required(),
  fee: amount({ zero: true }).required(),
  feePayer: Joi.string()
    .valid(...PAYERS)
    .required(),
  netAmount: amount({ zero: true }).required().description('Amount that arrives'),
  note: text(140),
  expiresAt: instant().description('Present if the transfer waits or waited'),
  settledAt: instant(),
  requestId: id('moneyRequest').description('The request for money that the transfer paid'),
  scheduleId: id('transferSchedule').description('The schedule that made the transfer'),
  scheduledFor: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

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
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
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
