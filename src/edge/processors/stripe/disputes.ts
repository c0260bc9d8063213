import type Stripe from 'stripe';
import type { DisputeAnswer, DisputeCapability, EvidenceRequest } from '../../../domain/connector';
import { failureOf } from './failure';
import { disputeStage } from './status';
import { readDispute } from './wire';

/** Stripe takes one file for each of these; they are filled in this order, whatever a document is about. */
const FILE_SLOTS = [
  'uncategorized_file',
  'customer_communication',
  'receipt',
  'service_documentation',
  'shipping_documentation',
  'refund_policy',
  'cancellation_policy',
  'customer_signature',
  'duplicate_charge_documentation',
] as const;

/**
 * Stripe's dispute API. Evidence goes to the payer's bank as soon as it is submitted, once: with Stripe that is the second
 * presentment, so ordering one afterwards finds it done.
 */
export function disputesOver(stripe: Stripe): DisputeCapability {
  const inquire = (caseId: string) => answerAbout(stripe.disputes.retrieve(caseId), caseId);

  /** Where a call is refused, the dispute says why. */
  async function ordered(caseId: string, order: () => Promise<unknown>): Promise<DisputeAnswer> {
    try {
      return about(await order(), caseId);
    } catch (error) {
      const answer = answerOf(error);
      if (answer.kind !== 'refused') return answer;
      const now = await inquire(caseId);
      return now.kind === 'stands' ? { ...answer, stage: now.stage, money: now.money } : answer;
    }
  }

  return {
    submitEvidence: (request) => {
      if (request.documents.length > FILE_SLOTS.length)
        return Promise.resolve({ kind: 'refused', detail: `Stripe takes ${FILE_SLOTS.length} documents at most.` });
      return ordered(request.caseId, async () => {
        const evidence = { uncategorized_text: request.text, ...(await upload(stripe, request)) };
        const { caseId, idempotencyKey } = request;
        return stripe.disputes.update(caseId, { evidence, submit: true }, { idempotencyKey });
      });
    },
    present: async ({ caseId, idempotencyKey }) => {
      const now = await inquire(caseId);
      if (now.kind !== 'stands') return now;
      if (now.stage === 'evidence_submitted') return { ...now, stage: 'presented' };
      if (now.stage !== 'open')
        return { kind: 'refused', detail: `The dispute is ${now.stage} at Stripe.`, ...stood(now) };
      return ordered(caseId, () => stripe.disputes.update(caseId, { submit: true }, { idempotencyKey }));
    },
    accept: ({ caseId, idempotencyKey }) =>
      ordered(caseId, () => stripe.disputes.close(caseId, {}, { idempotencyKey })),
    inquire,
  };
}

function stood({ stage, money }: Extract<DisputeAnswer, { kind: 'stands' }>) {
  return { stage, money };
}

/** Uploads each document under a key of its own, so that a repeat finds those that are there. */
async function upload(stripe: Stripe, { documents, idempotencyKey }: EvidenceRequest): Promise<Record<string, string>> {
  const slots: Record<string, string> = {};
  for (const [index, { name, contentType, content }] of documents.entries()) {
    const { id } = await stripe.files.create(
      { purpose: 'dispute_evidence', file: { data: content, name, type: contentType } },
      { idempotencyKey: `${idempotencyKey}/file/${index}` },
    );
    slots[FILE_SLOTS[index]!] = id;
  }
  return slots;
}

async function answerAbout(call: Promise<unknown>, caseId: string): Promise<DisputeAnswer> {
  try {
    return about(await call, caseId);
  } catch (error) {
    const answer = answerOf(error);
    // A question that is refused says nothing of the dispute.
    return answer.kind === 'refused' ? { kind: 'unknown', detail: answer.detail } : answer;
  }
}

/** Another case's answer would be booked as this one's; a word nobody knows says nothing. */
function about(value: unknown, caseId: string): DisputeAnswer {
  const dispute = readDispute(value);
  const stage = dispute && disputeStage(dispute.status);
  if (dispute?.id !== caseId || !stage) return { kind: 'unknown', detail: "Stripe's answer cannot be read" };
  return { kind: 'stands', stage, money: dispute.money };
}

function answerOf(error: unknown): DisputeAnswer {
  const failure = failureOf(error);
  if (failure.kind === 'not_found') return { kind: 'not_found' };
  if (failure.kind === 'invalid' || failure.kind === 'declined')
    return { kind: 'refused', detail: 'Stripe does not accept it.' };
  return { kind: 'unknown', detail: failure.detail };
}
