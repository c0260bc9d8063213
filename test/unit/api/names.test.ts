import type { Schema } from 'joi';
import { transferBody } from '../../../src/api/bank-transfers/schema';
import { customerBody } from '../../../src/api/customers/schema';
import { invitationBody } from '../../../src/api/identity/people-schema';
import { merchantBody } from '../../../src/api/onboarding/schema';
import { name as beneficiaryName } from '../../../src/api/records/beneficiary';

const NAMES: Record<string, Schema> = {
  'of a customer': customerBody.extract('customerName'),
  'of a merchant': merchantBody.extract('businessName'),
  'of a contact': merchantBody.extract(['technicalContact', 'name']),
  'of a user': invitationBody.extract('name'),
  'of a payer': transferBody.extract('payerName'),
  'of a payee': beneficiaryName(),
};

describe.each(Object.entries(NAMES))('the name %s', (_of, schema) => {
  test.each(['Zoë O’Neill-Łukasz', '株式会社 Tillway', 'Дом № 5', 'شركة تجريبية', 'A'])('may be %s', (text) => {
    expect(schema.validate(text).error).toBeUndefined();
  });

  test.each(['a\nb', 'a\tb', 'a\u0000b', '\u007fa', 'a\u0085b', 'a\u2028b', 'moc.\u202eshop', 'a\u2066b'])(
    'has no control character: %j',
    (text) => {
      expect(schema.validate(text).error?.message).toContain('must not contain control characters');
    },
  );
});
