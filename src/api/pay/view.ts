import type { Bill } from '../../commerce/payment-links/bill';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import { canHaveReceipt } from '../../commerce/payment-links/receipts';
import type { PaymentStatus } from '../../domain/states/payment';
import type { PaymentRow } from '../../money/payments/payment';
import type { SavedCardRow } from '../../money/payments/saved-card';
import type { Method } from '../../money/routing/catalogue';
import type { FieldView, FormPage } from '../records/form-page';
import { ASSETS, fieldsOf, ownField, type Problems, REDIRECT, seedOf, type Typed, UPI_COLLECT, type Way } from './form';
import type { Reader } from './reader';
import type { FieldName, StateName, Way as WayName } from './words';

/** What the page shows, as data for its template; all of it is text that the template escapes. */
export interface View extends FormPage {
  bill?: { lines: { name: string; value: string; picture?: string }[]; total?: string };
  picture?: { src: string; text: string };
  goOn?: { url: string; method: string; fields: [string, string][]; button: string };
  conversation?: { who: string; when: string; said: string }[];
  /** A button of its own, that takes something away. */
  remove?: { action: string; button: string };
  /** Payments of before. */
  past?: { title: string; facts: { name: string; value: string }[]; href?: string }[];
  /** Where a script asks whether there is news. */
  live?: { url: string; state: string };
}

/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill */
const AUTOCOMPLETE: Partial<Record<FieldName, string>> = {
  number: 'cc-number',
  expiry: 'cc-exp',
  cvv: 'cc-csc',
  holder: 'cc-name',
  email: 'email',
  name: 'name',
  country: 'country',
};
const MODE: Partial<Record<FieldName, string>> = { number: 'numeric', cvv: 'numeric', amount: 'decimal' };

/** A script fills them in where there is one. */
const OF_BROWSER = ['colorDepth', 'screenWidth', 'screenHeight', 'timeZoneOffset'];

interface FormContext {
  link: PaymentLinkRow;
  bill: Bill;
  methods: Method[];
  /** The cards that the customer who has signed in may pay with. */
  cards: SavedCardRow[];
  way: Way;
  /** Whose wallet a top-up is for. */
  walletOwner?: string;
  /** Whether the card can be saved: its customer has signed in. */
  maySave: boolean;
  typed: Typed;
  problems: Problems;
  /** What is wrong with the whole of it. */
  alert?: string;
  /** The address of the page. */
  base: string;
}

/** The order, and the form of one way to pay. */
export function formView(reader: Reader, context: FormContext): View {
  const { link, bill, methods, cards, way, typed, base } = context;
  const { words } = reader;
  const order = seedOf(typed.order);
  const amount = bill.totalMinor === undefined ? '' : reader.amount(bill.totalMinor, link.currency);
  const isWrong = Object.keys(context.problems).length > 0;
  return {
    title: link.title,
    text: link.description ?? undefined,
    alert: context.alert ?? (isWrong ? words.wrong : undefined),
    bill: bill.lines.length > 0 ? billView(reader, context) : undefined,
    facts: context.walletOwner ? [{ name: words.walletOf, value: context.walletOwner }] : undefined,
    form: {
      action: base,
      button: words.pay(amount).trim(),
      note: way.saved ? words.confirmsNext : words.paysNow,
      hidden: [
        ['attempt', seedOf(typed.attempt)],
        ['order', order],
        ['method', `${way.method.id}`],
        ...(way.saved ? [['card', way.saved.id] satisfies [string, string]] : []),
        ...OF_BROWSER.map((name): [string, string] => [name, '']),
      ],
      ways:
        methods.length + cards.length < 2
          ? []
          : [
              ...cards.map((card) => ({
                href: `${base}?card=${card.id}&order=${order}&lang=${words.language}`,
                name: cardName(card),
                current: card.id === way.saved?.id,
              })),
              ...methods.map((one) => ({
                href: `${base}?method=${one.id}&order=${order}&lang=${words.language}`,
                name: one.kind === 'card' && cards.length > 0 ? words.anotherCard : words.ways[wayOf(one)],
                current: !way.saved && one.id === way.method.id,
              })),
            ],
      fields: fieldViews(reader, context),
    },
    remove: way.saved && {
      action: `${base}/cards/${way.saved.id}/remove?lang=${words.language}`,
      button: words.removeCard(cardName(way.saved)),
    },
    links: [helpLink(reader, base)],
  };
}

/** To the form for a question. */
export const helpLink = ({ words }: Reader, base: string) => ({
  href: `${base}/tickets?lang=${words.language}`,
  text: words.help,
});

/** `VISA … 1111`. */
export const cardName = ({ brand, last4 }: Pick<SavedCardRow, 'brand' | 'last4'>) => `${brand} … ${last4}`;

function wayOf({ id, kind }: Method): WayName {
  if (kind === 'upi') return id === UPI_COLLECT ? 'upi_collect' : 'upi_qr';
  if (kind === 'apm') return id === REDIRECT ? 'redirect' : 'voucher';
  if (kind === 'wallet') throw new Error('a wallet token does not come from a page');
  return kind;
}

