import { acrOf } from '../../../../src/api/authorization/acr';

const customer = (hasSecondFactor: boolean) => ({
  sessionId: 'wse_1',
  customerId: 'cus_1',
  name: 'Ada',
  hasSecondFactor,
});

test.each([
  [false, undefined, 'urn:openbanking:psd2:ca'],
  [true, undefined, 'urn:openbanking:psd2:sca'],
  [false, 'stu_1', 'urn:openbanking:psd2:sca'],
  [true, 'stu_1', 'urn:openbanking:psd2:sca'],
])('second factor at the sign-in: %p, confirmation of the payment: %p: %s', (hasSecondFactor, stepUpId, acr) => {
  expect(acrOf(customer(hasSecondFactor), stepUpId)).toBe(acr);
});
