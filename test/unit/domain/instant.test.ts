import { toUtc } from '../../../src/domain/instant';
import { expiryOf } from '../../../src/people/kyc/policy';

test.each([
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T23:59:00+23:59', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T00:00:00-23:59', '9999-12-31T23:59:00.000Z'],
  ['0000-12-31T23:59:59Z', undefined],
  ['0001-01-01T00:00:00+00:01', undefined],
  ['9999-12-31T23:59:59-00:01', undefined],
  ['9999-12-31T23:59:59-23:59', undefined],
  ['10000-01-01T00:00:00Z', undefined],
  ['+010000-01-01T00:00:00Z', undefined],
  ['-0001-01-01T00:00:00Z', undefined],
])('%s is %s', (text, utc) => {
  expect(toUtc(text)).toBe(utc);
});

test('a document that is good until the last day there is has an expiry that can be written', () => {
  expect(expiryOf('9999-12-31')?.toISOString()).toBe('9999-12-31T23:59:59.999Z');
  expect(expiryOf('2030-01-31')?.toISOString()).toBe('2030-02-01T00:00:00.000Z');
  expect(expiryOf('0000-01-31')).toBeUndefined();
});
