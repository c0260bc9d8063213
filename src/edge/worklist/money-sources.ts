import { PAYOUT_ADVICE, payoutProblemOf } from '../../commerce/payouts/desk';
import type { PayoutRow } from '../../commerce/payouts/payout';
import { workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import { MONEY, source } from './work';

const UNMATCHED = '/ops/1.0.0/unmatched-transfers';
const PAYOUTS = '/ops/1.0.0/payouts';

/** An act about a proposal that another operator has made. */
const proposal = (base: string, id: string) => [
  { act: 'confirm', path: `${base}/${id}/confirm`, asks: [] },
  { act: 'withdraw', path: `${base}/${id}/withdraw`, asks: ['reason'] as const },
];

export const UNMATCHED_SOURCE = source<{
  status: string;
  detail: string;
  processor: string;
  mismatch: string;
  text: string;
  by: string | null;
  reason: string | null;
  decision: string | null;
}>({
  ...MONEY('u'),
  organization: 'NULL::text',
  from: 'unmatched_transfers u',
  where: "(u.review_since IS NOT NULL OR u.status = 'proposed')",
  since: 'coalesce(u.review_since, u.decided_at)',
  facts: `jsonb_build_object('status', u.status, 'detail', u.status_detail, 'processor', u.processor, 'mismatch',
    u.mismatch, 'text', u.remittance_text, 'by', u.decided_by, 'reason', u.reason, 'decision', u.decision)`,
  why: ({ facts }) =>
    facts.status === 'proposed'
      ? `${facts.by} proposes to ${facts.decision} it: ${facts.reason}`
      : `A transfer at processor ${facts.processor} counts towards no payment (${facts.mismatch.replaceAll('_', ' ')}). ${facts.detail} Its text: “${facts.text}”`,
  whatToDo: ({ facts }) =>
    facts.status === 'proposed'
      ? 'Check the reason. Another operator than the first confirms or withdraws it.'
      : 'Match it with the payment that it is for, or return it to its sender.',
  acts: ({ id, facts }) => {
    if (facts.status === 'proposed') return proposal(UNMATCHED, id);
    if (facts.status !== 'open') return [];
    return [
      { act: 'match', path: `${UNMATCHED}/${id}/match`, asks: ['paymentId', 'reason'] },
      { act: 'return', path: `${UNMATCHED}/${id}/return`, asks: ['reason'] },
    ];
  },
  workflow: ({ id, facts }) => (facts.decision ? workflowId.unmatchedTransfer(id) : undefined),
});

export const DIFFERENCE_SOURCE = source<{
  kind: string;
  processor: string;
  lineKind: string;
  paymentReference: string;
  expected: string | null;
  reported: string | null;
}>({
  ...MONEY('f'),
  organization: 'NULL::text',
  amount: 'coalesce(f.reported_minor, f.expected_minor)',
  from: 'reconciliation_differences f',
  where: "f.status = 'open'",
  since: 'f.found_at',
  facts: `jsonb_build_object('kind', f.kind, 'processor', f.processor, 'lineKind', f.line_kind, 'paymentReference',
    f.payment_reference, 'expected', f.expected_minor::text, 'reported', f.reported_minor::text)`,
  why: ({ currency, facts: { kind, processor, lineKind, paymentReference, expected, reported } }) => {
    const money = (minor: string | null) =>
      minor === null ? 'nothing' : `${formatAmount(BigInt(minor), currency!)} ${currency}`;
    const what = `${lineKind.replaceAll('_', ' ')} of ${paymentReference}`;
    return `Processor ${processor} reports ${money(reported)} for the ${what}; the ledger has ${money(expected)} (${kind.replaceAll('_', ' ')}).`;
  },
  whatToDo: () =>
    'Find out who is right. Book what the report says, write it off, or keep it as a claim until the processor corrects it.',
  acts: ({ id, tenant_id }) => [
    {
      act: 'resolve',
      path: `/reconciliation/1.0.0/differences/${id}/resolve`,
      asks: ['resolution', ...(tenant_id ? [] : (['tenantId'] as const)), 'reason'],
    },
  ],
  workflow: () => undefined,
});

export const PAYOUT_SOURCE = source<{
  status: PayoutRow['status'];
  detail: string;
  forReview: boolean;
  by: string | null;
  reason: string | null;
}>({
  ...MONEY('o'),
  from: 'payouts o',
  where: `(o.review_since IS NOT NULL OR (o.return_proposed_by IS NOT NULL AND o.return_confirmed_by IS NULL))
    AND (o.review_since IS NOT NULL OR o.status IN ('sent', 'settled'))`,
  since: 'coalesce(o.review_since, o.return_proposed_at)',
  facts: `jsonb_build_object('status', o.status, 'detail', o.status_detail, 'forReview', o.review_since IS NOT NULL,
    'by', CASE WHEN o.status IN ('sent', 'settled') THEN o.return_proposed_by END, 'reason', o.return_reason)`,
  why: ({ facts }) => (facts.by ? `${facts.by} proposes that it came back: ${facts.reason}` : facts.detail),
  whatToDo: ({ facts }) => {
    if (facts.by) return 'Check the reason. Another operator than the first confirms or withdraws it.';
    const problem = payoutProblemOf(facts.status);
    return problem ? PAYOUT_ADVICE[problem] : 'Look at the payout.';
  },
  acts: ({ id, facts }) => {
    if (facts.by) return proposal(PAYOUTS, id);
    const act = (name: string) => ({ act: name.replaceAll('-', '_'), path: `${PAYOUTS}/${id}/${name}`, asks: REASON });
    return facts.status === 'sent' ? [act('ask-again'), act('mark-returned')] : [act('close')];
  },
  workflow: ({ id }) => workflowId.payout(id),
});

const REASON = ['reason'] as const;

export const BANK_RETURN_SOURCE = source<{ status: string; detail: string; kind: string }>({
  ...MONEY('b'),
  organization: 'NULL::text',
  from: 'bank_returns b',
  where: 'b.review_since IS NOT NULL',
  since: 'b.review_since',
  facts: "jsonb_build_object('status', b.status, 'detail', b.status_detail, 'kind', b.kind)",
  why: ({ facts }) => `Money that has to go back by bank transfer (${facts.kind}) is ${facts.status}. ${facts.detail}`,
  whatToDo: ({ facts }) =>
    facts.status === 'waiting'
      ? 'Nobody knows the account. Have the tenant find it out and name it.'
      : 'Ask the bank what became of the transfer.',
  acts: () => [],
  workflow: () => undefined,
});

export const ORDER_SOURCE = source<{ reason: string; paymentId: string | null }>({
  ...MONEY('o'),
  amount: 'o.total_minor',
  from: 'orders o',
  where: 'o.review_since IS NOT NULL',
  since: 'o.review_since',
  facts: "jsonb_build_object('reason', o.review_reason, 'paymentId', o.payment_id)",
  why: ({ facts }) => `The order was paid when its pieces were gone. ${facts.reason}`,
  whatToDo: () => 'The seller delivers it from new stock, or refunds its payment: remind the seller.',
  acts: () => [],
  workflow: () => undefined,
});
