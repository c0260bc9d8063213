import type { ScheduleSpec } from '@temporalio/client';

export const FREQUENCIES = ['once', 'daily', 'weekly', 'fortnightly', 'monthly', 'quarterly', 'yearly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** When something recurs: at the time of day of its start, in UTC. A day that a month lacks is that month's last. */
export interface Recurrence {
  frequency: Frequency;
  startsAt: Date;
  endsAt?: Date;
}

const DAY_MS = 86_400_000;
const DAYS: Partial<Record<Frequency, number>> = { daily: 1, weekly: 7, fortnightly: 14 };
const MONTHS: Partial<Record<Frequency, number>> = { monthly: 1, quarterly: 3, yearly: 12 };

/** The first occurrence after `after`; undefined when there is none. */
export function nextOccurrence({ frequency, startsAt, endsAt }: Recurrence, after: Date): Date | undefined {
  const start = startsAt.getTime();
  const next = () => {
    if (start > after.getTime()) return startsAt;
    if (frequency === 'once') return undefined;
    const days = DAYS[frequency];
    if (days) {
      const period = days * DAY_MS;
      return new Date(start + (Math.floor((after.getTime() - start) / period) + 1) * period);
    }
    const months = MONTHS[frequency]!;
    let n = Math.floor(monthsBetween(startsAt, after) / months);
    while (monthsAfter(startsAt, n * months).getTime() <= after.getTime()) n += 1;
    return monthsAfter(startsAt, n * months);
  };
  const found = next();
  return found && endsAt && found.getTime() > endsAt.getTime() ? undefined : found;
}

function monthsBetween(from: Date, to: Date): number {
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
}

function monthsAfter(start: Date, months: number): Date {
  const first = new Date(start);
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() + months);
  first.setUTCDate(Math.min(start.getUTCDate(), daysIn(first.getUTCFullYear(), first.getUTCMonth())));
  return first;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

const MONTH_NAMES = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;
type Calendar = NonNullable<ScheduleSpec['calendars']>[number];

/** The last year that the engine's calendars know. */
export const LAST_YEAR = 2100;

/** The same times as the engine's schedules say them. */
export function specOf({ frequency, startsAt, endsAt }: Recurrence): ScheduleSpec {
  const time = { hour: startsAt.getUTCHours(), minute: startsAt.getUTCMinutes(), second: startsAt.getUTCSeconds() };
  const bounds = { startAt: startsAt, ...(endsAt && { endAt: endsAt }), timezone: 'UTC' };
  if (frequency === 'fortnightly') {
    const every = 14 * DAY_MS;
    return { ...bounds, intervals: [{ every, offset: startsAt.getTime() % every }] };
  }
  return { ...bounds, calendars: daysOf(frequency, startsAt).map((day) => ({ ...time, ...day })) };
}

function daysOf(frequency: Frequency, startsAt: Date): Calendar[] {
  const [year, month, day] = [startsAt.getUTCFullYear(), startsAt.getUTCMonth(), startsAt.getUTCDate()];
  if (frequency === 'once') return [{ year, month: MONTH_NAMES[month], dayOfMonth: day }];
  if (frequency === 'daily') return [{}];
  if (frequency === 'weekly') return [{ dayOfWeek: WEEKDAYS[startsAt.getUTCDay()] }];
  const every = MONTHS[frequency]!;
  return MONTH_NAMES.flatMap((name, at): Calendar[] => {
    if ((at - month) % every !== 0) return [];
    const isClippedFebruary = at === 1 && day > 28;
    if (!isClippedFebruary) return [{ month: name, dayOfMonth: Math.min(day, daysIn(year, at)) }];
    const years = Array.from({ length: LAST_YEAR - year + 1 }, (_, n) => year + n);
    const leap = (each: number) => daysIn(each, 1) === 29;
    return [
      { month: name, dayOfMonth: 29, year: years.filter(leap) },
      { month: name, dayOfMonth: 28, year: years.filter((each) => !leap(each)) },
    ];
  });
}
