import type { Context } from 'koa';
import { exponentOf, formatAmount } from '../../domain/money';
import { LANGUAGES, type Words } from './words';

/** Somebody who reads the page: the words of their language, and their way of writing numbers and times. */
export class Reader {
  readonly words: Words;
  /** With the region, for numbers and dates. */
  private readonly locale: string;

  /** The language that was chosen on the page, else the first that the browser asks for. */
  constructor(ctx: Pick<Context, 'query' | 'acceptsLanguages' | 'get'>) {
    const chosen = typeof ctx.query.lang === 'string' ? ctx.query.lang : '';
    const asked = ctx.acceptsLanguages(Object.keys(LANGUAGES)) || 'en';
    const language = LANGUAGES[chosen] ? chosen : asked;
    this.words = LANGUAGES[language]!;
    const [preferred = ''] = ctx.get('accept-language').split(/[,;]/);
    this.locale = preferred.startsWith(`${language}-`) && isLocale(preferred) ? preferred : language;
  }

  /** `1,234.50 €`, as the reader writes it. */
  amount(amountMinor: bigint, currency: string): string {
    const digits = exponentOf(currency);
    return new Intl.NumberFormat(this.locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral);
  }

  /** In UTC: nothing says in which zone its reader is. */
  time(time: Date | string): string {
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
    return `${new Intl.DateTimeFormat(this.locale, format).format(new Date(time))} UTC`;
  }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
