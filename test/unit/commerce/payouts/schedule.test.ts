import fc from 'fast-check';
import { isDate, nextDate, type Schedule } from '../../../../src/commerce/payouts/schedule';

const at = (text: string) => new Date(`${text}Z`);

test.each<[Schedule, string, string]>([
  [{ schedule: 'daily' }, '2026-11-22T10:00:00', '2026-11-23T00:00:00'],
  [{ schedule: 'daily' }, '2026-12-31T00:00:00', '2027-01-01T00:00:00'],
  // 2026-11-22 is a Sunday.
  [{ schedule: 'weekly', weekday: 7 }, '2026-11-22T00:00:00', '2026-11-29T00:00:00'],
  [{ schedule: 'weekly', weekday: 1 }, '2026-11-22T23:59:59', '2026-11-23T00:00:00'],
  [{ schedule: 'monthly', dayOfMonth: 28 }, '2026-02-28T00:00:00', '2026-03-28T00:00:00'],
  [{ schedule: 'monthly', dayOfMonth: 1 }, '2026-01-31T12:00:00', '2026-02-01T00:00:00'],
])('%j after %s is %s', (schedule, after, expected) => {
  expect(nextDate(schedule, at(after))).toEqual(at(expected));
});

test('on demand has no date', () => {
  expect(nextDate({ schedule: 'on_demand' }, new Date())).toBeUndefined();
  expect(isDate({ schedule: 'on_demand' }, at('2026-11-22T00:00:00'))).toBe(false);
});

test('the next date is one of the schedule, and none lies before it', () => {
  const schedules = fc.oneof(
    fc.constant<Schedule>({ schedule: 'daily' }),
    fc.integer({ min: 1, max: 7 }).map((weekday): Schedule => ({ schedule: 'weekly', weekday })),
    fc.integer({ min: 1, max: 28 }).map((dayOfMonth): Schedule => ({ schedule: 'monthly', dayOfMonth })),
  );
  const instants = fc.date({ min: at('2020-01-01T00:00:00'), max: at('2040-01-01T00:00:00'), noInvalidDate: true });
  fc.assert(
    fc.property(schedules, instants, (schedule, after) => {
      const next = nextDate(schedule, after)!;
      expect(isDate(schedule, next)).toBe(true);
      for (let day = Math.floor(after.getTime() / 86_400_000) + 1; day * 86_400_000 < next.getTime(); day += 1)
        expect(isDate(schedule, new Date(day * 86_400_000))).toBe(false);
    }),
  );
});
