import polyglotI18nProvider from 'ra-i18n-polyglot';
import englishOfReactAdmin from 'ra-language-english';
import type { Area } from '../area';
import { house } from './house';
import { portugueseOfReactAdmin } from './react-admin-pt';
import { statuses } from './statuses';
import { LANGUAGES, type Language, type Texts } from './words';

const KEPT = 'tillway.language';

/** All words of a language. The areas' own come last: they may say it better than react-admin. */
function wordsOf(areas: readonly Area[], language: Language): Texts {
  const base = language === 'pt' ? portugueseOfReactAdmin : englishOfReactAdmin;
  return [house, statuses, ...areas.map((area) => area.words)].reduce<Texts>(
    (all, { [language]: more }) => joined(all, more),
    base as unknown as Texts,
  );
}

function joined(one: Texts, other: Texts): Texts {
  const all: Texts = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const there = all[key];
    all[key] = typeof value === 'object' && typeof there === 'object' ? joined(there, value) : value;
  }
  return all;
}

/** The language that was chosen here before, or that the browser prefers, or English. */
export function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT);
  const wanted = [kept, ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  return (wanted.find((tag) => LANGUAGES.includes(tag as Language)) as Language | undefined) ?? 'en';
}

/** React-admin's translator with the words of the areas. */
export function i18nProviderOf(areas: readonly Area[]) {
  return polyglotI18nProvider(
    (locale) => {
      localStorage.setItem(KEPT, locale);
      document.documentElement.lang = locale;
      return wordsOf(areas, locale as Language) as never;
    },
    firstLanguage(),
    [
      { locale: 'en', name: 'English' },
      { locale: 'pt', name: 'Português' },
    ],
  );
}
