import fc from 'fast-check';
import { parseJson } from '../../../src/api/server/middleware/body';
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
