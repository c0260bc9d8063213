import { useTranslate } from 'react-admin';
import { useAmountText } from '../parts/amount';
import type { PaymentLink } from './link';

/** What a link asks for, in a few words. */
export function useAsks(): (link: PaymentLink) => string {
  const translate = useTranslate();
  const say = useAmountText();
  return ({ amount, lines, currency }) => {
    if (amount)
      return amount.min === amount.max
        ? say(amount.min, currency)
        : translate('links.span', { min: say(amount.min, currency), max: say(amount.max, currency) });
    if (lines) return translate('links.lines', { smart_count: lines.length });
    return translate('links.anOrder');
  };
}

export function Asks({ link }: { link: PaymentLink }) {
  return <>{useAsks()(link)}</>;
}
