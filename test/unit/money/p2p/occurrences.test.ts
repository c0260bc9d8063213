import type { Frequency } from '../../../../src/money/p2p/occurrences';
import { days, from } from './recurrences';

test.each<[Frequency, string, string[]]>([
  ['once', '2031-01-31', ['2031-01-31']],
  ['daily', '2031-02-27', ['2031-02-27', '2031-02-28', '2031-03-01']],
  ['weekly', '2031-12-24', ['2031-12-24', '2031-12-31', '2032-01-07']],
  ['fortnightly', '2031-12-24', ['2031-12-24', '2032-01-07', '2032-01-21']],
  ['monthly', '2031-12-31', ['2031-12-31', '2032-01-31', '2032-02-29', '2032-03-31', '2032-04-30']],
  ['quarterly', '2031-11-30', ['2031-11-30', '2032-02-29', '2032-05-30', '2032-08-30', '2032-11-30', '2033-02-28']],
  ['yearly', '2032-02-29', ['2032-02-29', '2033-02-28', '2034-02-28', '2035-02-28', '2036-02-29']],
])('%s from %s', (frequency, start, expected) => {
  expect(days(from(start, frequency), expected.length)).toEqual(expected);
});

test('the end is the last moment at which one may come', () => {
  expect(days(from('2031-01-01', 'daily', '2031-01-02T10:30:15Z'), 9)).toEqual(['2031-01-01', '2031-01-02']);
  expect(days(from('2031-01-01', 'daily', '2031-01-02T10:30:14Z'), 9)).toEqual(['2031-01-01']);
});
