import fc from 'fast-check';
import { canonicalJson, parseJson } from '../../../src/api/server/middleware/body';
import { DomainError } from '../../../src/domain/errors';

const parse = (text: string) => parseJson(Buffer.from(text), true);

const jsonText = fc
  .json({ maxDepth: 4 })
  .filter((text) => !/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(text) && !/\p{Surrogate}/u.test(text));

test('whatever names no member twice is read as it is', () => {
  fc.assert(fc.property(jsonText, (text) => expect(parse(text)).toEqual(JSON.parse(text))));
});

test('a name that stands twice is found wherever it stands', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), jsonText, jsonText, (name, one, other) => {
      fc.pre(!['__proto__', 'constructor', 'prototype'].includes(name));
      const key = JSON.stringify(name);
      expect(() => parse(`[{"a":[{ ${key} : ${one} , "\\\\" : "\\"",${key}\n:${other}}]}]`)).toThrow(DomainError);
    }),
  );
});

test('what a repeated name hides may be nested without end', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(() => parse(`{"a":${deep},"a":1}`)).toThrow(DomainError);
});

const reading = (text: string) => {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    return (error as DomainError).message;
  }
};

test.each([
  // Refused, whether or not there is anything else to look at.
  ['{"__proto__":{}}', '__proto__ is not allowed as a member name'],
  ['[{"a":{"constructor":1}}]', '[0].a.constructor is not allowed as a member name'],
  [`${'['.repeat(32)}${']'.repeat(32)}`, JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`)],
  [`${'['.repeat(33)}${']'.repeat(33)}`, 'The body is nested deeper than 32 levels'],
  ['{"a":"\\u0000"}', 'a must not contain NUL or an unpaired surrogate'],
  ['{"a":"\\ud800"}', 'a must not contain NUL or an unpaired surrogate'],
  ['{"\\udc00":1}', expect.stringContaining('must not contain NUL or an unpaired surrogate')],
  ['{"a":"\\ud83d\\ude00"}', { a: '\u{1f600}' }],
  ['{"a":{"b":1},"a":2}', 'a appears twice in one object'],
  // Absent, wherever it stands; an element of a list is not.
  ['{"a":null,"b":{"c":null,"d":[null,{"e":null}]}}', { b: { d: [null, {}] } }],
  ['{"a":"b","c":[{"d":1}]}', { a: 'b', c: [{ d: 1 }] }],
  ['\ufeff{"a":"é"}', { a: 'é' }],
  ['7', 7],
])('%s is read as %j', (text, expected) => {
  expect(reading(text)).toEqual(expected);
});

test('what is not UTF-8 is no JSON', () => {
  expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid JSON in UTF-8');
});

/** As it was written first. Hashes of it are stored. */
function firstCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(firstCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${firstCanonicalJson(member)}`).join(',')}}`;
}

test('the canonical text of a document stays what it was', () => {
  const same = (value: unknown) => expect(canonicalJson(value)).toBe(firstCanonicalJson(value));
  fc.assert(fc.property(fc.jsonValue(), same));
  for (const value of [undefined, [], {}, [undefined, ''], { b: undefined, a: 1 }, { 10: 1, 9: 2 }, { é: 1, z: 2 }])
    same(value);
});
