import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { REQUEST_STATUSES } from '../../domain/states/money-request';
import type { RequestRow } from '../../money/p2p/requests';
import { amount, currency, id, instant, text } from '../server/conventions';

export const requestStatus = () => Joi.string().valid(...REQUEST_STATUSES);

export const moneyRequestSchema = Joi.object({
  requestId: id('moneyRequest').required(),
  tenantId: Joi.string().required(),
  status: requestStatus().required(),
  requesterId: id('customer').required(),
  payerId: id('customer').required(),
  payer: Joi.string().required().description('The payer as the requester wrote it. An address is shortened'),
  amount: amount().required(),
  currency: currency().required(),
  note: text(140),
  transferId: id('transfer').description('The transfer that paid the request'),
  expiresAt: instant().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export function presentMoneyRequest(row: RequestRow): Record<string, unknown> {
  return {
    requestId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    requesterId: row.requester_id,
    payerId: row.payer_id,
    payer: row.payer_hint ?? row.payer_id,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    note: row.note ?? undefined,
    transferId: row.transfer_id ?? undefined,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
