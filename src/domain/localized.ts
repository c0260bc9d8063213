import { LRUCache } from 'lru-cache';
import { exponentOf, formatAmount } from './money';

/** Amounts and times as people of a language and region write them. `locale`: BCP 47. */

/** A format takes longer to make than to use. Its key is a locale of a request, so they are bounded. */
const amounts = new LRUCache<string, Intl.NumberFormat>({ max: 500 });
const times = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/** `1,234.50 €` */
export function localAmount(locale: string, amountMinor: bigint, currency: string): string {
  const format = remembered(amounts, `${locale} ${currency}`, () => {
    const digits = exponentOf(currency);
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  });
  return format.format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral);
}

/** In UTC: nothing says in which zone its reader is. */
export function localTime(locale: string, time: Date | string): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  const format = remembered(times, locale, () => new Intl.DateTimeFormat(locale, options));
  return `${format.format(new Date(time))} UTC`;
}

function remembered<Format extends object>(known: LRUCache<string, Format>, key: string, make: () => Format): Format {
  const format = known.get(key) ?? make();
  known.set(key, format);
  return format;
}
