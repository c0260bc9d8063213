import {
  canUnmatchedTransferBecome,
  isInSuspense,
  UNMATCHED_TRANSFER_STATUSES,
  type UnmatchedTransferStatus,
} from '../../../src/domain/states/unmatched-transfer';

const ALLOWED = new Set([
  'open>proposed',
  'open>matching',
  'open>returning',
  'open>matched',
  'proposed>open',
  'proposed>matching',
  'proposed>returning',
  'proposed>matched',
  'matching>matched',
  'matching>returned',
  'matching>open',
  'returning>returned',
  'returning>matched',
  'returning>open',
]);

const pairs = UNMATCHED_TRANSFER_STATUSES.flatMap((from) =>
  UNMATCHED_TRANSFER_STATUSES.map((to) => [from, to] as const),
);

test.each(pairs)('%s to %s', (from, to) => {
  expect(canUnmatchedTransferBecome(from, to)).toBe(ALLOWED.has(`${from}>${to}`));
});

test('what is in suspense may still move, and nothing else', () => {
  const moves = (from: UnmatchedTransferStatus) =>
    pairs.some((pair) => pair[0] === from && ALLOWED.has(pair.join('>')));
  for (const status of UNMATCHED_TRANSFER_STATUSES) expect(isInSuspense(status)).toBe(moves(status));
});
