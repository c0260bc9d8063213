import { localAmount, localTime } from '../../domain/localized';
import { isOverConsent } from '../../domain/states/consent';
import type { AccessRow } from '../../open-banking/consents/accesses';
import type { ConsentRow } from '../../open-banking/consents/consent';
import type { ConsentGlance } from '../../open-banking/consents/overview';
import type { WholeConsent } from '../../open-banking/consents/service';
import { actOf } from '../../open-banking/payments/initiation';
import { type BankPayment, scheduledStatusOf, statusOf } from '../../open-banking/payments/payment';
import type { Fact, Group, View } from './frame';
import type { OwnWords, ShownStatus } from './own-words';
import { sightsOf } from './sights';
import type { ConsentWords } from './words';

/** Who reads the pages, and where they stand. */
export interface Reading {
  words: ConsentWords;
  own: OwnWords;
  /** The address of the list. */
  base: string;
}

/** One row more than `limit` says that there are more. */
interface Lists {
  open: ConsentGlance[];
  over: ConsentGlance[];
  limit: number;
}

type AuthenticateBy = (consent: ConsentRow) => Date | undefined;

/** What a customer has allowed: what holds now, and below it what has ended. */
export function listView(reading: Reading, { open, over, limit }: Lists, authenticateBy: AuthenticateBy): View {
  const { own, words } = reading;
  const group = (id: string, title: string, none: string, rows: ConsentGlance[], cursor: string): Group => ({
    id,
    title,
    none,
    entries: rows.slice(0, limit).map((row) => ({
      title: row.tpp_name,
      href: at(reading, `/${row.id}`),
      facts: glanceFacts(reading, row, authenticateBy(row)),
    })),
    more: moreOf(reading, '', cursor, rows, limit),
  });
  return {
    title: words.allowed,
    text: own.intro,
    groups: [
      group('open', own.open, own.noneOpen, open, 'after'),
      group('over', own.over, own.noneOver, over, 'endedAfter'),
    ],
  };
}

interface Whole extends WholeConsent {
  accesses: (AccessRow & { iban: string | null })[];
  payment?: BankPayment;
  authenticateBy?: Date;
  limit: number;
}

/** One consent: what it allows, to whom, until when, and what was done with it. */
export function oneView(reading: Reading, whole: Whole): View {
  const { own, words } = reading;
  const { consent, tppName, accounts } = whole;
  const isOver = isOverConsent(consent.status);
  const back = { href: at(reading, ''), text: own.back };
  return {
    title: tppName,
    text: own.kinds[consent.kind],
    permissionsTitle: isOver ? own.saw : own.sees,
    permissions: sightsOf(consent, words),
    facts: wholeFacts(reading, whole),
    groups: [
      {
        id: 'accounts',
        title: own.accounts,
        none: own.noAccounts,
        entries: accounts.map(({ iban, currency }) => ({
          title: spaced(iban),
          facts: [{ name: own.currency, value: currency }],
        })),
      },
      ...(consent.kind === 'payment' ? [paymentGroup(reading, whole)] : []),
      readingsGroup(reading, whole),
    ],
    act: isOver ? undefined : { href: at(reading, `/${consent.id}/end`), text: own.end },
    links: [back],
  };
}

function glanceFacts(reading: Reading, row: ConsentGlance, authenticateBy: Date | undefined): Fact[] {
  const { own } = reading;
  const used = row.last_read_at ? time(reading, row.last_read_at) : own.never;
  return [
    { name: own.what, value: own.kinds[row.kind] },
    ...payeeFacts(reading, row),
    ...datesOf(reading, row, authenticateBy),
    { name: own.lastReading, value: used },
  ];
}

function wholeFacts(reading: Reading, { consent, authenticateBy }: Whole): Fact[] {
  const { own, words } = reading;
  const { sharing_from: from, sharing_to: to, status } = consent;
  const period = from && to && { name: words.sharedFrom, value: `${time(reading, from)} – ${time(reading, to)}` };
  return [
    ...payeeFacts(reading, consent),
    ...datesOf(reading, consent, authenticateBy),
    ...(period ? [period] : []),
    ...(status === 'Authorised' && authenticateBy ? [fact(reading, own.confirmBy, authenticateBy)] : []),
  ];
}

