import { canOrderBecome, ORDER_STATUSES } from '../../../src/domain/states/order';

const ALLOWED = ['open paid', 'open expired', 'open cancelled', 'expired paid'];

test.each(ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)))(
  'an order that is %s → %s',
  (from, to) => {
    expect(canOrderBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
