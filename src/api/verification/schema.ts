import Joi from 'joi';
import { CUSTOMER_STATUSES, type CustomerStatus } from '../../domain/states/customer';
import { expiryOf, type KycPolicy } from '../../people/kyc/policy';
import { anyId, id, instant, paging, say } from '../server/conventions';
import type { CustomerParams } from '../server/params';

export interface DocumentParams extends CustomerParams {
  documentId: string;
}

export const documentParams = Joi.object<DocumentParams>({
  customerId: anyId(),
  documentId: anyId(),
});

const customerStatus = () => Joi.string().valid(...CUSTOMER_STATUSES);
const reason = () => Joi.string().min(1).max(500);

export interface StatusBody {
  customerStatus: CustomerStatus;
  reason: string;
  override?: boolean;
}

export const statusBody = Joi.object<StatusBody>({
  customerStatus: customerStatus().required(),
  reason: reason().required().description('Kept in the history'),
  override: Joi.boolean().description('Verify although a required document is not; the reason says why'),
});

export const statusSchema = Joi.object({
  customerId: id('customer').required(),
  customerStatus: customerStatus().required(),
  updatedAt: instant().required(),
});

export interface ApproveBody {
  expiresAt?: string;
  reason?: string;
  fileId?: string;
}

const fileId = () => id('file').description('The file that was looked at: 409 if it was replaced since');

export const approveBody = Joi.object<ApproveBody>({
  expiresAt: Joi.string()
    .max(40)
    .custom((text: string, helpers) => expiryOf(text)?.toISOString() ?? say(helpers, 'must be a date or a date-time'))
    .example('2030-01-31')
    .description('A day (good until its end, UTC) or a date-time. Default: what the metadata entry `expiryDate` says'),
  reason: reason(),
  fileId: fileId(),
});

export interface RejectBody {
  reason: string;
  fileId?: string;
}

export const rejectBody = Joi.object<RejectBody>({
  reason: reason().required().description('Shown to the customer as `verificationResponse`'),
  fileId: fileId(),
});

const requirements = () =>
  Joi.array()
    .items(
      Joi.object({
        purpose: Joi.string().valid('KYC', 'KYB').required(),
        documentTypes: Joi.array()
          .items(Joi.string().min(1).max(100))
          .min(1)
          .max(20)
          .unique()
          .required()
          .description('One of these has to be verified'),
      }),
    )
    .max(20)
    .required()
    .description('All of these; none: customers are verified by hand alone');

export const policySchema = Joi.object<KycPolicy>({ Person: requirements(), Organization: requirements() });

export interface AuditQuery {
  limit: number;
  cursor?: string;
  customerId: string;
}

export const auditQuery = Joi.object<AuditQuery>({ ...paging(), customerId: id('customer').required() });

export const auditSchema = Joi.object({
  at: instant().required(),
  actor: Joi.string().required(),
  action: Joi.string().required().example('customer.document_file_read'),
  result: Joi.string().required(),
  source: Joi.string().allow('').description('Address the request came from'),
  detail: Joi.object().unknown().required(),
});