function datesOf(reading: Reading, consent: ConsentRow, authenticateBy: Date | undefined): Fact[] {
  const { own, words } = reading;
  const { kind, status, created_at, authorised_at, expires_at, updated_at } = consent;
  const until = expires_at ? time(reading, expires_at) : words.untilRevoked;
  return [
    { name: own.status, value: own.statuses[shownStatus(consent, authenticateBy, new Date())] },
    authorised_at ? fact(reading, own.since, authorised_at) : fact(reading, own.askedOn, created_at),
    ...(isOverConsent(status) ? [fact(reading, own.endedOn, updated_at)] : []),
    // A consent to pay ends with its payment.
    ...(!isOverConsent(status) && (expires_at || kind !== 'payment') ? [{ name: words.until, value: until }] : []),
  ];
}

/** As it stands at `now`: the flow, which writes it down, may be a moment late. */
function shownStatus({ status, expires_at }: ConsentRow, authenticateBy: Date | undefined, now: Date): ShownStatus {
  if (!isOverConsent(status) && expires_at && expires_at <= now) return 'Expired';
  return status === 'Authorised' && authenticateBy && authenticateBy <= now ? 'Paused' : status;
}

function payeeFacts({ words }: Reading, consent: ConsentRow): Fact[] {
  if (consent.kind !== 'payment') return [];
  const { amountMinor, currency, payee } = actOf(consent, consent.customer_id ?? '');
  return [
    { name: words.amount, value: localAmount(words.locale, amountMinor, currency) },
    { name: words.payee, value: `${payee.name} (${payee.id})` },
  ];
}

function paymentGroup(reading: Reading, { payment }: Whole): Group {
  const { own, words } = reading;
  const entries = payment
    ? [
        {
          title: localAmount(words.locale, payment.amount_minor, payment.currency),
          facts: [
            {
              name: own.status,
              value: own.payments[payment.kind === 'scheduled' ? scheduledStatusOf(payment) : statusOf(payment)],
            },
            fact(reading, own.madeOn, payment.created_at),
            { name: own.number, value: payment.transfer_id ?? payment.id },
          ],
        },
      ]
    : [];
  return { id: 'payment', title: own.payment, none: own.noPayment, entries };
}

function readingsGroup(reading: Reading, { consent, tppName, accesses, limit }: Whole): Group {
  const { own } = reading;
  return {
    id: 'readings',
    title: own.readings,
    none: own.noReadings,
    entries: accesses.slice(0, limit).map(({ resource, at: when, iban, is_customer_present, refusal }) => ({
      title: own.resources[resource] ?? resource,
      facts: [
        { name: own.who, value: tppName },
        fact(reading, own.when, when),
        ...(iban ? [{ name: own.account, value: spaced(iban) }] : []),
        { name: own.presence, value: is_customer_present ? own.present : own.absent },
        { name: own.outcome, value: refusal ? own.refused : own.answered },
      ],
    })),
    more: moreOf(reading, `/${consent.id}`, 'after', accesses, limit),
  };
}

function moreOf(reading: Reading, path: string, cursor: string, rows: { id: string }[], limit: number) {
  if (rows.length <= limit) return undefined;
  return { href: `${at(reading, path)}&${cursor}=${rows[limit - 1]!.id}`, text: reading.own.older };
}

const at = ({ base, words }: Reading, path: string) => `${base}${path}?lang=${words.language}`;

const time = ({ words }: Reading, value: Date) => localTime(words.locale, value);

const fact = (reading: Reading, name: string, value: Date): Fact => ({ name, value: time(reading, value) });

const spaced = (iban: string) => iban.replace(/(.{4})(?=.)/g, '$1 ');
