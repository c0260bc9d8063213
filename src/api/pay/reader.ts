import type { Context } from 'koa';
import { localAmount, localTime } from '../../domain/localized';
import { LANGUAGES, type Words } from './words';

/** Somebody who reads the page: the words of their language, and their way of writing numbers and times. */
export class Reader {
  readonly words: Words;
  /** With the region, for numbers and dates; as BCP 47. */
  readonly locale: string;

  /** The language that was chosen on the page, else the first that the browser asks for. */
  constructor(ctx: Pick<Context, 'query' | 'acceptsLanguages' | 'get'>) {
    const chosen = typeof ctx.query.lang === 'string' ? ctx.query.lang : '';
    const asked = ctx.acceptsLanguages(Object.keys(LANGUAGES)) || 'en';
    const language = LANGUAGES[chosen] ? chosen : asked;
    this.words = LANGUAGES[language]!;
    const [preferred = ''] = ctx.get('accept-language').split(/[,;]/);
    this.locale = preferred.startsWith(`${language}-`) && isLocale(preferred) ? preferred : this.words.locale;
  }

  amount(amountMinor: bigint, currency: string): string {
    return localAmount(this.locale, amountMinor, currency);
  }

  time(time: Date | string): string {
    return localTime(this.locale, time);
  }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
