/** When payouts are made by themselves: at midnight UTC of the day. */
export const SCHEDULES = ['daily', 'weekly', 'monthly', 'on_demand'] as const;
export type ScheduleKind = (typeof SCHEDULES)[number];

export interface Schedule {
  schedule: ScheduleKind;
  /** Of a weekly one: 1 is Monday. */
  weekday?: number | null;
  /** Of a monthly one: 1 to 28. */
  dayOfMonth?: number | null;
}

const DAY_MS = 86_400_000;
/** A month has every date of a schedule, so that one is found within it. */
const LONGEST_MONTH = 31;

/** The first date of the schedule after an instant; undefined on demand. */
export function nextDate(schedule: Schedule, after: Date): Date | undefined {
  if (schedule.schedule === 'on_demand') return undefined;
  const midnight = Math.floor(after.getTime() / DAY_MS) * DAY_MS;
  for (let days = 1; days <= LONGEST_MONTH; days += 1) {
    const date = new Date(midnight + days * DAY_MS);
    if (isDate(schedule, date)) return date;
  }
  throw new RangeError('the schedule has no date');
}

/** Whether an instant is a date of the schedule. */
export function isDate({ schedule, weekday, dayOfMonth }: Schedule, at: Date): boolean {
  if (at.getTime() % DAY_MS !== 0) return false;
  switch (schedule) {
    case 'daily':
      return true;
    case 'weekly':
      // Sunday is 0 in JavaScript, 7 in ISO 8601.
      return (at.getUTCDay() || 7) === weekday;
    case 'monthly':
      return at.getUTCDate() === dayOfMonth;
    case 'on_demand':
      return false;
  }
}
