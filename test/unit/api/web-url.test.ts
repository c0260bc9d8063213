import { h2hBody } from '../../../src/api/h2h/schema';
import { testBody } from '../../../src/api/notifications/schema';
import { activationBody } from '../../../src/api/onboarding/activation-schema';
import { check, prepare } from '../../../src/api/server/middleware/validation';
import { topupBody } from '../../../src/api/topups/schema';
import type { FieldError } from '../../../src/domain/errors';

const PLACES = [
  [h2hBody, 'notificationUrl'],
  [h2hBody, 'returnUrl'],
  [topupBody, 'notificationUrl'],
  [testBody, 'url'],
  [activationBody, 'callbackUrl'],
] as const;

function refusals(url: string): (string | undefined)[] {
  return PLACES.map(([body, field]) => {
    const details: FieldError[] = [];
    check(prepare({ body } as never).body, { [field]: url }, 'body', details, { params: { id: '1' } });
    return details.find((one) => one.field === field)?.message;
  });
}

test.each([
  'https://shop.example',
  'https://shop.example/hook?a=1#b',
  'http://127.0.0.1:8099/hook',
  'https://Shop.Example:443/hook',
  'https://[2001:db8::1]/hook',
  'https://xn--bcher-kva.example/',
])('%s is taken everywhere', (url) => {
  expect(refusals(url)).toEqual(PLACES.map(() => undefined));
});

test.each([
  'http:127.0.0.1',
  'http:/127.0.0.1',
  'http:///127.0.0.1',
  'http:\\\\127.0.0.1',
  'http://\\127.0.0.1',
  '//shop.example/hook',
  'shop.example/hook',
  'ftp://shop.example/hook',
  'javascript:alert(1)',
  'http://user@shop.example/',
  'http://user:password@shop.example/',
  'http://shop.example@127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://%31%32%37.0.0.1/',
  'http://１２７.0.0.1/',
  'http://127。0。0。1/',
  'https://bücher.example/',
  ' https://shop.example/',
  'https://shop.example/\n',
  'ht\ntps://shop.example/',
  'https://shop.example:99999/',
])('%j is refused everywhere', (url) => {
  for (const refusal of refusals(url)) expect(refusal).toEqual(expect.any(String));
});
