import { CURRENCIES, exponentOf, formatAmount, parseAmount } from '../../../src/domain/money';

describe('parseAmount', () => {
  test.each([
    ['10.00', 'EUR', 1000n],
    ['0.01', 'EUR', 1n],
    ['1000', 'JPY', 1000n],
    ['1.234', 'KWD', 1234n],
    ['0', 'JPY', 0n],
    ['1.00', 'HUF', 100n],
    ['1.00', 'MGA', 100n],
    ['92233720368547758.07', 'EUR', 9_223_372_036_854_775_807n],
  ])('%s %s is %s minor units', (text, currency, minor) => {
    expect(parseAmount(text, currency)).toBe(minor);
    expect(formatAmount(minor, currency)).toBe(text);
  });

  test.each([
    ['10', 'EUR'],
    ['10.0', 'EUR'],
    ['10.000', 'EUR'],
    ['1000.00', 'JPY'],
    ['1.23', 'KWD'],
    ['-1.00', 'EUR'],
    ['+1.00', 'EUR'],
    ['1e3', 'JPY'],
    ['01.00', 'EUR'],
    ['.50', 'EUR'],
    ['1,00', 'EUR'],
    [' 1.00', 'EUR'],
    ['١.٠٠', 'EUR'],
    ['', 'EUR'],
    ['92233720368547758.08', 'EUR'],
  ])('refuses %p %s', (text, currency) => {
    expect(() => parseAmount(text, currency)).toThrow(RangeError);
  });

  test('knows nothing about an unknown currency', () => {
    expect(() => parseAmount('1.00', 'XXZ')).toThrow(RangeError);
  });
});

test('every currency formats what it parses', () => {
  for (const currency of CURRENCIES) {
    const minor = 123_456n;
    expect(parseAmount(formatAmount(minor, currency), currency)).toBe(minor);
    expect(exponentOf(currency)).toBeGreaterThanOrEqual(0);
  }
  expect(CURRENCIES.length).toBeGreaterThan(150);
});

test('a negative balance keeps its decimals', () => {
  expect(formatAmount(-5n, 'EUR')).toBe('-0.05');
});
