import { canDisputeBecome, DISPUTE_STATUSES } from '../../../src/domain/states/dispute';

const ALLOWED = [
  'flagged open',
  'flagged won',
  'flagged lost',
  'open evidence_submitted',
  'open won',
  'open lost',
  'evidence_submitted won',
  'evidence_submitted lost',
];

test.each(DISPUTE_STATUSES.flatMap((from) => DISPUTE_STATUSES.map((to) => [from, to] as const)))(
  'a dispute that is %s → %s',
  (from, to) => {
    expect(canDisputeBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
