import { useLocale } from 'react-admin';
import { regionOf } from '../words/words';

/** An amount as people of this language write it. Exact: the digits of the API's decimal string, never a float. */
export function amountText(amount: string, currency: string, locale: string): string {
  const digits = /\.(\d+)$/.exec(amount)?.[1]?.length ?? 0;
  const format = new Intl.NumberFormat(regionOf(locale), {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // A decimal string is formatted with all its digits (ECMA-402, "Intl mathematical value").
  return format.format(amount as Intl.StringNumericLiteral);
}

/** The same as a function, for sentences. */
export function useAmountText(): (amount: string, currency: string) => string {
  const locale = useLocale();
  return (amount, currency) => amountText(amount, currency, locale);
}

export function Amount({ amount, currency }: { amount: string | undefined; currency: string | undefined }) {
  const locale = useLocale();
  if (amount === undefined || currency === undefined) return null;
  return <span style={{ whiteSpace: 'nowrap' }}>{amountText(amount, currency, locale)}</span>;
}