function fieldViews(reader: Reader, { link, way, typed, problems, maySave }: FormContext): FieldView[] {
  const { words } = reader;
  const view = (name: string, label: string, hint: string | undefined, isRequired: boolean): FieldView => {
    const problem = problems[name] && words.problems[problems[name]];
    const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ');
    return {
      name,
      label,
      hint,
      problem,
      required: isRequired,
      type: name === 'email' ? 'email' : 'text',
      // A security code is typed anew each time.
      value: name === 'cvv' ? '' : (typed[name] ?? ''),
      describedBy: described || undefined,
    };
  };
  const known = fieldsOf(way, link).map((name) => ({
    ...view(name, words.fields[name], name === 'amount' ? spanOf(reader, link) : words.hints[name], true),
    mode: MODE[name],
    autocomplete: AUTOCOMPLETE[name],
    options: name === 'asset' ? ASSETS : undefined,
  }));
  const own = link.custom_fields.map((field) => view(ownField(field), field.label, undefined, field.required));
  const save: FieldView[] =
    maySave && way.method.kind === 'card' && !way.saved
      ? [
          {
            ...view('storeCard', words.storeCard, words.storeCardHint, false),
            type: 'checkbox',
            value: 'yes',
            isTicked: typed.storeCard === 'yes',
          },
        ]
      : [];
  return [...known, ...own, ...save];
}

function spanOf(reader: Reader, { amount_min_minor, amount_max_minor, currency }: PaymentLinkRow): string {
  const [min, max] = [amount_min_minor!, amount_max_minor!].map((minor) => reader.amount(minor, currency));
  return reader.words.amountBetween(min!, max!);
}

function billView(reader: Reader, { link: { currency }, bill, base }: FormContext): View['bill'] {
  const { lines, totalMinor } = bill;
  return {
    lines: lines.map(({ description, unit_minor, quantity, imageId }) => ({
      name: quantity === 1 ? description : `${quantity} × ${description}`,
      value: reader.amount(unit_minor * BigInt(quantity), currency),
      picture: imageId && `${base}/images/${imageId}`,
    })),
    total: totalMinor === undefined ? undefined : reader.amount(totalMinor, currency),
  };
}

/** What a buyer reads of a payment's status. */
export const STATE: Record<PaymentStatus, StateName> = {
  initiated: 'waiting',
  pending: 'waiting',
  requires_action: 'asked',
  authorized: 'waiting',
  captured: 'paid',
  settled: 'paid',
  partially_refunded: 'paid',
  refunded: 'refunded',
  charged_back: 'charged_back',
  failed: 'declined',
  cancelled: 'cancelled',
  expired: 'expired',
};
const LIVE: StateName[] = ['waiting', 'asked'];
const FAILED: StateName[] = ['declined', 'expired', 'cancelled'];

/** What a script compares: it changes when there is something else to show. */
export function stateOf({ status, updated_at }: PaymentRow): string {
  return `${status} ${updated_at.toISOString()}`;
}

/** One payment: what the buyer has to do, or what became of it. `mayTryAgain`: the link takes another payment. `isSent`: the
 * receipt has just been sent. */
export function paymentView(
  reader: Reader,
  payment: PaymentRow,
  { base, mayTryAgain, isSent }: { base: string; mayTryAgain: boolean; isSent: boolean },
): View {
  const { words } = reader;
  const state = STATE[payment.status];
  const self = `${base}/${payment.id}`;
  const amount = reader.amount(payment.captured_minor || payment.amount_minor, payment.currency);
  const facts = [
    { name: words.amount, value: amount },
    { name: words.paymentNumber, value: payment.id },
    ...(state === 'paid' ? [{ name: words.paidOn, value: reader.time(payment.updated_at) }] : []),
  ];
  return {
    ...words.states[state],
    ...(isSent ? { text: words.receiptSent } : {}),
    facts,
    ...(state === 'asked' ? askedView(reader, payment) : {}),
    links: [
      ...(LIVE.includes(state) ? [{ href: `${self}?lang=${words.language}`, text: words.reload }] : []),
      ...(FAILED.includes(state) && mayTryAgain
        ? [{ href: `${base}?lang=${words.language}`, text: words.tryAgain }]
        : []),
      helpLink(reader, base),
    ],
    form:
      canHaveReceipt(payment) && !isSent
        ? {
            action: `${self}/receipt?lang=${words.language}`,
            button: words.mailReceipt,
            hidden: [],
            ways: [],
            fields: [],
          }
        : undefined,
    live: LIVE.includes(state) ? { url: `${self}/state`, state: stateOf(payment) } : undefined,
  };
}

/** Shown as pictures, or said elsewhere on the page. */
const NOT_FACTS = new Set(['png', 'svg', 'pageUrl', 'amount', 'currency', 'seller', 'printedReference']);

function askedView(reader: Reader, { action, amount_minor, currency }: PaymentRow): Partial<View> {
  if (!action) return {};
  const { words } = reader;
  const { type, url, method = 'GET', fields = {}, expiresAt } = action;
  const text = words.until(reader.time(expiresAt));
  if (type === 'redirect')
    return {
      text: `${words.states.asked.text} ${text}`,
      goOn: url ? { url, method: method.toLowerCase(), fields: Object.entries(fields), button: words.goOn } : undefined,
    };
  const facts = [
    { name: words.amount, value: reader.amount(amount_minor, currency) },
    ...Object.entries(fields)
      .filter(([name]) => !NOT_FACTS.has(name))
      .map(([name, value]) => ({ name: words.details[name] ?? name, value, copy: true })),
  ];
  const picture = fields.png ? { src: fields.png, text: words.scan } : undefined;
  const page =
    url && type === 'instructions' ? { goOn: { url, method: 'get', fields: [], button: words.openPage } } : {};
  return { text, facts, picture, ...page };
}
