import { emailOf } from './fill';

/** What the cases know of the data. */
export interface Known {
  /** When the newest payment was made. */
  until: Date;
  tenantId: string;
  payments: number;
  customers: number;
  /** Some payments of the organization, from anywhere. */
  some: { id: string; merchant_transaction_id: string; provider_reference: string; customer_id: string | null }[];
  people: string[];
  topups: string[];
  transfers: string[];
  /** Cursors of the audit log and of the worklist. */
  lines: string[];
  waiting: string[];
}

export type Reader = 'merchant' | 'tenantAdmin' | 'ops';

/** One question that a page of the console asks. */
export interface Case {
  name: string;
  as: Reader;
  path: string;
  /** Another one each time: nothing is measured that was just asked. */
  query?(n: number): Record<string, string>;
  /** Where the list is read from too, beside its beginning. */
  cursors?: string[];
}

const DAY_MS = 86_400_000;
/** Whose lines are three in five: `bench.suffix(0, 0)`. */
const CLIENT = 'cli_0000000000e008000000000000';

export function casesOf(known: Known): Case[] {
  return [
    ...payments(known),
    ...statistics(known),
    ...wallets(known),
    ...customers(known),
    ...audit(known),
    ...work(known),
  ];
}

function payments(known: Known): Case[] {
  const { some, payments: count } = known;
  const one = (n: number) => some[n % some.length]!;
  const day = (n: number, lasting = 1) => part(known.until, 3 + ((n * 7) % 360), lasting);
  const amount = (n: number) => `${1 + ((n * 37) % 480)}.${`${(n * 13) % 100}`.padStart(2, '0')}`;
  const range = (n: number, width: number) => ({
    currency: 'EUR',
    minAmount: `${1 + ((n * 37) % 400)}.00`,
    maxAmount: `${1 + ((n * 37) % 400) + width}.00`,
  });
  const number = (n: number) => `${((n + 1) * 16_661) % count}`.padStart(8, '0');
  const monthOf = (n: number) => one(n).merchant_transaction_id.slice(0, 6);
  const queries: Record<string, (n: number) => Record<string, string>> = {
    'no filter': () => ({}),
    'status that most have': () => ({ status: 'settled' }),
    'status that one in 300 has': () => ({ status: 'charged_back' }),
    'status that only the newest have': () => ({ status: 'captured' }),
    'status that hardly one has': () => ({ status: 'requires_action' }),
    'status that none has': () => ({ status: 'pending' }),
    'four statuses': () => ({ status: 'refunded,partially_refunded,charged_back,pending' }),
    'kind of most': () => ({ kind: 'card' }),
    'kind of few': () => ({ kind: 'bank_transfer' }),
    'currency of most': () => ({ currency: 'EUR' }),
    'currency of one in a hundred': () => ({ currency: 'JPY' }),
    'currency that nothing has': () => ({ currency: 'CHF' }),
    'exact amount': (n) => ({ currency: 'EUR', amount: amount(n) }),
    'exact amount that many have': () => ({ currency: 'EUR', amount: '49.99' }),
    'narrow range of amounts': (n) => range(n, 1),
    'wide range of amounts': (n) => range(n, 90),
    'last four digits': (n) => ({ lastFour: `${(n * 797) % 10_000}`.padStart(4, '0') }),
    'one day': (n) => day(n),
    'a month': (n) => day(n, 30),
    'status, currency': () => ({ status: 'failed', currency: 'GBP' }),
    'rare status, rare currency': () => ({ status: 'charged_back', currency: 'JPY' }),
    'rare status, currency that nothing has': () => ({ status: 'charged_back', currency: 'CHF' }),
    'all statuses but one, rare currency': () => ({
      status: 'captured,settled,failed,cancelled,expired,refunded,partially_refunded,authorized',
      currency: 'JPY',
    }),
    'status, kind': () => ({ status: 'failed', kind: 'direct_debit' }),
    'rare status, kind of few': () => ({ status: 'charged_back', kind: 'bank_transfer' }),
    'status, one day': (n) => ({ status: 'refunded', ...day(n) }),
    'status, a month, currency': (n) => ({ status: 'failed', currency: 'GBP', ...day(n, 30) }),
    'status, wide range of amounts': (n) => ({ status: 'settled', ...range(n, 90) }),
    'rare status, wide range of amounts': (n) => ({ status: 'charged_back', ...range(n, 90) }),
    'rare status, narrow range of amounts': (n) => ({ status: 'charged_back', ...range(n, 1) }),
    'kind, currency, amount or more': () => ({ kind: 'card', currency: 'USD', minAmount: '480.00' }),
    'four statuses, wide range of amounts': (n) => ({
      status: 'refunded,partially_refunded,charged_back,pending',
      ...range(n, 90),
    }),
    'kind of most, wide range of amounts': (n) => ({ kind: 'card', ...range(n, 90) }),
    'kind of few, wide range of amounts': (n) => ({ kind: 'bank_transfer', ...range(n, 90) }),
    'four statuses, last four digits': (n) => ({
      status: 'refunded,partially_refunded,charged_back,pending',
      lastFour: `${(n * 797) % 10_000}`.padStart(4, '0'),
    }),
    'amount or more that few have': () => ({ currency: 'GBP', minAmount: '500.50' }),
    'one day, amount or more': (n) => ({ currency: 'EUR', minAmount: '495.00', ...day(n) }),
    'last four digits, a month': (n) => ({ lastFour: `${(n * 797) % 10_000}`.padStart(4, '0'), ...day(n, 30) }),
    'one customer': (n) => ({ customerId: one(n).customer_id ?? known.people[n % known.people.length]! }),
    'search: id': (n) => ({ search: one(n).id }),
    'search: transaction id': (n) => ({ search: one(n).merchant_transaction_id }),
    'search: beginning that ten have': (n) => ({ search: one(n).merchant_transaction_id.slice(0, -1) }),
    'search: beginning that thousands have': (n) => ({ search: `${monthOf(n)}-00${number(n).slice(2, 4)}` }),
    'search: beginning that a month has': (n) => ({ search: monthOf(n) }),
    'search: processor’s reference': (n) => ({ search: one(n).provider_reference }),
    'search: case of a dispute': (n) => ({ search: `case_${n * 997}` }),
    'search: nothing fits': (n) => ({ search: `nothing ${n}` }),
    'search, status': (n) => ({ search: monthOf(n), status: 'charged_back' }),
  };
  return list(
    'payments',
    'merchant',
    '/ipg/1.0.0/payment/payments',
    queries,
    some.map(({ id }) => id),
  );
}

