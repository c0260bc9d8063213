import fc from 'fast-check';
import {
  compactText,
  correctionsIn,
  creditorReference,
  isCreditorReference,
  ourReference,
  printedReference,
  referencesIn,
} from '../../../src/domain/creditor-reference';
import { epcCode } from '../../../src/domain/epc-code';

const ours = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }).map(ourReference);

test.each([
  ['539007547034', 'RF18539007547034'],
  ['1234567890', 'RF471234567890'],
  ['2348231', 'RF712348231'],
  ['G72UUR', 'RF45G72UUR'],
  ['18K5', 'RF6518K5'],
])('%s has its check digits', (body, reference) => {
  expect(creditorReference(body)).toBe(reference);
  expect(isCreditorReference(reference)).toBe(true);
});

test('wrong ones are found out', () => {
  for (const wrong of [
    'RF19539007547034',
    'RF18539007547043',
    'RF35C4',
    'RF00',
    'XX18539007547034',
    'RF18 5390 0754 7034',
  ])
    expect([wrong, isCreditorReference(wrong)]).toEqual([wrong, false]);
  for (const wrong of ['', 'a', '12 34', '1'.repeat(22)]) expect(() => creditorReference(wrong)).toThrow(RangeError);
});

test('it is printed in groups of four', () => {
  expect(printedReference('RF18539007547034')).toBe('RF18 5390 0754 7034');
});

test('it is found however it is typed, among other words', () => {
  fc.assert(
    fc.property(ours, fc.stringMatching(/^[a-z ]{0,20}$/), (reference, words) => {
      const typed = `${words} ${printedReference(reference).toLowerCase().replaceAll(' ', ' - ')} thanks`;
      expect(referencesIn(compactText(typed))).toContain(reference);
    }),
  );
});

describe('a mistyped one', () => {
  const digit = fc.constantFrom(...'0123456789');
  const place = fc.integer({ min: 2, max: 18 });

  test.each<[string, (reference: string, at: number, other: string) => string]>([
    ['with a wrong digit', (reference, at, other) => reference.slice(0, at) + other + reference.slice(at + 1)],
    ['with a digit missing', (reference, at) => reference.slice(0, at) + reference.slice(at + 1)],
    ['with a digit too many', (reference, at, other) => reference.slice(0, at) + other + reference.slice(at)],
    [
      'with two exchanged',
      (reference, at) => reference.slice(0, at) + (reference[at + 1] ?? '') + reference[at] + reference.slice(at + 2),
    ],
  ])('%s is never taken for another, and leads to the right one', (_name, mistype) => {
    fc.assert(
      fc.property(ours, place, digit, (reference, at, other) => {
        const typed = mistype(reference, at, other);
        fc.pre(typed !== reference && !typed.startsWith(reference));
        expect(correctionsIn(typed)).toContain(reference);
        expect(isCreditorReference(typed) && typed.length === reference.length).toBe(false);
      }),
    );
  });

  test('leads to few', () => {
    fc.assert(
      fc.property(ours, (reference) => expect(correctionsIn(`${reference.slice(0, 18)}X`).length).toBeLessThan(20)),
    );
  });

  test('without its letters leads to the right one', () => {
    fc.assert(fc.property(ours, (reference) => expect(correctionsIn(reference.slice(2))).toContain(reference)));
  });

  test('a right one is no mistake, and a text without one leads nowhere', () => {
    fc.assert(fc.property(ours, (reference) => expect(correctionsIn(reference)).not.toContain(reference)));
    expect(correctionsIn('INVOICE4711')).toEqual([]);
  });
});

describe('the code for banking apps', () => {
  const transfer = {
    name: 'A  Shop\nLtd',
    iban: 'DE89370400440532013000',
    money: { amountMinor: 1_000n, currency: 'EUR' },
    reference: 'RF18539007547034',
  };

  test('has the lines of EPC069-12 in their order', () => {
    expect(epcCode({ ...transfer, bic: 'COBADEFF' })!.split('\n')).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'COBADEFF',
      'A Shop Ltd',
      'DE89370400440532013000',
      'EUR10.00',
      '',
      'RF18539007547034',
    ]);
    expect(epcCode(transfer)!.split('\n')[4]).toBe('');
  });

  test('there is none for other currencies, and for amounts that it cannot say', () => {
    expect(epcCode({ ...transfer, money: { amountMinor: 1_000n, currency: 'USD' } })).toBeUndefined();
    expect(epcCode({ ...transfer, money: { amountMinor: 100_000_000_000n, currency: 'EUR' } })).toBeUndefined();
    expect(epcCode({ ...transfer, money: { amountMinor: 99_999_999_999n, currency: 'EUR' } })).toContain(
      'EUR999999999.99',
    );
  });
});
