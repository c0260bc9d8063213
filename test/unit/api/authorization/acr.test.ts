import { acrOf, essentialAcrs, insistsOnSca } from '../../../../src/api/authorization/acr';

const SCA = 'urn:openbanking:psd2:sca';
const CA = 'urn:openbanking:psd2:ca';
const asking = (acr: unknown) => JSON.stringify({ id_token: { acr } });

test.each([
  [false, undefined, CA],
  [true, undefined, SCA],
  [false, 'stu_1', SCA],
  [true, 'stu_1', SCA],
])('second factor at the sign-in: %p, confirmation of the payment: %p: %s', (hasSecondFactor, stepUpId, acr) => {
  expect(acrOf({ hasSecondFactor }, stepUpId, undefined)).toBe(acr);
});

test('who insists on the lesser alone is told the lesser, never the other way round', () => {
  expect(acrOf({ hasSecondFactor: true }, undefined, [CA])).toBe(CA);
  expect(acrOf({ hasSecondFactor: true }, undefined, [SCA])).toBe(SCA);
  expect(acrOf({ hasSecondFactor: false }, undefined, [SCA])).toBe(CA);
});

test.each([
  ['nothing', undefined, undefined, false],
  ['no acr', '{"id_token":{}}', undefined, false],
  ['a wish', asking({ value: SCA }), undefined, false],
  ['any', asking({ essential: true }), undefined, false],
  ['one', asking({ essential: true, value: SCA }), [SCA], true],
  ['several', asking({ essential: true, values: [CA, SCA] }), [SCA, CA], false],
  ['the lesser', asking({ essential: true, value: CA }), [CA], false],
  ['one that is unknown', asking({ essential: true, value: 'urn:better' }), [], true],
  ['null', asking(null), undefined, false],
])('an authorization request that asks for %s', (_name, claims, acrs, isStrict) => {
  expect(essentialAcrs(claims)).toEqual(acrs);
  expect(insistsOnSca(claims)).toBe(isStrict);
});
