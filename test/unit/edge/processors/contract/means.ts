import type { Instrument, PaymentKind } from '../../../../../src/domain/connector';

/** Something to pay with, as the suite tries it. */
export interface Means {
  title: string;
  instrument: Instrument;
  currency: string;
}

const CARD = { holder: 'A Buyer', expiryMonth: '12', expiryYear: '2040', cvv: '123' };

/** Kinds that carry a card, whose number says what happens. */
export type CardKind = 'card' | 'wallet';

export function isCardKind(kind: PaymentKind): kind is CardKind {
  return kind === 'card' || kind === 'wallet';
}

export function cardInstrument(kind: CardKind, number: string, expiryYear = CARD.expiryYear): Instrument {
  const card = { ...CARD, number, expiryYear };
  return kind === 'card'
    ? { kind, card }
    : {
        kind,
        wallet: 'first',
        card: { ...card, cvv: undefined, eci: '05' },
        cryptogram: 'AgAAAAAABk4DWZ4C28yUQAAAAAA=',
      };
}

const euro = (title: string, instrument: Instrument): Means => ({ title, instrument, currency: 'EUR' });
const rupee = (title: string, instrument: Instrument): Means => ({ title, instrument, currency: 'INR' });
const payer = { kind: 'apm', payerName: 'A Buyer', payerEmail: 'buyer@example.org', country: 'PT' } as const;

/** What every connector that declares a kind is tried with. */
export const MEANS: Record<PaymentKind, readonly Means[]> = {
  card: [euro('a card', cardInstrument('card', '4111111111111111'))],
  wallet: [euro('a wallet token', cardInstrument('wallet', '4111111111111111'))],
  upi: [
    rupee('a UPI collect request', { kind: 'upi', flow: 'collect', vpa: 'buyer@bank' }),
    rupee('a UPI intent', { kind: 'upi', flow: 'intent' }),
    rupee('a UPI code', { kind: 'upi', flow: 'qr' }),
  ],
  qr: [euro('an EMV code', { kind: 'qr' })],
  apm: [
    euro('a redirect method', { ...payer, scheme: 'redirect' }),
    euro('a voucher', { ...payer, scheme: 'voucher' }),
  ],
  bank_transfer: [euro('a bank transfer', { kind: 'bank_transfer', payerName: 'A Buyer' })],
  direct_debit: [
    euro('a direct debit', {
      kind: 'direct_debit',
      mandate: {
        mandateId: 'man_1',
        iban: 'DE89370400440532013000',
        accountHolder: 'A Buyer',
        signedAt: '2026-01-31T12:00:00.000Z',
        first: true,
      },
    }),
  ],
  crypto: (['BTC', 'ETH', 'USDT'] as const).map((asset) => euro(asset, { kind: 'crypto', asset })),
  hosted_page: [euro('a hosted page', { kind: 'hosted_page' })],
};

/** What a processor answers first when all is well. */
export function firstAnswer(kind: PaymentKind): 'captured' | 'pending' | 'payer_action' {
  if (isCardKind(kind)) return 'captured';
  return kind === 'direct_debit' ? 'pending' : 'payer_action';
}
