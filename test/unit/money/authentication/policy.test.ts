import {
  type AuthenticatedPayment,
  type AuthenticationPolicy,
  authenticationBy,
  withoutExemption,
} from '../../../../src/money/authentication/policy';

const ALL = ['low_value', 'merchant_initiated'] as const;
const policy = (more: Partial<AuthenticationPolicy> = {}): AuthenticationPolicy => ({
  require: 'always',
  exemptions: [...ALL],
  ...more,
});
const payment = (more: Partial<AuthenticatedPayment> = {}): AuthenticatedPayment => ({
  asked: 'none',
  amountMinor: 3_000n,
  currency: 'EUR',
  country: 'PT',
  risk: 'standard',
  storesCard: false,
  ...more,
});

test.each([
  ['a low value', {}, { threeDS: 'none', exemption: 'low_value' }],
  ['a cent more', { amountMinor: 3_001n }, { threeDS: 'required' }],
  ['nothing', { amountMinor: 0n }, { threeDS: 'required' }],
  ['another currency', { currency: 'GBP' }, { threeDS: 'required' }],
  ['nobody asks for less', { asked: 'auto' }, { threeDS: 'required' }],
  ['the card is kept', { storesCard: true }, { threeDS: 'required' }],
  ['the first of a series', { series: 'first' }, { threeDS: 'required' }],
  ['a later one', { series: 'later', asked: 'auto' }, { threeDS: 'none', exemption: 'merchant_initiated' }],
] as const)('always, but %s', (_, more, expected) => {
  expect(authenticationBy(policy(), payment(more))).toEqual(expected);
});

test('without the exemption it is required', () => {
  expect(withoutExemption(policy(), payment())).toEqual({ threeDS: 'required' });
  expect(authenticationBy(policy({ exemptions: [] }), payment({ series: 'later' }))).toEqual({ threeDS: 'required' });
});

test.each([
  ['a risk', { risk: ['high'] }, { risk: 'high' }, { risk: 'elevated' }],
  ['a country', { countries: ['BR'] }, { country: 'BR' }, { country: 'PT' }],
  ['no known country', { countries: ['BR'] }, { country: undefined }, { country: 'PT' }],
  ['an amount', { above: [{ currency: 'EUR', amountMinor: 10n }] }, { amountMinor: 11n }, { amountMinor: 10n }],
  [
    'no amount of a currency',
    { above: [{ currency: 'EUR', amountMinor: 10n }] },
    { currency: 'JPY' },
    { amountMinor: 1n },
  ],
] as const)('by %s', (_, conditions, fits, other) => {
  const asking = policy({
    require: 'when',
    exemptions: [],
    ...(conditions as unknown as Partial<AuthenticationPolicy>),
  });
  expect(authenticationBy(asking, payment(fits))).toEqual({ threeDS: 'required' });
  expect(authenticationBy(asking, payment(other))).toEqual({ threeDS: 'auto' });
  expect(authenticationBy(asking, payment({ ...other, asked: 'required' }))).toEqual({ threeDS: 'required' });
});

test('never asks by itself, and asks where the request does', () => {
  const never = policy({ require: 'never' });
  expect(authenticationBy(never, payment({ asked: 'auto' }))).toEqual({ threeDS: 'none' });
  expect(authenticationBy(never, payment({ asked: 'required' }))).toEqual({ threeDS: 'required' });
});
