import { currencyNumber, currencyOfNumber } from '../../../src/domain/currency-number';
import { CURRENCIES } from '../../../src/domain/money';

describe('ISO 4217 numeric codes', () => {
  it.each(CURRENCIES)('%s has one of its own', (currency) => {
    const number = currencyNumber(currency);
    expect(number).toMatch(/^[0-9]{3}$/);
    expect(currencyOfNumber(number as string)).toBe(currency);
  });

  it('are none of other texts', () => {
    for (const text of ['', '0', '36', '0036', 'EUR', 'constructor', '000'])
      expect(currencyOfNumber(text)).toBeUndefined();
    expect(currencyNumber('constructor')).toBeUndefined();
  });
});
