import Joi from 'joi';
import { APPROVAL_KINDS, type ApprovalKind } from '../../commerce/approvals/approval';
import { DOMAIN_ERROR_CODES } from '../../domain/errors';
import { amount, currency, id, instant, type Paging, paging } from '../server/conventions';

const MAX_DECIDED = 200;

const kind = () => Joi.string().valid(...APPROVAL_KINDS);
const approvalId = () => Joi.string().max(100).example('itm_01jcxk3v8pe4xaz1w5kq9d2b7m.1');

export interface ApprovalQuery extends Paging {
  kind?: ApprovalKind;
  organizationId?: string;
}
export const approvalQuery = Joi.object<ApprovalQuery>({
  ...paging(),
  kind: kind(),
  organizationId: id('organization').description('Only what this seller, or its customers, wait for'),
});

export const approvalSchema = Joi.object({
  approvalId: approvalId()
    .required()
    .description(
      'Names what you have looked at: an item or a record that changes, or a document with a new file, has another one',
    ),
  kind: kind().required(),
  subjectId: Joi.string().required().description('The item, payment link, document, customer or account'),
  title: Joi.string().required(),
  amount: amount().description('Price of an item, or the most that one buyer pays by a link'),
  currency: currency(),
  organizationId: id('organization'),
  customerId: id('customer').description('Whose document it is, or who is verified'),
  requestedBy: Joi.string().description('The user or client who asked for it'),
  waitingSince: instant().required(),
  dueAt: instant().description('If nobody decides until then, it expires'),
  needs: Joi.number().integer().min(1).max(2).required().description('How many people have to approve it'),
  approvedBy: Joi.array().items(Joi.string()).required(),
});

export interface DecisionsBody {
  decision: 'approve' | 'reject';
  approvalIds: string[];
  reason?: string;
}
export const decisionsBody = Joi.object<DecisionsBody>({
  decision: Joi.string().valid('approve', 'reject').required(),
  approvalIds: Joi.array().items(approvalId()).min(1).max(MAX_DECIDED).unique().required(),
  reason: Joi.string()
    .min(1)
    .max(500)
    .when('decision', { is: 'reject', then: Joi.required() })
    .description('Required for `reject`'),
});

export const decisionsSchema = Joi.object({
  data: Joi.array()
    .items(
      Joi.object({
        approvalId: approvalId().required(),
        status: Joi.string().description('Of the item, link, document, customer or account. Present if it took effect'),
        error: Joi.object({
          code: Joi.string()
            .valid(...DOMAIN_ERROR_CODES)
            .required(),
          message: Joi.string().required(),
        }).description('Present if it did not'),
      }),
    )
    .required()
    .description('One result for each, in the order of the request'),
});
