import Joi from 'joi';
import { PAYMENT_LINK_STATUSES, type PaymentLinkStatus } from '../../domain/states/payment-link';
import { anyId, id, instant, type Paging, paging } from '../server/conventions';

const MAX_NOTE = 500;

const status = () => Joi.string().valid(...PAYMENT_LINK_STATUSES);
const note = () => Joi.string().min(1).max(MAX_NOTE).example('For the spring campaign');

export interface PaymentLinkBody {
  note?: string;
  expiresAt?: string;
}
export const paymentLinkBody = Joi.object<PaymentLinkBody>({
  note: note(),
  expiresAt: instant().description('When it expires if nobody approves it. Default: in 30 days'),
});

export interface PaymentLinkParams {
  paymentLinkId: string;
}
export const paymentLinkParams = Joi.object<PaymentLinkParams>({ paymentLinkId: anyId() });

export interface PaymentLinkQuery extends Paging {
  status?: PaymentLinkStatus;
}
export const paymentLinkQuery = Joi.object<PaymentLinkQuery>({ ...paging(), status: status() });

export const paymentLinkSchema = Joi.object({
  paymentLinkId: id('paymentLink').required(),
  status: status().required(),
  note: note(),
  expiresAt: instant().required(),
  approvedBy: Joi.string(),
  approvedAt: instant().description('Time of the approval. `status` changes shortly after it'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
