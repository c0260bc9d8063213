import cardValidator from 'card-validator';
import type { CardData } from '../../domain/connector';

/** What of a card may be shown, as the columns of `payments` and `payment_methods` call it. */
export interface ShownCard {
  brand: string;
  bin: string;
  last4: string;
  holder: string;
  expiry_month: string;
  expiry_year: string;
}

const BRANDS: Record<string, string> = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  'diners-club': 'DINERS',
  discover: 'DISCOVER',
  jcb: 'JCB',
  unionpay: 'UNIONPAY',
  maestro: 'MAESTRO',
  mir: 'MIR',
  elo: 'ELO',
  hiper: 'HIPER',
  hipercard: 'HIPERCARD',
};

/** The brand of a card by its number; undefined when it is none that we know. */
export function brandOf(number: string): string | undefined {
  return BRANDS[cardValidator.number(number).card?.type ?? ''];
}

export function shownCard(card: CardData, brand: string): ShownCard {
  return {
    brand,
    // Eight digits only of the longest numbers (PCI DSS 3.4.1: at most the BIN and the last four).
    bin: card.number.slice(0, card.number.length >= 16 ? 8 : 6),
    last4: card.number.slice(-4),
    holder: card.holder,
    expiry_month: card.expiryMonth,
    expiry_year: card.expiryYear,
  };
}
