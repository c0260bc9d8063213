import { exponentOf, formatAmount } from './money';

/** Amounts and times as people of a language and region write them. `locale`: BCP 47. */

/** `1,234.50 €` */
export function localAmount(locale: string, amountMinor: bigint, currency: string): string {
  const digits = exponentOf(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral);
}

/** In UTC: nothing says in which zone its reader is. */
export function localTime(locale: string, time: Date | string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(locale, format).format(new Date(time))} UTC`;
}
