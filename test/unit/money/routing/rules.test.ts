import type { PaymentKind, ProcessorId } from '../../../../src/domain/connector';
import { chooseRoute, type RoutedPayment, type RoutingRule } from '../../../../src/money/routing/rules';

const CARD: RoutedPayment = {
  methodId: 1,
  kind: 'card',
  country: 'JM',
  currency: 'EUR',
  amountMinor: 1_000n,
  risk: 'standard',
};
const KINDS: Partial<Record<ProcessorId, PaymentKind[]>> = {
  a: ['card'],
  b: ['apm'],
  c: ['card'],
  f: ['apm'],
  g: ['card'],
};
const serves = (processor: ProcessorId, kind: PaymentKind) => KINDS[processor]?.includes(kind) ?? false;
const choose = (rules: RoutingRule[], payment: Partial<RoutedPayment> = {}) =>
  chooseRoute({ ...CARD, ...payment }, rules, 'a', serves);
const rule = (conditions: Partial<RoutingRule>): RoutingRule => ({
  name: 'mine',
  processors: ['c', 'a'],
  ...conditions,
});

test('without a rule that fits, the catalogue decides', () => {
  expect(choose([])).toEqual({ processors: ['a'], reason: "the catalogue's choice for method 1" });
  expect(choose([rule({ methods: [2] })]).processors).toEqual(['a']);
});

test.each<[string, Partial<RoutingRule>, Partial<RoutedPayment>]>([
  ['method', { methods: [1, 2] }, { methodId: 3 }],
  ['kind', { kinds: ['card'] }, { kind: 'apm' }],
  ['country', { countries: ['JM', 'BB'] }, { country: 'DE' }],
  ['country, of a payer who states none', { countries: ['JM'] }, { country: undefined }],
  ['currency', { currencies: ['EUR'] }, { currency: 'USD' }],
  ['least amount', { minAmountMinor: 1_000n }, { amountMinor: 999n }],
  ['most amount', { maxAmountMinor: 1_000n }, { amountMinor: 1_001n }],
  ['risk', { risk: ['standard'] }, { risk: 'high' }],
])('a rule decides by %s', (_by, conditions, other) => {
  expect(choose([rule(conditions)])).toEqual({ processors: ['c', 'a'], reason: 'rule "mine"' });
  expect(choose([rule(conditions)], other).reason).not.toBe('rule "mine"');
});

test('every condition has to fit, and the first rule that fits decides', () => {
  const narrow = rule({ name: 'narrow', countries: ['JM'], currencies: ['USD'], processors: ['g'] });
  const wide = rule({ name: 'wide', countries: ['JM'] });
  expect(choose([narrow, wide]).reason).toBe('rule "wide"');
  expect(choose([wide, narrow], { currency: 'USD' }).reason).toBe('rule "wide"');
  expect(choose([narrow, wide], { currency: 'USD' })).toEqual({ processors: ['g'], reason: 'rule "narrow"' });
});

test('processors that do not serve the kind are left out, and a rule that leaves none does not fit', () => {
  expect(choose([rule({ processors: ['b', 'c'] })]).processors).toEqual(['c']);
  expect(choose([rule({ processors: ['b', 'h'] })]).processors).toEqual(['a']);
});

test('alternative methods of Iberia go to processor B, unless the tenant says otherwise', () => {
  const apm = { methodId: 27, kind: 'apm' as const, country: 'PT' };
  expect(choose([], apm)).toEqual({ processors: ['b'], reason: 'rule "local methods of Iberia"' });
  expect(choose([rule({ kinds: ['apm'], processors: ['f'] })], apm).processors).toEqual(['f']);
});