function statistics({ until }: Known): Case[] {
  const query = (from: Date, to: Date) => ({
    from: from.toISOString(),
    to: to.toISOString(),
    interval: 'day',
    timeZone: 'Europe/Lisbon',
  });
  const ago = (days: number) => new Date(until.getTime() - days * DAY_MS);
  const of = (name: string, from: number, lasting: number): Case => ({
    name: `statistics: ${name}`,
    as: 'merchant',
    path: '/ipg/1.0.0/payment/statistics',
    query: (n) => {
      // A part of time that moves by a minute: the same rows, but not the same question.
      const shift = n * 60_000;
      return query(new Date(ago(from).getTime() - shift), new Date(ago(from - lasting).getTime() - shift));
    },
  });
  return [
    of('today', 1, 1),
    of('the same day last week', 8, 1),
    of('14 days', 14, 14),
    of('30 days', 30, 30),
    of('92 days', 92, 92),
  ];
}

function wallets({ topups, transfers, people }: Known): Case[] {
  const person = (n: number) => ({ customerId: people[n % people.length]! });
  return [
    ...list(
      'top-ups',
      'tenantAdmin',
      '/wallet/1.0.0/topups',
      {
        'no filter': () => ({}),
        'status that most have': () => ({ status: 'settled' }),
        'status that one in 200 has': () => ({ status: 'refunded' }),
        'status that none has': () => ({ status: 'charged_back' }),
        'one customer': person,
        'currency of few': () => ({ currency: 'USD' }),
        'currency that nothing has': () => ({ currency: 'CHF' }),
        'link that none has': () => ({ linkId: 'lnk_01k00000000000000000000000' }),
      },
      topups,
    ),
    ...list(
      'transfers',
      'tenantAdmin',
      '/p2p/1.0.0/transfers',
      {
        'no filter': () => ({}),
        'status that most have': () => ({ status: 'settled' }),
        'status that one in 500 has': () => ({ status: 'reversed' }),
        'status that none has': () => ({ status: 'held' }),
        'one customer': person,
        'one customer received': (n) => ({ ...person(n), direction: 'received' }),
        'currency of few': () => ({ currency: 'USD' }),
        'currency that nothing has': () => ({ currency: 'CHF' }),
        'schedule that none has': () => ({ scheduleId: 'tsc_01k00000000000000000000000' }),
      },
      transfers,
    ),
  ];
}

