/** Texts by key; a key may have keys of its own. */
export interface Texts {
  [key: string]: string | Texts;
}

export const LANGUAGES = ['en', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How numbers and dates are written in a language of the console: a tag for `Intl`. */
export function regionOf(locale: string): string {
  return REGIONS[locale as Language] ?? REGIONS.en;
}

const REGIONS: Record<Language, string> = { en: 'en-GB', pt: 'pt-PT' };

/** The same keys in each language. */
export type Words = Record<Language, Texts>;

/** Makes the compiler compare the languages: a text that one lacks does not compile. */
export function words<T extends Texts>(spoken: { en: T; pt: { [K in keyof T]: SameKeys<T[K]> } }): Words {
  return spoken as Words;
}

type SameKeys<T> = T extends string ? string : { [K in keyof T]: SameKeys<T[K]> };
