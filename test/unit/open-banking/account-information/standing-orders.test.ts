import { FREQUENCIES, type Frequency } from '../../../../src/money/p2p/occurrences';
import type { StandingOrderRow } from '../../../../src/money/standing-orders/order';
import { finalOf, frequencyOf } from '../../../../src/open-banking/account-information/standing-orders';

/** As the standard publishes it (Frequency_1). */
const PUBLISHED =
  /^(NotKnown)$|^(EvryDay)$|^(EvryWorkgDay)$|^(IntrvlDay:((0[2-9])|([1-2][0-9])|3[0-1]))$|^(IntrvlWkDay:0[1-9]:0[1-7])$|^(WkInMnthDay:0[1-5]:0[1-7])$|^(IntrvlMnthDay:(0[1-6]|12|24):(-0[1-5]|0[1-9]|[12][0-9]|3[01]))$|^(QtrDay:(ENGLISH|SCOTTISH|RECEIVED))$/;

test.each<[Frequency, string, string]>([
  ['once', '2026-01-05', 'NotKnown'],
  ['daily', '2026-01-05', 'EvryDay'],
  ['weekly', '2026-01-05', 'IntrvlWkDay:01:01'],
  ['weekly', '2026-01-04', 'IntrvlWkDay:01:07'],
  ['fortnightly', '2026-01-09', 'IntrvlWkDay:02:05'],
  ['monthly', '2026-01-05', 'IntrvlMnthDay:01:05'],
  ['monthly', '2026-01-31', 'IntrvlMnthDay:01:-01'],
  ['quarterly', '2026-01-30', 'IntrvlMnthDay:03:30'],
  ['yearly', '2028-02-29', 'IntrvlMnthDay:12:29'],
])('%s from %s is %s', (frequency, day, words) => {
  expect(frequencyOf(frequency, new Date(`${day}T06:00:00Z`))).toBe(words);
});

test('every frequency on every day of a leap year is in the words of the standard', () => {
  for (let day = 0; day < 366; day += 1)
    for (const frequency of FREQUENCIES)
      expect(frequencyOf(frequency, new Date(Date.UTC(2028, 0, 1 + day, 6)))).toMatch(PUBLISHED);
});

test.each<[Frequency, string, string, string]>([
  ['once', '2026-01-31', '2026-12-31', '2026-01-31'],
  ['daily', '2026-01-31', '2026-02-05', '2026-02-05'],
  ['weekly', '2026-01-05', '2026-01-18', '2026-01-12'],
  ['weekly', '2026-01-05', '2026-01-19', '2026-01-19'],
  ['fortnightly', '2026-01-05', '2026-02-01', '2026-01-19'],
  ['monthly', '2026-01-31', '2026-03-01', '2026-02-28'],
  ['monthly', '2026-01-31', '2026-02-27', '2026-01-31'],
  ['quarterly', '2025-11-30', '2026-05-29', '2026-02-28'],
  ['yearly', '2024-02-29', '2027-02-27', '2026-02-28'],
  ['yearly', '2026-01-31', '2026-06-30', '2026-01-31'],
])('%s from %s until %s is paid for the last time on %s', (frequency, from, to, last) => {
  const order = {
    frequency,
    starts_at: new Date(`${from}T06:00:00Z`),
    ends_at: new Date(`${to}T23:59:59Z`),
  } as StandingOrderRow;
  expect(finalOf(order)?.toISOString()).toBe(`${last}T06:00:00.000Z`);
});

test('without an end there is no last payment', () => {
  const order = { frequency: 'daily', starts_at: new Date(0), ends_at: null } as StandingOrderRow;
  expect(finalOf(order)).toBeUndefined();
});
