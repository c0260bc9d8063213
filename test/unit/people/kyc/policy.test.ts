import { DEFAULT_POLICY, expiryOf, policyOf, statedExpiry, unmet } from '../../../../src/people/kyc/policy';

const front = { purpose: 'KYC', document_type: 'ID front side' };

test('without a word of the tenant a person brings an ID, an organization its certificate of incorporation', () => {
  expect(policyOf({})).toBe(DEFAULT_POLICY);
  expect(unmet(policyOf({}).Person, [{ ...front, status: 'verified' }])).toEqual([]);
  expect(unmet(policyOf({}).Organization, [{ ...front, status: 'verified' }])).toEqual(DEFAULT_POLICY.Organization);
});

test.each(['underverification', 'rejected', 'expired'] as const)('a document that is %s meets nothing', (status) => {
  expect(unmet(DEFAULT_POLICY.Person, [{ ...front, status }])).toEqual(DEFAULT_POLICY.Person);
});

test('one of the types is enough; purpose and type have to be those asked for', () => {
  const requirement = { purpose: 'KYC', documentTypes: ['ID front side', 'Passport'] };
  const verified = { status: 'verified' } as const;
  expect(unmet([requirement], [{ purpose: 'KYC', document_type: 'Passport', ...verified }])).toEqual([]);
  expect(unmet([requirement], [{ purpose: 'KYB', document_type: 'Passport', ...verified }])).toEqual([requirement]);
  expect(unmet([requirement], [{ purpose: null, document_type: null, ...verified }])).toEqual([requirement]);
});

test('a day is good until it ends, a date-time to the moment, anything else says nothing', () => {
  expect(expiryOf('2030-01-31')).toEqual(new Date('2030-02-01T00:00:00Z'));
  expect(expiryOf('2030-01-31T12:00:00+02:00')).toEqual(new Date('2030-01-31T10:00:00Z'));
  for (const wrong of ['31.01.2030', '2030-02-30', '2030', '2030-01-31T12:00', 'soon', ''])
    expect(expiryOf(wrong)).toBeUndefined();
});

test('the expiry stands in the metadata entry expiryDate of type Date', () => {
  const value = '2030-01-31';
  expect(
    statedExpiry([
      { name: 'number', type: 'Number', value: '1' },
      { name: 'expiryDate', type: 'Date', value },
    ]),
  ).toEqual(new Date('2030-02-01T00:00:00Z'));
  expect(statedExpiry([{ name: 'expiryDate', type: 'String', value }])).toBeUndefined();
  expect(statedExpiry()).toBeUndefined();
});
