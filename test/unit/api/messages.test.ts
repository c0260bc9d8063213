import type { Description, Schema } from 'joi';
import { h2hBody } from '../../../src/api/h2h/schema';
import { type ApiDependencies, apiRoutes } from '../../../src/api/routes';
import { TOLD } from '../../../src/api/server/conventions';
import { check, checkQuery, prepare } from '../../../src/api/server/middleware/validation';
import type { FieldError } from '../../../src/domain/errors';

const routes = apiRoutes({} as ApiDependencies);
const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const PAYMENT = { merchantTransactionId: 't-1', amount: '10.00', currency: 'EUR', card: CARD };

function refusals(schema: Schema, body: object, id = '1'): Record<string, string> {
  const details: FieldError[] = [];
  check(prepare({ body: schema } as never).body, body, 'body', details, { params: { id } });
  return Object.fromEntries(details.map(({ field, message }) => [field, message]));
}

test.each<[object, Record<string, string>]>([
  [{ currency: 'eur' }, { currency: 'must be in capital letters: use EUR' }],
  [{ currency: ' Eur ' }, { currency: 'must be in capital letters: use EUR' }],
  [{ currency: 'EURO' }, { currency: 'must be an ISO 4217 currency code of three capital letters, such as EUR' }],
  [{ currency: 978 }, { currency: 'must be an ISO 4217 currency code of three capital letters, such as EUR' }],
  [{ amount: '10,00' }, { amount: expect.stringContaining('such as "10.00"') }],
  [{ amount: 10 }, { amount: expect.stringContaining('such as "10.00"') }],
  [{ amount: '10.0' }, { amount: expect.stringContaining('exactly 2 decimals for EUR, such as "10.00"') }],
  [
    { card: { ...CARD, number: '4111 1111 1111 1111' } },
    { 'card.number': 'must be a string of 12 to 19 digits, without spaces or dashes' },
  ],
  [{ card: { ...CARD, number: '4111111111111112' } }, { 'card.number': expect.stringContaining('check digit') }],
  [{ card: { ...CARD, expiryYear: '30' } }, { 'card.expiryYear': 'must be a string of four digits, such as "2030"' }],
  [{ card: { ...CARD, expiryYear: 2030 } }, { 'card.expiryYear': 'must be a string of four digits, such as "2030"' }],
  [{ card: { ...CARD, expiryMonth: '1' } }, { 'card.expiryMonth': 'must be a string of two digits, "01" to "12"' }],
  [{ card: { ...CARD, cvv: '12' } }, { 'card.cvv': 'must be a string of three or four digits' }],
  [{ customer: { country: 'de' } }, { 'customer.country': expect.stringContaining('such as DE') }],
  [{ customer: { email: 'x' } }, { 'customer.email': 'must be an e-mail address, such as ada@example.com' }],
  [{ ammount: '1' }, { ammount: 'is not a known field; did you mean amount?' }],
  [{ notification_url: 'x' }, { notification_url: 'is not a known field; did you mean notificationUrl?' }],
  [{ Descriptor: 'x' }, { Descriptor: 'is not a known field; did you mean descriptor?' }],
  [{ customer: { fistName: 'x' } }, { 'customer.fistName': 'is not a known field; did you mean firstName?' }],
  [{ card: { ...CARD, holdr: 'x' } }, { 'card.holdr': 'is not a known field; did you mean holder?' }],
  [{ somethingElse: 1 }, { somethingElse: 'is not a known field' }],
  [{ x: 1 }, { x: 'is not a known field' }],
])('a payment with %j says %j', (members, said) => {
  expect(refusals(h2hBody, { ...PAYMENT, ...members })).toEqual(said);
});

test('near members are found in arrays and in queries', () => {
  const bulk = routes.find(({ path }) => path === '/customer/1.0.0/createBulk')!;
  expect(refusals(bulk.body!, [{ customerTyp: 'Person' }])).toMatchObject({
    '[0].customerTyp': 'is not a known field; did you mean customerType?',
  });
  const list = routes.find(({ path, method }) => path === '/ipg/1.0.0/payment/payments' && method === 'GET')!;
  const details: FieldError[] = [];
  checkQuery(prepare(list).query, { statuss: 'captured' }, details);
  expect(details).toMatchObject([{ field: 'statuss', message: 'is not a known field; did you mean status?' }]);
});

/** Every description of a schema, whichever alternative it stands in. */
function* within(description: object): Generator<Description> {
  yield description as Description;
  for (const value of Object.values(description))
    for (const child of typeof value === 'object' && value !== null ? Object.values(value) : [])
      if (typeof child === 'object' && child !== null) yield* within(child);
}

test('whatever asks for a form says which', () => {
  const silent = new Set<string>();
  for (const { method, path, body, query, params, headers } of routes)
    for (const schema of [body, query, params, ...Object.values(headers ?? {})])
      for (const { rules, preferences } of schema ? within(schema.tailor(TOLD).describe()) : [])
        if (Array.isArray(rules) && (rules as { name: string }[]).some(({ name }) => name === 'pattern'))
          if (!(preferences as { messages?: object } | undefined)?.messages && !path.startsWith('/payments/h2h'))
            // Conditions on the path are no schemas of a member.
            silent.add(`${method} ${path} ${JSON.stringify(rules)}`);
  expect([...silent]).toEqual([]);
});
