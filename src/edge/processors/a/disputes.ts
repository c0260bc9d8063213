import type { DisputeAnswer, DisputeCapability } from '../../../domain/connector';
import type { ProcessorHttp, ProcessorHttpResult } from '../http';
import { asObject, readObject } from '../reading';
import { disputeStage } from './status';
import { evidenceBody, readDispute } from './wire';

/** The dispute API of processor A: every call about a case is answered with the case. */
export function disputesOver(http: ProcessorHttp): DisputeCapability {
  const path = (caseId: string) => `/v1/disputes/${encodeURIComponent(caseId)}`;
  return {
    submitEvidence: async (request) => {
      const { caseId, idempotencyKey } = request;
      return answerOf(await http.postJson(`${path(caseId)}/evidence`, evidenceBody(request), idempotencyKey), caseId);
    },
    present: async ({ caseId, idempotencyKey }) =>
      answerOf(await http.postJson(`${path(caseId)}/presentment`, {}, idempotencyKey), caseId),
    accept: async ({ caseId, idempotencyKey }) =>
      answerOf(await http.postJson(`${path(caseId)}/acceptance`, {}, idempotencyKey), caseId),
    inquire: async (caseId) => answerOf(await http.get(path(caseId)), caseId),
  };
}

/** 200 with the case when done, 409 with it when its state does not allow the call, 422 when the call is not valid. */
function answerOf(result: ProcessorHttpResult, caseId: string): DisputeAnswer {
  if (result.kind !== 'answer') return { kind: 'unknown', detail: result.detail };
  const { status } = result;
  const fields = readObject(result.text);
  const dispute = readDispute(status === 200 ? fields : asObject(fields?.dispute));
  const stage = dispute && disputeStage(dispute.status);
  if (status === 404) return { kind: 'not_found' };
  if (status === 400 || status === 413 || status === 422)
    return { kind: 'refused', detail: 'The processor does not accept it.' };
  // Another case's answer would be booked as this one's; a word nobody knows says nothing.
  if (dispute?.caseId !== caseId || !stage)
    return { kind: 'unknown', detail: `the processor's answer (${status}) cannot be read` };
  if (status === 200) return { kind: 'stands', stage, money: dispute.money };
  if (status === 409)
    return {
      kind: 'refused',
      detail: `The processor does not take it: the dispute is ${stage} there.`,
      stage,
      money: dispute.money,
    };
  return { kind: 'unknown', detail: `the processor answered ${status}` };
}
