import { Identifiers } from '../../../../src/people/customers/identifiers';

const identifiers = new Identifiers(Buffer.alloc(32, 7).toString('base64'));
const hashed = (type: 'email' | 'phone' | 'username', value: string) => identifiers.of(type, value).toString('hex');
const ofPhones = (...telephoneNumbers: { country?: string; number: string }[]) =>
  identifiers
    .all({ person: { telephoneNumbers } })
    .map(({ type, mac }) => `${type} ${mac.toString('hex')}`)
    .sort();

test('spellings of one address are one address', () => {
  expect(hashed('email', ' Ada@Example.COM ')).toBe(hashed('email', 'ada@example.com'));
  expect(hashed('username', 'Ada')).not.toBe(hashed('username', 'ada'));
  expect(hashed('email', 'ada@example.com')).not.toBe(hashed('username', 'ada@example.com'));
});

test.each([
  ['as the country dials it', { country: 'GB', number: '020 7925 0001' }],
  ['with the country’s code beside it', { country: '44', number: '(020) 79250001' }],
  ['with a plus before that code', { country: '+44', number: '2079250001' }],
  ['in international form', { number: '+44 20 7925 0001' }],
  ['with a trunk zero left in', { number: '+44 (0)20 7925 0001' }],
  ['with 00 for the plus', { country: 'FR', number: '00442079250001' }],
])('a telephone number is found by its E.164 form: %s', (_how, phone) => {
  expect(ofPhones(phone)).toEqual([`phone ${hashed('phone', '+442079250001')}`]);
});

test('a number without a country is found as it was written; the same number twice is one', () => {
  expect(ofPhones({ number: '555-0100' }, { number: '5550100' })).toEqual([`phone ${hashed('phone', '5550100')}`]);
});

test('each address that a customer can be found by, and nothing that is empty', () => {
  const found = identifiers.all({ id: 'own', person: { email: 'a@example.com', telephoneNumbers: [{ number: '' }] } });
  expect(found.map(({ type }) => type)).toEqual(['email']);
  expect(identifiers.all({ id: '', customerName: 'Nobody' })).toEqual([]);
});
