import { canRefundBecome, REFUND_STATUSES } from '../../../src/domain/states/refund';

const ALLOWED = ['pending succeeded', 'pending declined', 'succeeded declined', 'declined succeeded'];

test.each(REFUND_STATUSES.flatMap((from) => REFUND_STATUSES.map((to) => [from, to] as const)))(
  'a refund that is %s → %s',
  (from, to) => {
    expect(canRefundBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
