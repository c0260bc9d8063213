import { workflowId } from '../../domain/flows';
import { OUTCOMES_OF, POSSIBLE_ACTS } from '../../money/interventions/subject';
import type { InterventionSubject } from '../../money/payments/intervention';
import { topupIdOf } from '../../money/payments/topup';
import { type Ask, MONEY, source, type WorkAct } from './work';

const INTERVENTIONS = '/ops/1.0.0/interventions';

interface Standing {
  status: string;
  isUnknown: boolean;
  review: string | null;
  detail: string;
}

/** What operators can do about an object that stands like this. */
function actsOn(kind: InterventionSubject, objectId: string, standing: Standing): WorkAct[] {
  return POSSIBLE_ACTS[kind](standing).map((act) => {
    const asks: Ask[] = act === 'resolve' ? ['outcome', 'processorReference', 'reason'] : ['reason'];
    const outcomes = act === 'resolve' ? OUTCOMES_OF[kind] : undefined;
    return { act, path: INTERVENTIONS, body: { objectId, act }, asks, ...(outcomes && { outcomes }) };
  });
}

/** What the table of reasons in docs/operations.md says. */
function adviceOnPayment({ status, isUnknown, review }: Standing): string {
  if (isUnknown)
    return 'Ask the support of the processor what became of it. Then ask again, or resolve it with what they say.';
  if (review === 'refunded beyond what was captured')
    return 'Compare the refunds with the processor: one was made twice. Settle it with the merchant, then close it.';
  return status === 'authorized' || status === 'pending' || status === 'requires_action'
    ? 'Clear the amount up with the support of the processor. Then ask again, or cancel.'
    : 'It has ended. Compare it with the processor, then close it.';
}

const payments = (kind: 'payment' | 'topup', beneficiary: 'merchant' | 'wallet', idOf: (id: string) => string) =>
  source<Standing>({
    ...MONEY('p'),
    from: 'payments p',
    // Late money is listed by itself, once nobody gives it back.
    where: `p.review_since IS NOT NULL AND p.beneficiary = '${beneficiary}' AND p.review_reason <> 'late money'`,
    since: 'p.review_since',
    facts: `jsonb_build_object('status', p.status, 'isUnknown', p.unknown_since IS NOT NULL, 'review', p.review_reason,
      'detail', p.status_detail)`,
    objectId: ({ id }) => idOf(id),
    why: ({ facts }) => `${capital(facts.review ?? 'for review')}. ${facts.detail}`,
    whatToDo: ({ facts }) => adviceOnPayment(facts),
    acts: ({ id, facts }) => actsOn(kind, idOf(id), facts),
    workflow: ({ id }) => workflowId[kind](idOf(id)),
  });

export const PAYMENT_SOURCE = payments('payment', 'merchant', (id) => id);
export const TOPUP_SOURCE = payments('topup', 'wallet', topupIdOf);

export const REFUND_SOURCE = source<Standing>({
  ...MONEY('r'),
  from: 'refunds r',
  where: 'r.review_since IS NOT NULL',
  since: 'r.review_since',
  facts: `jsonb_build_object('status', r.status, 'isUnknown', r.unknown_since IS NOT NULL, 'review', r.status_detail,
    'detail', r.status_detail)`,
  why: ({ facts }) => `The refund is ${facts.status}. ${facts.detail}`,
  whatToDo: ({ facts }) =>
    facts.status === 'pending'
      ? 'Ask the support of the processor whether it was made. Then ask again, or resolve it with what they say.'
      : 'Compare it with the processor, and settle it with the merchant. Then close it.',
  acts: ({ id, facts }) => actsOn('refund', id, facts),
  workflow: ({ id }) => workflowId.refund(id),
});

export const RECEIPT_SOURCE = source<Standing & { paymentId: string; processor: string }>({
  ...MONEY('m'),
  from: 'unapplied_receipts m',
  where: 'm.review_since IS NOT NULL',
  since: 'm.review_since',
  facts: `jsonb_build_object('status', m.status, 'isUnknown', false, 'review', m.status_detail, 'detail', m.status_detail,
    'paymentId', m.payment_id, 'processor', m.processor)`,
  why: ({ facts }) =>
    `Processor ${facts.processor} has money for ${facts.paymentId} that nobody asked for. ${facts.detail}`,
  whatToDo: ({ facts }) =>
    facts.status === 'refused'
      ? 'Have the support of the processor return it. Then mark it as returned.'
      : 'Ask the support of the processor why the return takes so long. Its flow goes on asking.',
  acts: ({ id, facts }) => actsOn('receipt', id, facts),
  workflow: ({ id }) => workflowId.receipt(id),
});

export const DISPUTE_SOURCE = source<Standing & { processor: 'a'; caseId: string; paymentId: string }>({
  ...MONEY('d'),
  from: 'disputes d',
  where: "d.status = 'flagged'",
  since: 'd.created_at',
  facts: `jsonb_build_object('status', d.status, 'isUnknown', false, 'review', d.status_detail, 'detail', d.status_detail,
    'processor', d.processor, 'caseId', d.case_id, 'paymentId', d.payment_id)`,
  why: ({ facts }) => `The dispute does not fit ${facts.paymentId}. ${facts.detail}`,
  whatToDo: () => 'Look at the payment and at what the processor says of it. Once they agree, ask again.',
  acts: ({ id, facts }) => actsOn('dispute', id, facts),
  workflow: ({ facts }) => workflowId.dispute(facts.processor, facts.caseId),
});

export const INTERVENTION_SOURCE = source<{
  objectId: string;
  act: string;
  outcome: string | null;
  reason: string;
  by: string;
}>({
  ...MONEY('i'),
  from: 'interventions i',
  where: "i.status = 'proposed'",
  since: 'i.created_at',
  facts: `jsonb_build_object('objectId', i.subject_id, 'act', i.act, 'outcome', i.outcome, 'reason', i.reason, 'by',
    i.ordered_by)`,
  why: ({ facts: { act, outcome, objectId, by, reason } }) =>
    `${by} proposes to ${act.replaceAll('_', ' ')} ${objectId}${outcome ? ` as ${outcome.replaceAll('_', ' ')}` : ''}: ${reason}`,
  whatToDo: () => 'Check the reason. Another operator than the first confirms or withdraws it.',
  acts: ({ id }) => [
    { act: 'confirm', path: `${INTERVENTIONS}/${id}/confirm`, asks: [] },
    { act: 'withdraw', path: `${INTERVENTIONS}/${id}/withdraw`, asks: ['reason'] },
  ],
  workflow: () => undefined,
});

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
