import { bodyOf } from '../../../../src/api/account-information/body';
import { bookingTime, transactionsQuery } from '../../../../src/api/account-information/schema';

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
  ['2026-01-31T12:30:05Z', '2026-01-31T12:30:05.000Z'],
  ['2026-01-31T12:30:05.123456', '2026-01-31T12:30:05.123Z'],
  ['2026-01-31T12:30:05+05:00', '2026-01-31T12:30:05.000Z'],
  ['2024-02-29T00:00:00-11:30', '2024-02-29T00:00:00.000Z'],
])('%s is a booking time, whatever its time zone', (text, utc) => {
  expect(bookingTime(text)?.toISOString()).toBe(utc);
  expect(transactionsQuery.validate({ fromBookingDateTime: text }).error).toBeUndefined();
});

test.each([
  '',
  'today',
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-01-31T24:30:00',
  '2026-01-31 12:00',
  '1769860800',
])('%j is none', (text) => {
  expect(transactionsQuery.validate({ toBookingDateTime: text }).error).toBeDefined();
});

test('pages hold 25 to 1,000, and 100 where nothing is said', () => {
  const limit = (sent: object) => transactionsQuery.validate(sent);
  expect(limit({}).value).toEqual({ limit: 100 });
  expect([25, 1_000].map((size) => limit({ limit: size }).error)).toEqual([undefined, undefined]);
  for (const size of [0, 24, 1_001, 25.5, -1]) expect(limit({ limit: size }).error).toBeDefined();
});

const asked = {
  base: 'https://127.0.0.1:8443',
  path: '/open-banking/2.0.0/accounts/1/transactions',
  filters: { limit: 25, fromBookingDateTime: '2026-01-31T00:00:00+01:00', toBookingDateTime: undefined },
};
const filtered = 'limit=25&fromBookingDateTime=2026-01-31T00%3A00%3A00%2B01%3A00';

test('links keep the filters, and lead to the pages that there are', () => {
  const pages = { first: 'f', prev: 'p', next: 'n' };
  const { Links, Meta } = bodyOf({ ...asked, cursor: 'c' }, {}, pages);
  const page = (cursor: string) => `https://127.0.0.1:8443${asked.path}?${filtered}&cursor=${cursor}`;
  expect(Links).toEqual({ Self: page('c'), First: page('f'), Prev: page('p'), Next: page('n') });
  expect(Meta).toEqual({});
});

test('the only page says so, and has no links beside its own', () => {
  const available = { from: new Date(0), to: null };
  const { Links, Meta } = bodyOf(asked, {}, { first: 'f' }, available);
  expect(Links).toEqual({ Self: `https://127.0.0.1:8443${asked.path}?${filtered}` });
  expect(Meta).toEqual({ TotalPages: 1, FirstAvailableDateTime: '1970-01-01T00:00:00.000Z' });
});
