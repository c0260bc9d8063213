import fc from 'fast-check';
import Joi, { type Description, type Schema } from 'joi';
import { customerBody } from '../../../../src/api/customers/schema';
import { type ApiDependencies, apiRoutes } from '../../../../src/api/routes';
import { amount, instant, lineText, nameText } from '../../../../src/api/server/conventions';
import { certaintyOf } from '../../../../src/api/server/middleware/certainty';

const bodies = apiRoutes({} as ApiDependencies).flatMap(({ body, method, path }) =>
  body ? [[`${method} ${path}`, body] as const] : [],
);

const TEXTS = [
  '',
  ' ',
  'a',
  'Ada Lovelace',
  'ada@example.com',
  'ADA+x@a-b.example.com',
  'ada@example',
  '.ada@example.com',
  'ada@-example.com',
  'ada@example.c0m',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.example`,
  'a\u0001b',
  'a\u202eb',
  '4111 1111 1111 1111',
  'é',
  'x'.repeat(51),
  'x'.repeat(300),
  'EUR',
  '10.00',
  '0',
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.000Z',
  'https://shop.example/path',
  '__proto__',
];
const NUMBERS = [0, -0, 1, -1, 1.5, 3, 2 ** 31, 2 ** 53, 1e300, Number.POSITIVE_INFINITY];
const anything = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [null], ...TEXTS, ...NUMBERS),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text)),
);

/** Values that are near to what a schema takes: often right, often not. */
function near({ type, keys, items, allow, whens, matches, flags }: Description, depth = 0): fc.Arbitrary<unknown> {
  const options: { weight: number; arbitrary: fc.Arbitrary<unknown> }[] = [{ weight: 1, arbitrary: anything }];
  const often = (arbitrary: fc.Arbitrary<unknown>) => options.push({ weight: 30, arbitrary });
  const plain = (allow ?? []).filter((value: unknown) => value === null || typeof value !== 'object');
  if (plain.length > 0) often(fc.constantFrom(...plain));
  if (depth > 6) return anything;
  if (type === 'string' && !(flags as { only?: boolean } | undefined)?.only) often(fc.constantFrom(...TEXTS));
  if (type === 'number') often(fc.constantFrom(...NUMBERS));
  if (type === 'boolean') often(fc.boolean());
  if (type === 'array') often(fc.array(items?.[0] ? near(items[0], depth + 1) : anything, { maxLength: 3 }));
  for (const { then, otherwise } of whens ?? [])
    for (const one of [then, otherwise]) if (one) often(near(one, depth + 1));
  for (const { schema } of matches ?? []) if (schema) often(near(schema, depth + 1));
  if (type === 'object' && keys) {
    const members = Object.fromEntries(
      Object.entries(keys as Record<string, Description>).map(([key, one]) => [key, near(one, depth + 1)]),
    );
    const needed = Object.entries(keys as Record<string, Description>).filter(
      ([, one]) => (one.flags as { presence?: string } | undefined)?.presence === 'required',
    );
    const needy = needed.map(([key]) => key);
    often(fc.record(members, { requiredKeys: needy }));
    often(fc.record(members, { requiredKeys: [] }));
    often(fc.tuple(fc.record(members, { requiredKeys: needy }), anything).map(([one, more]) => ({ ...one, more })));
  }
  return fc.oneof(...options);
}

/** Whether it was certain. Joi must say the same then. */
function agrees(schema: Schema, value: unknown): boolean {
  if (!certaintyOf(schema)(value)) return false;
  const before = structuredClone(value);
  const result = schema.validate(value, { convert: false });
  expect([result.error, result.value]).toEqual([undefined, value]);
  expect(value).toEqual(before);
  return true;
}

test.each(bodies)('what is certain of a body of %s, Joi takes as it is', (_name, body) => {
  const certain = certaintyOf(body);
  fc.assert(
    fc.property(near(body.describe()), (value) => {
      if (!certain(value)) return;
      const result = body.validate(value, { convert: false });
      expect(result.error).toBeUndefined();
      expect(result.value).toStrictEqual(value);
    }),
    { numRuns: 200 },
  );
});

test('a customer is certain, and no longer with anything wrong', () => {
  const person = { firstName: { name: 'Ada' }, lastName: { name: 'Lovelace' }, email: 'ada@example.com' };
  const record = { id: 'a', customerType: 'Person', customerName: 'Ada Lovelace', person };
  const company = { customerType: 'Organization', customerName: 'Engines Ltd' };
  for (const one of [record, company, { ...company, person: { fullName: 'Ada' } }])
    expect(agrees(customerBody, one)).toBe(true);
  for (const wrong of [
    { ...record, customerType: 'Robot' },
    { ...record, color: 'red' },
    { ...record, person: undefined },
    { ...company, customerType: 'Person' },
    { ...record, customerName: '4111 1111 1111 1111' },
    { ...record, customerName: 'a\u202eb' },
    { ...record, person: { ...person, email: 'ada' } },
    { ...record, person: { ...person, firstName: {} } },
    { ...record, person: { ...person, telephoneNumbers: [null] } },
    { ...record, person: { ...person, telephoneNumbers: Array.from({ length: 51 }, () => ({})) } },
    null,
    [],
  ])
    expect([wrong, certaintyOf(customerBody)(wrong)]).toEqual([wrong, false]);
});

const SEEN = Joi.string().custom((text: string) => text.toUpperCase());

test.each<[string, Schema, unknown, boolean]>([
  ['a text', Joi.string().max(3), 'abc', true],
  ['a longer text', Joi.string().max(3), 'abcd', false],
  ['an empty text', Joi.string(), '', false],
  ['an empty text that may be', Joi.string().allow(''), '', true],
  ['one of some', Joi.string().valid('a', 'b'), 'b', true],
  ['none of them', Joi.string().valid('a', 'b'), 'c', false],
  ['what is not allowed', Joi.string().invalid('a'), 'b', false],
  ['a name', nameText(9), 'Ada', true],
  ['a line', lineText(9), 'x\ny', false],
  ['a text that becomes another', SEEN, 'a', false],
  ['a text that becomes the same', SEEN, 'A', true],
  ['an instant that stays', instant(), '2026-01-31T12:00:00.000Z', true],
  ['an instant that is brought into form', instant(), '2026-01-31T12:00:00Z', false],
  ['an amount, which looks at its currency', amount(), '10.00', false],
  ['a trimmed text', Joi.string().trim(), 'a', false],
  ['a text with a default', Joi.object({ a: Joi.string().default('b') }), {}, false],
  ['a member that is taken out', Joi.object({ a: Joi.string().strip() }), { a: 'b' }, false],
  ['any other member', Joi.object({ a: Joi.string() }).unknown(), { b: 1 }, false],
  ['members that need each other', Joi.object({ a: Joi.string(), b: Joi.string() }).and('a', 'b'), { a: 'x' }, false],
  ['a member that is renamed', Joi.object({ a: Joi.string() }).rename('b', 'a'), { a: 'x' }, false],
  ['an inherited name', Joi.object({ a: Joi.string() }), { toString: 'x' }, false],
  ['a list', Joi.array().items(Joi.number()).max(2), [1, 2], true],
  ['a longer list', Joi.array().items(Joi.number()).max(2), [1, 2, 3], false],
  ['a list of different ones', Joi.array().items(Joi.number()).unique(), [1, 2], false],
  ['a list that has to have one', Joi.array().items(Joi.number().required()), [], false],
  ['a whole number', Joi.number().integer().min(1), 1, true],
  ['a broken number', Joi.number().integer(), 1.5, false],
  ['a number as text', Joi.number(), '1', false],
  ['minus nothing', Joi.number(), -0, false],
  ['a multiple', Joi.number().multiple(2), 4, false],
  ['a word for true', Joi.boolean().truthy('yes'), 'yes', false],
])('%s', (_name, schema, value, isCertain) => {
  expect(agrees(schema, value)).toBe(isCertain);
});
