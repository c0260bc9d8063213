import { canScheduleBecome, SCHEDULE_STATUSES } from '../../../src/domain/states/schedule';

const ALLOWED = ['active ended', 'active cancelled'];

test.each(SCHEDULE_STATUSES.flatMap((from) => SCHEDULE_STATUSES.map((to) => [from, to] as const)))(
  'a schedule that is %s → %s',
  (from, to) => {
    expect(canScheduleBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
