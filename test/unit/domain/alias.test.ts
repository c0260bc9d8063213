import { type AliasName, hintOf, parseAlias } from '../../../src/domain/alias';

test.each([
  ['ada', 'handle', 'ada'],
  ['@Ada.Lovelace', 'handle', 'ada.lovelace'],
  [' ADA@Example.COM ', 'email', 'ada@example.com'],
  ['+44 7700 900-001', 'phone', '+447700900001'],
  ['0044 (7700) 900.001', 'phone', '+447700900001'],
])('%s is a %s', (text, type, value) => {
  expect(parseAlias(text)).toEqual({ type, value });
});

test.each([
  ['nothing', ''],
  ['two letters', 'ab'],
  ['a number without its country', '07700 900001'],
  ['an identifier of ours', 'cus_01jd0000000000000000000000'],
  ['letters that look like others', 'аda'],
  ['no domain', 'ada@localhost'],
  ['two addresses', 'ada@example.com, eve@example.com'],
  ['too long a handle', 'a'.repeat(31)],
])('%s is no alias', (_what, text) => {
  expect(parseAlias(text)).toBeUndefined();
});

test.each([
  ['@ada', '@ada'],
  ['ada@example.com', 'a…@example.com'],
  ['+447700900001', '+44…0001'],
])('%s is recognized by %s', (alias, hint) => {
  expect(hintOf(parseAlias(alias) as AliasName)).toBe(hint);
});
