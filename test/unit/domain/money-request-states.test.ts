import { canRequestBecome, REQUEST_STATUSES } from '../../../src/domain/states/money-request';

const ALLOWED = ['pending paid', 'pending declined', 'pending cancelled', 'pending expired'];

test.each(REQUEST_STATUSES.flatMap((from) => REQUEST_STATUSES.map((to) => [from, to] as const)))(
  'a request for money that is %s → %s',
  (from, to) => {
    expect(canRequestBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
