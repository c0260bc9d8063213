import Joi from 'joi';
import { type DeskFilter, PAYOUT_ADVICE, PAYOUT_PROBLEMS, payoutProblemOf } from '../../commerce/payouts/desk';
import type { PayoutRow } from '../../commerce/payouts/payout';
import { presentPayout } from '../../commerce/payouts/present-payout';
import { workflowId } from '../../domain/flows';
import { payoutSchema } from '../records/payout';
import { anyId, freeText, instant, paging } from '../server/conventions';

const problem = () => Joi.string().valid(...PAYOUT_PROBLEMS);

export const opsPayoutSchema = payoutSchema.keys({
  tenantId: Joi.string().required(),
  workflowId: Joi.string().required().example('payout/pot_01jcxk3v8pe4xaz1w5kq9d2b7m'),
  problem: problem().description('Present while an operator has to look at it'),
  whatToDo: Joi.string().description('Present while an operator has to look at it'),
  reviewSince: instant(),
  proposal: Joi.object({
    reason: Joi.string().required(),
    proposedBy: Joi.string().required(),
    proposedAt: instant().required(),
    confirmedBy: Joi.string(),
  }).description('An operator says that it came back'),
});

/** A payout as operators see it. */
export function presentOpsPayout(row: PayoutRow): Record<string, unknown> {
  const what = row.review_since ? payoutProblemOf(row.status) : undefined;
  return {
    ...presentPayout(row),
    tenantId: row.tenant_id,
    workflowId: workflowId.payout(row.id),
    ...(what && { problem: what, whatToDo: PAYOUT_ADVICE[what], reviewSince: row.review_since }),
    ...(row.return_proposed_by && {
      proposal: {
        reason: row.return_reason,
        proposedBy: row.return_proposed_by,
        proposedAt: row.return_proposed_at,
        ...(row.return_confirmed_by && { confirmedBy: row.return_confirmed_by }),
      },
    }),
  };
}

export const opsPayoutsQuery = Joi.object<DeskFilter>({
  ...paging(),
  problem: problem(),
  tenantId: Joi.string().max(100),
  organizationId: Joi.string().max(100),
});

export interface OpsPayoutParams {
  payoutId: string;
}
export const opsPayoutParams = Joi.object<OpsPayoutParams>({ payoutId: anyId() });

export interface ReasonBody {
  reason: string;
}
export const reason = () => freeText(500).trim().min(1).required().example('The bank told us by telephone, case 4711.');
export const reasonBody = Joi.object<ReasonBody>({ reason: reason() });
