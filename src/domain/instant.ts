/** RFC 3339 section 5.6 date-time. */
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** A year in four digits; there was none before the year 1. */
const YEAR = /^(?!0000)\d{4}-/;

/**
 * An RFC 3339 date-time as UTC with milliseconds. Undefined when it is none, names a day that is not in the calendar,
 * or lies outside the years 0001 to 9999 of UTC.
 */
export function toUtc(text: string): string | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match.map(Number);
  if (month! < 1 || month! > 12 || day! < 1 || day! > new Date(Date.UTC(year!, month!, 0)).getUTCDate())
    return undefined;
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const time = Date.parse(text.toUpperCase());
  if (Number.isNaN(time)) return undefined;
  const utc = new Date(time).toISOString();
  return YEAR.test(utc) ? utc : undefined;
}
