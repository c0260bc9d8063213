import Joi from 'joi';
import { PROCESSORS } from '../../domain/connector';
import { formatAmount } from '../../domain/money';
import { UNMATCHED_TRANSFER_STATUSES } from '../../domain/states/unmatched-transfer';
import type { UnmatchedTransferPage } from '../../money/suspense/service';
import { DECISIONS, MISMATCHES, type UnmatchedTransferRow } from '../../money/suspense/unmatched-transfer';
import { anyId, currency, freeText, id, instant, paging, text } from '../server/conventions';

export const unmatchedTransferSchema = Joi.object({
  unmatchedTransferId: id('unmatchedTransfer').required(),
  tenantId: Joi.string()
    .required()
    .description('`ten_platform` if nothing tells a tenant: the money is in the books of the platform itself'),
  processor: Joi.string()
    .valid(...PROCESSORS)
    .required(),
  transferId: Joi.string().required().description('The id that the processor gave the transfer'),
  account: Joi.string().required().description('The account on which it arrived'),
  text: text(2048).required().description('What its sender wrote'),
  payerName: Joi.string(),
  amount: Joi.string().required().example('10.00'),
  currency: currency().required(),
  mismatch: Joi.string()
    .valid(...MISMATCHES)
    .required()
    .description('Why it could not be matched'),
  status: Joi.string()
    .valid(...UNMATCHED_TRANSFER_STATUSES)
    .required(),
  detail: Joi.string().required(),
  decision: Joi.object({
    kind: Joi.string()
      .valid(...DECISIONS)
      .required(),
    paymentId: id('payment'),
    reason: Joi.string().required(),
    decidedBy: Joi.string().required().description('`platform` if nobody had to decide'),
    decidedAt: instant().required(),
    needsSecondOperator: Joi.boolean().required(),
    confirmedBy: Joi.string(),
    returnReference: Joi.string().description('The processor knows the return by this reference'),
  }).description('Absent while it is open'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  reviewSince: instant().description('Present while an operator has to look at it'),
});

export function presentUnmatchedTransfer(row: UnmatchedTransferRow): Record<string, unknown> {
  return {
    unmatchedTransferId: row.id,
    tenantId: row.tenant_id,
    processor: row.processor,
    transferId: row.transfer_id,
    account: row.account,
    text: row.remittance_text,
    payerName: row.payer_name ?? undefined,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    mismatch: row.mismatch,
    status: row.status,
    detail: row.status_detail,
    decision: row.decision
      ? {
          kind: row.decision,
          paymentId: row.payment_id ?? undefined,
          reason: row.reason,
          decidedBy: row.decided_by,
          decidedAt: row.decided_at,
          needsSecondOperator: row.needs_second,
          confirmedBy: row.confirmed_by ?? undefined,
          returnReference: row.decision === 'return' ? (row.return_reference ?? undefined) : undefined,
        }
      : undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    reviewSince: row.review_since ?? undefined,
  };
}

export const unmatchedTransfersQuery = Joi.object<UnmatchedTransferPage>({
  ...paging(),
  status: Joi.string().valid(...UNMATCHED_TRANSFER_STATUSES),
  mismatch: Joi.string().valid(...MISMATCHES),
  tenantId: Joi.string().max(100),
  review: Joi.boolean().description('`true`: only those that an operator has to look at'),
});

export interface UnmatchedTransferParams {
  unmatchedTransferId: string;
}

export const unmatchedTransferParams = Joi.object<UnmatchedTransferParams>({ unmatchedTransferId: anyId() });

const reason = () => freeText(500).trim().min(1).required();

export const reasonBody = Joi.object<{ reason: string }>({ reason: reason() });

export const matchBody = Joi.object<{ paymentId: string; reason: string }>({
  paymentId: id('payment').required(),
  reason: reason(),
});
