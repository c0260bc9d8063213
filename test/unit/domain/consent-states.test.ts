import { CONSENT_STATUSES, canConsentBecome, isOverConsent } from '../../../src/domain/states/consent';

const ALLOWED = [
  'AwaitingAuthorisation Authorised',
  'AwaitingAuthorisation Rejected',
  'AwaitingAuthorisation Expired',
  'Authorised Authorised',
  'Authorised Revoked',
  'Authorised Expired',
  'Authorised Consumed',
];

test.each(CONSENT_STATUSES.flatMap((from) => CONSENT_STATUSES.map((to) => [from, to] as const)))(
  'a consent that is %s → %s',
  (from, to) => {
    expect(canConsentBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);

test('what is over stays so', () => {
  expect(CONSENT_STATUSES.filter(isOverConsent)).toEqual(['Rejected', 'Revoked', 'Expired', 'Consumed']);
});