function customers({ tenantId, people, customers: count }: Known): Case[] {
  return list(
    'customers',
    'tenantAdmin',
    `/customer/1.0.0/listByTenant/${tenantId}`,
    {
      'no filter': () => ({}),
      'status that most have': () => ({ status: 'verified' }),
      'status that one in 1,000 has': () => ({ status: 'on_hold' }),
      'status that one in 10,000 has': () => ({ status: 'blacklisted' }),
      'status that none has': () => ({ status: 'bancrupted' }),
      'type of few': () => ({ customerType: 'Organization' }),
      'type of few, status of few': () => ({ customerType: 'Organization', status: 'on_hold' }),
      'search: id': (n) => ({ search: people[n % people.length]! }),
      'search: e-mail address': (n) => ({ search: emailOf((n * 997) % count) }),
      'search: nothing fits': (n) => ({ search: `nobody-${n}@example.com` }),
    },
    people,
  );
}

function audit({ until, people, lines }: Known): Case[] {
  const queries: Record<string, (n: number) => Record<string, string>> = {
    'no filter': () => ({}),
    'action of most': () => ({ action: 'customer.read' }),
    'action of few': () => ({ action: 'user.disable' }),
    'action that none is': () => ({ action: 'dispute.accept' }),
    'actor of most': () => ({ actor: CLIENT }),
    'actor who did little': (n) => ({ actor: `usr_0000000000e008${(n % 40).toString(16).padStart(12, '0')}` }),
    'actor who did nothing': () => ({ actor: 'usr_01k00000000000000000000000' }),
    target: (n) => ({ target: people[n % people.length]! }),
    'actor of most, action of few': () => ({ actor: CLIENT, action: 'user.disable' }),
    'actor of most, action that none is': () => ({ actor: CLIENT, action: 'dispute.accept' }),
    'one day': (n) => part(until, 3 + ((n * 7) % 360), 1),
    'one day, action of few': (n) => ({ ...part(until, 3 + ((n * 7) % 360), 1), action: 'user.invite' }),
  };
  return [
    ...list('audit log', 'tenantAdmin', '/identity/1.0.0/audit', queries, lines),
    ...list('audit log of all tenants', 'ops', '/identity/1.0.0/audit', queries, lines),
  ];
}

function work({ waiting, tenantId }: Known): Case[] {
  return list(
    'worklist',
    'ops',
    '/ops/1.0.0/worklist',
    {
      'no filter': () => ({}),
      payments: () => ({ kind: 'payment' }),
      interventions: () => ({ kind: 'intervention' }),
      differences: () => ({ kind: 'difference' }),
      'kind of which nothing waits': () => ({ kind: 'payout' }),
      'one tenant': () => ({ tenantId }),
    },
    waiting,
  );
}

function list(
  of: string,
  as: Reader,
  path: string,
  queries: Record<string, (n: number) => Record<string, string>>,
  cursors: string[],
): Case[] {
  return Object.entries(queries).map(([name, query]) => ({ name: `${of}: ${name}`, as, path, query, cursors }));
}

function part(until: Date, ago: number, lasting: number): { from: string; to: string } {
  const from = until.getTime() - ago * DAY_MS;
  return { from: new Date(from).toISOString(), to: new Date(from + lasting * DAY_MS).toISOString() };
}
