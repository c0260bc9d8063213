import Joi from 'joi';
import { CUSTOMER_STATUSES, type CustomerStatus } from '../../domain/states/customer';
import { expiryOf, type KycPolicy } from '../../people/kyc/policy';
import { anyId, freeText, id, instant, paging, say } from '../server/conventions';
import type { CustomerParams } from '../server/params';

export interface DocumentParams extends CustomerParams {
  documentId: string;
}

export const documentParams = Joi.object<DocumentParams>({
  customerId: anyId(),
  documentId: anyId(),
});

const customerStatus = () => Joi.string().valid(...CUSTOMER_STATUSES);
const reason = () => freeText(500).min(1);

export interface StatusBody {
  customerStatus: CustomerStatus;
  reason: string;
  override?: boolean;
}

export const statusBody = Joi.object<StatusBody>({
  customerStatus: customerStatus().required(),
  reason: reason().required().description('The status history keeps it'),
  override: Joi.boolean().description('Verify the customer without all required documents. Say why in `reason`'),
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

const fileId = () => id('file').description('The file that you reviewed. The answer is 409 if it was replaced since');

export const approveBody = Joi.object<ApproveBody>({
  expiresAt: Joi.string()
    .max(40)
    .custom((text: string, helpers) => expiryOf(text)?.toISOString() ?? say(helpers, 'must be a date or a date-time'))
    .example('2030-01-31')
    .description(
      'A day (the document is valid until its end in UTC) or a date-time. Default: the metadata entry `expiryDate`',
    ),
  reason: reason(),
  fileId: fileId(),
});

export interface RejectBody {
  reason: string;
  fileId?: string;
}

export const rejectBody = Joi.object<RejectBody>({
  reason: reason().required().description('The customer sees it as `verificationResponse`'),
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
          .description('One of these documents must be verified'),
      }),
    )
    .max(20)
    .required()
    .description('The customer needs one document for each entry. With an empty list you verify customers by hand');

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
  source: Joi.string().allow('').description('Source address of the request'),
  detail: Joi.object().unknown().required(),
});
