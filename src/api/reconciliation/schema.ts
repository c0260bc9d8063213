import Joi from 'joi';
import { PROCESSORS } from '../../domain/connector';
import {
  DIFFERENCE_KINDS,
  DIFFERENCE_STATUSES,
  RESOLUTIONS,
  type Resolution,
} from '../../money/reconciliation/differences';
import { currency, freeText, id, instant, paging } from '../server/conventions';

const processor = () => Joi.string().valid(...PROCESSORS);
const count = () => Joi.number().integer().required();

export const runSchema = Joi.object({
  runId: id('reconciliationRun').required(),
  processor: processor().required(),
  status: Joi.string().valid('running', 'done', 'failed').required(),
  startedBy: Joi.string().required(),
  graceMs: count(),
  counts: Joi.object({
    batches: count().description('Closed batches that the processor listed'),
    recovered: count().description('Closed batches that no callback had announced'),
    matched: count().description('Lines that matched since the previous run'),
    matchedLater: count().description('Differences that disappeared without a decision since the previous run'),
    missingHere: count().description('Differences that are open after this run, as are the next three counts'),
    missingThere: count(),
    differentAmount: count(),
    differentFee: count(),
  }).description('Present when the run is done'),
  startedAt: instant().required(),
  finishedAt: instant(),
});

export const differenceSchema = Joi.object({
  differenceId: id('difference').required(),
  tenantId: Joi.string().description('Absent while we cannot assign the line'),
  processor: processor().required(),
  kind: Joi.string()
    .valid(...DIFFERENCE_KINDS)
    .required(),
  line: Joi.object({
    kind: Joi.string().valid('capture', 'refund', 'chargeback', 'chargeback_reversal').required(),
    lineId: Joi.string(),
    batchId: Joi.string(),
    reference: Joi.string().required(),
    paymentReference: Joi.string().required(),
  }).required(),
  movement: Joi.string().description('Cause of our ledger transfer'),
  currency: currency().required(),
  reported: Joi.string().example('11.00').description('Amount in the report. For `different_fee` the fee'),
  expected: Joi.string()
    .example('10.00')
    .description('Amount in our books. For `different_fee` the fee that we expect'),
  status: Joi.string()
    .valid(...DIFFERENCE_STATUSES)
    .required(),
  resolution: Joi.string().valid(...RESOLUTIONS),
  reason: Joi.string(),
  resolvedBy: Joi.string(),
  foundAt: instant().required(),
  closedAt: instant(),
});

export const runParams = Joi.object({ runId: Joi.string().max(100).required() });
export const differenceParams = Joi.object({ differenceId: Joi.string().max(100).required() });

export interface RunBody {
  processor: (typeof PROCESSORS)[number];
  graceMs?: number;
}
export const runBody = Joi.object<RunBody>({
  processor: processor().required(),
  graceMs: Joi.number()
    .integer()
    .min(0)
    .max(365 * 86_400_000)
    .description('Overrides RECONCILIATION_GRACE_MS for this run'),
});

export interface RunListQuery {
  limit: number;
  cursor?: string;
  processor?: string;
}
export const runListQuery = Joi.object<RunListQuery>({ ...paging(), processor: processor() });

export interface DifferenceListQuery extends RunListQuery {
  kind?: string;
  status?: string;
  paymentReference?: string;
}
export const differenceListQuery = Joi.object<DifferenceListQuery>({
  ...paging(),
  processor: processor(),
  kind: Joi.string().valid(...DIFFERENCE_KINDS),
  status: Joi.string().valid(...DIFFERENCE_STATUSES),
  paymentReference: Joi.string().max(100),
});

export interface ResolveBody {
  resolution: Resolution;
  reason: string;
  tenantId?: string;
}
export const resolveBody = Joi.object<ResolveBody>({
  resolution: Joi.string()
    .valid(...RESOLUTIONS)
    .required(),
  reason: freeText(500).min(1).required(),
  tenantId: Joi.string().max(100).description('The tenant whose books take the line, if we cannot assign it'),
});
