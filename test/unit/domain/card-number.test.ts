import { hasCardNumber } from '../../../src/domain/card-number.js';

test.each([
  ['Visa', '4111111111111111'],
  ['in groups', 'my card is 4111 1111 1111 1111, thanks'],
  ['with dashes', '5555-5555-5555-4444'],
  ['American Express, 15 digits', '378282246310005'],
  ['Diners, 14 digits', '30569309025904'],
  ['Mastercard of the second range', '2223003122003222'],
  ['Maestro', '6759649826438453'],
  ['UnionPay', '6212345678901232'],
  ['with its expiry beside it', '4111 1111 1111 1111 12 30'],
  ['after another number', 'No 7 4111 1111 1111 1111'],
  ['between letters', 'pan4111111111111111.'],
])('%s is a card number', (_, text) => {
  expect(hasCardNumber(text)).toBe(true);
});

test.each([
  ['a wrong check digit', '4111111111111112'],
  ['a length that the scheme does not have', '41111111111111'],
  ['an order number with a right check digit', '9000000000000001'],
  ['one that begins as no Maestro card does', '6900000000000005'],
  ['a part of a longer number', '14111111111111111112222'],
  ['an article number (EAN-13)', '4006381333931'],
  ['an IBAN', 'PT50000201231234567890154'],
  ['an IBAN in groups', 'DE89 3704 0044 0532 0130 00'],
  ['a telephone number', '+351 912 345 678'],
  ['a time', '2026-11-22T12:34:56.789Z'],
  ['an id', 'pay_01jcxk3v8pe4xaz1w5kq9d2b7m'],
  ['nothing', ''],
])('%s is none', (_, text) => {
  expect(hasCardNumber(text)).toBe(false);
});
