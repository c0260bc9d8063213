/** RFC 3339 section 5.6 date-time. */
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 date-time as UTC with milliseconds; undefined when it is none, or names a day that is not in the calendar. */
export function toUtc(text: string): string | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match.map(Number);
  if (month! < 1 || month! > 12 || day! < 1 || day! > new Date(Date.UTC(year!, month!, 0)).getUTCDate())
    return undefined;
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const time = Date.parse(text.toUpperCase());
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
