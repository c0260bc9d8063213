import Joi from 'joi';
import type { Choice } from '../../commerce/payment-links/checkout';
import { type CustomField, isOpen, type PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import { hasCardNumber } from '../../domain/card-number';
import type { CardData, StoredInstrument } from '../../domain/connector';
import { idFromUuid, madeAt, newId, newUuid } from '../../domain/ids';
import { exponentOf, parseAmount } from '../../domain/money';
import type { MandateOrder } from '../../money/payments/mandates';
import type { SavedCardRow } from '../../money/payments/saved-card';
import type { Method } from '../../money/routing/catalogue';
import { cardSchema, cvv } from '../records/card';
import { vpa } from '../records/vpa';
import { nameText } from '../server/conventions';
import { iban } from '../server/iban';
import type { FieldName, Problem } from './words';

/** The form of the page: which fields each way to pay asks for, and what is wrong with what was typed. */

const MAX_TEXT = 100;
const MAX_ANSWER = 500;
/** Ids of the catalogue that are not alone of their kind. */
export const REDIRECT = 27;
export const UPI_COLLECT = 30;

/** What was typed, by the name of the field. Custom fields begin with `x-`. */
export type Typed = Record<string, string>;
export type Problems = Record<string, Problem>;

export const ownField = ({ name }: Pick<CustomField, 'name'>) => `x-${name}`;

/** A way to pay that was chosen: a method, and where that is one of the customer's own cards, which. */
export interface Way {
  method: Method;
  saved?: SavedCardRow;
}

/** The fields of a way to pay, in the order of the form. */
export function fieldsOf({ method, saved }: Way, link: PaymentLinkRow): FieldName[] {
  const amount: FieldName[] = isOpen(link) ? ['amount'] : [];
  return [...amount, ...(saved ? (['email'] as const) : FIELDS[method.kind](method))];
}

const FIELDS: Record<Method['kind'], (method: Method) => FieldName[]> = {
  card: () => ['number', 'expiry', 'cvv', 'holder', 'email'],
  wallet: () => ['email'],
  upi: ({ id }) => (id === UPI_COLLECT ? ['vpa', 'email'] : ['email']),
  qr: () => ['email'],
  apm: () => ['name', 'email', 'country'],
  bank_transfer: () => ['email'],
  direct_debit: () => ['iban', 'name', 'email'],
  crypto: () => ['asset', 'email'],
  hosted_page: () => ['email'],
};

const email = Joi.string().email({ tlds: false }).max(254).required();

const isValid = (schema: Joi.Schema, value: string) => schema.validate(value).error === undefined;

export const isEmail = (value: string) => isValid(email, value);

/** What is wrong with words of a buyer. */
export function problemOfWords(value: string, longest: number): Problem | undefined {
  if (value.length > longest) return 'tooLong';
  return hasCardNumber(value) ? 'hasCardNumber' : undefined;
}

/** What is wrong with a name that a buyer gives. */
function problemOfName(value: string, longest: number): Problem | undefined {
  return problemOfWords(value, longest) ?? (isValid(nameText(longest), value) ? undefined : 'notOneLine');
}

type Check = (value: string, link: PaymentLinkRow) => Problem | undefined;

const CHECKS: Record<FieldName, Check> = {
  number: (value) => (isValid(cardSchema.extract('number'), digitsOf(value)) ? undefined : 'cardNumber'),
  expiry: (value) => {
    const expiry = expiryOf(value);
    if (!expiry) return 'expiry';
    // Good until the end of its month, wherever on earth that is last.
    const endsAt = Date.UTC(Number(expiry.expiryYear), Number(expiry.expiryMonth), 2);
    return endsAt > Date.now() ? undefined : 'expired';
  },
  cvv: (value) => (isValid(cvv(), value) ? undefined : 'cvv'),
  holder: (value) => problemOfName(value, MAX_TEXT),
  email: (value) => (isEmail(value) ? undefined : 'email'),
  name: (value) => problemOfName(value, 70),
  country: (value) => (/^[A-Za-z]{2}$/.test(value) ? undefined : 'country'),
  vpa: (value) => (isValid(vpa, value) ? undefined : 'vpa'),
  iban: (value) => (isValid(iban().required(), ibanOf(value)) ? undefined : 'iban'),
  asset: (value) => (ASSETS.includes(value as Asset) ? undefined : 'notAccepted'),
  amount: (value, link) => {
    const minor = amountOf(value, link.currency);
    if (minor === undefined) return 'amount';
    return minor >= link.amount_min_minor! && minor <= link.amount_max_minor! ? undefined : 'amountSpan';
  },
};

export const ASSETS = ['BTC', 'ETH', 'USDT'] as const;
type Asset = (typeof ASSETS)[number];

/** What is wrong with a filled form; empty: nothing. */
export function problemsOf(link: PaymentLinkRow, way: Way, typed: Typed): Problems {
  const problems: Problems = {};
  for (const field of fieldsOf(way, link)) {
    const value = typed[field] ?? '';
    const problem = value === '' ? 'required' : CHECKS[field](value, link);
    if (problem) problems[field] = problem;
  }
  for (const field of link.custom_fields) {
    const value = typed[ownField(field)] ?? '';
    const problem = value === '' && field.required ? 'required' : problemOfWords(value, MAX_ANSWER);
    if (problem) problems[ownField(field)] = problem;
  }
  return problems;
}

interface Request {
  way: Way;
  /** The customer who has signed in. */
  customerId?: string;
  returnUrlOf: (paymentId: string) => string;
  browser: Record<string, unknown>;
  ipAddress: string;
  locale: string;
  requestId: string;
}

/** A form without problems, as a choice. */
export function choiceOf(link: PaymentLinkRow, typed: Typed, request: Request): Choice {
  const { method, saved } = request.way;
  const paymentId = idFromUuid('payment', seedOf(typed.attempt));
  const [firstName, ...rest] = (typed.name ?? '').split(/\s+/);
  const answers = link.custom_fields.flatMap((field) => {
    const value = typed[ownField(field)];
    return value ? [[field.name, value] as const] : [];
  });
  return {
    paymentId,
    orderId: idFromUuid('order', seedOf(typed.order)),
    amountMinor: typed.amount === undefined ? undefined : amountOf(typed.amount, link.currency),
    method,
    ...(saved ? { saved: { cardId: saved.id, stepUpId: typed.stepUp ?? '' } } : meansOf(method, typed)),
    customerId: request.customerId,
    storeCard: typed.storeCard === 'yes',
    buyer: {
      email: typed.email,
      ...(firstName && { firstName, lastName: rest.join(' ') || firstName }),
      ...(typed.country && { country: typed.country.toUpperCase() }),
      ipAddress: request.ipAddress,
    },
    browser: request.browser,
    answers: Object.fromEntries(answers),
    returnUrl: request.returnUrlOf(paymentId),
    locale: request.locale,
    requestId: request.requestId,
  };
}

interface Means {
  card?: CardData;
  instrument?: StoredInstrument;
  mandate?: MandateOrder;
}

function meansOf(method: Method, typed: Typed): Means {
  switch (method.kind) {
    case 'card':
      return { card: cardOf(typed) };
    case 'upi':
      return {
        instrument:
          method.id === UPI_COLLECT ? { kind: 'upi', flow: 'collect', vpa: typed.vpa! } : { kind: 'upi', flow: 'qr' },
      };
    case 'apm':
      return {
        instrument: {
          kind: 'apm',
          scheme: method.id === REDIRECT ? 'redirect' : 'voucher',
          payerName: typed.name!,
          payerEmail: typed.email!,
          country: typed.country!.toUpperCase(),
        },
      };
    case 'direct_debit':
      return debitOf(typed);
    case 'crypto':
      return { instrument: { kind: 'crypto', asset: typed.asset as Asset } };
    case 'bank_transfer':
    case 'qr':
    case 'hosted_page':
      return { instrument: { kind: method.kind } };
    case 'wallet':
      throw new Error('a wallet token does not come from a form');
  }
}

function cardOf(typed: Typed): CardData {
  return { number: digitsOf(typed.number!), holder: typed.holder!, cvv: typed.cvv!, ...expiryOf(typed.expiry!)! };
}

/** The buyer signs the mandate with the button. */
function debitOf(typed: Typed): Means {
  const mandateId = newId('mandate');
  const signedAt = new Date().toISOString();
  return {
    instrument: { kind: 'direct_debit', mandateId },
    mandate: { mandateId, iban: ibanOf(typed.iban!), accountHolder: typed.name!, signedAt },
  };
}

const digitsOf = (value: string) => value.replace(/[\s-]/g, '');
const ibanOf = (value: string) => value.replace(/\s/g, '').toUpperCase();

/** `12/30`, `12/2030`, `1230` and the like. */
function expiryOf(value: string): Pick<CardData, 'expiryMonth' | 'expiryYear'> | undefined {
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*[/\-. ]?\s*(\d{2}|20\d{2})$/.exec(value) ?? [];
  if (!month || !year) return undefined;
  return { expiryMonth: month.padStart(2, '0'), expiryYear: year.length === 2 ? `20${year}` : year };
}

/** What a person writes as an amount, in minor units: `10`, `10.5`, `10,50`. Undefined for anything else. */
export function amountOf(value: string, currency: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d{1,15})(?:[.,](\d{1,4}))?$/.exec(value.replace(/\s/g, '')) ?? [];
  const digits = exponentOf(currency);
  if (whole === undefined || decimals.length > digits) return undefined;
  const text = digits === 0 ? whole : `${whole}.${decimals.padEnd(digits, '0')}`;
  return parseAmount(text.replace(/^0+(?=\d)/, ''), currency);
}

/** A form is sent within a day of when it was shown; clocks need not agree to the minute. */
const FORM_TTL_MS = 86_400_000;
const CLOCK_MARGIN_MS = 60_000;

/** What the ids of a form are made of. One that came with none, or with one that we did not just make, gets another. */
export function seedOf(sent: string | undefined): string {
  const at = sent === undefined ? undefined : madeAt(sent);
  const now = Date.now();
  return at !== undefined && at > now - FORM_TTL_MS && at < now + CLOCK_MARGIN_MS ? sent! : newUuid();
}
