import { customerPatch } from '../../../src/api/customers/schema';
import { check, prepare } from '../../../src/api/server/middleware/validation';
import type { FieldError } from '../../../src/domain/errors';

const validator = prepare({ body: customerPatch } as never);

test.each([
  [{ person: { telephoneNumbers: [null] } }, ['person.telephoneNumbers[0]']],
  [{ person: { telephoneNumbers: [{ number: '1' }, null] } }, ['person.telephoneNumbers[1]']],
  [{ person: { documents: [null] } }, ['person.documents[0]']],
  [{ person: { documents: [{ metadata: [null] }] } }, ['person.documents[0].metadata[0]']],
  [{ person: { SecretQuestion: [null] } }, ['person.SecretQuestion[0]']],
  [{ person: { addresses: [null] } }, ['person.addresses[0]']],
  [{ person: { addresses: [{ address: { streetNumber: [null] } }] } }, ['person.addresses[0].address.streetNumber[0]']],
  [{ notifications: [null] }, ['notifications[0]']],
  [{ person: { telephoneNumbers: null, addresses: [{ address: null }] }, notifications: null }, []],
])('an update with %j is refused for %j', (patch, fields) => {
  const details: FieldError[] = [];
  check(validator.body, patch, 'body', details);
  expect(details.map(({ field }) => field)).toEqual(fields);
});
