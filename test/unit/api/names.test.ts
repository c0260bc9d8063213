import Joi, { type Schema } from 'joi';
import { problemsOf } from '../../../src/api/pay/form';
import { type ApiDependencies, apiRoutes } from '../../../src/api/routes';

/** What people read on one line of a page or of paper: names, and what is beside them. */
const ON_ONE_LINE =
  /^(?!username$).*(name|holder|title|label|sku|descriptor|iss|street|streetNumber|building|buildingNumber|city|area|zipCode|postCode|addressLine)$/i;
/** Of the requests in which `description` is a line of an order. */
const LINE_OF_AN_ORDER = /\.lines\[\]\.description$/;

interface Terms {
  keys?: null | { key: string; schema: Schema }[];
  items?: null | Schema[];
  matches?: null | Record<'schema' | 'then' | 'otherwise', Schema | undefined>[];
  patterns?: null | { rule?: Schema }[];
}

/** Each string in a schema, with where it stands. */
function* stringsIn(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  if (schema.type === 'string') yield [path, schema];
  // Joi has null or nothing where there is none.
  const { keys, items, matches, patterns } = schema.$_terms as Terms;
  for (const { key, schema: member } of keys ?? []) yield* stringsIn(member, `${path}.${key}`);
  for (const item of items ?? []) yield* stringsIn(item, `${path}[]`);
  for (const { schema: one, then, otherwise } of matches ?? [])
    for (const way of [one, then, otherwise]) if (way) yield* stringsIn(way, path);
  for (const { rule } of patterns ?? []) if (rule) yield* stringsIn(rule, `${path}.*`);
}

const texts = apiRoutes({} as ApiDependencies).flatMap(({ method, path, body }) =>
  body
    ? [...stringsIn(body, '')].map(([member, schema]) => ({ member, schema, at: `${method} ${path} ${member}` }))
    : [],
);
const nameOf = (member: string) =>
  member
    .replace(/(\[\]|\.\*)+$/, '')
    .split('.')
    .at(-1)!;
const names = texts.filter(({ member }) => ON_ONE_LINE.test(nameOf(member)) || LINE_OF_AN_ORDER.test(member));

/** Why a text is refused. In an object, since a member may depend on its neighbours. */
function refusal(schema: Schema, text: string): string | undefined {
  return Joi.object({ it: schema }).unknown().validate({ it: text }).error?.message;
}

describe('the names that requests give', () => {
  it('are found in all areas', () => {
    const found = names.map(({ at }) => at);
    for (const one of [
      'POST /customer/1.0.0/create .customerName',
      'POST /onboarding/1.0.0/merchants .technicalContact.name',
      'POST /identity/1.0.0/users .name',
      'POST /bank-transfer/1.0.0/transfers .payerName',
      'POST /wallet/1.0.0/topups .card.holder',
      'POST /inventory/1.0.0/items .name',
      'POST /orders/1.0.0/orders .lines[].description',
      'POST /payment-links/1.0.0/links .title',
      'POST /onboarding/1.0.0/tpps .name',
      'POST /open-banking/2.0.0/domestic-payment-consents .Data.Initiation.CreditorAccount.Name',
      'PUT /customer/1.0.0/update/{customerId} .person.addresses[].address.street',
    ])
      expect(found).toContain(one);
  });

  it.each(['a\nb', 'a\tb', 'a\u0000b', '\u007fa', 'a\u0085b', 'a\u2028b', 'moc.\u202eshop', 'a\u2066b'])(
    'have no control character: %j',
    (text) => {
      expect(names.filter(({ schema }) => refusal(schema, text) === undefined).map(({ at }) => at)).toEqual([]);
    },
  );

  it.each(['Zoë O’Neill-Łukasz', '株式会社 Tillway', 'Дом № 5', 'شركة تجريبية', 'A'])('may be %s', (text) => {
    const wrong = names.filter(({ schema }) => refusal(schema, text)?.includes('control characters'));
    expect(wrong.map(({ at }) => at)).toEqual([]);
  });
});

it('a buyer cannot give one with control characters on the page either', () => {
  const link = { amount_min_minor: 100n, amount_max_minor: 100n, currency: 'EUR', custom_fields: [] };
  const card = { number: '4111111111111111', expiry: '12/40', cvv: '123', email: 'ana@example.com' };
  const problems = (holder: string) =>
    problemsOf(link as never, { method: { kind: 'card' } } as never, { ...card, holder });
  expect(problems('Ana Silva')).toEqual({});
  expect(problems('Ana\nSilva')).toEqual({ holder: 'notOneLine' });
});
