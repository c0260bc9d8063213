import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Schema } from 'joi';
import Joi from 'joi';
import { h2hBody } from '../../../src/api/h2h/schema';
import { JSON_VALUE, jsonSchemaOf } from '../../../src/api/server/json-schema';

function compile(schema: Schema): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  return ajv.compile({
    ...jsonSchemaOf(schema, 'input', { nullIsAbsent: true }),
    components: { schemas: { JsonValue: JSON_VALUE } },
  });
}

test('what is forbidden in one case and described in another is described', () => {
  const schema = Joi.object({
    kind: Joi.string(),
    card: Joi.when('kind', {
      is: 'card',
      then: Joi.object({ number: Joi.string().required() }),
      otherwise: Joi.forbidden(),
    }),
    mode: Joi.string().when('kind', { is: 'card', then: Joi.valid('a', 'b'), otherwise: Joi.valid('a') }),
  });
  const { properties } = jsonSchemaOf(schema, 'input');
  expect(properties.card).toEqual({
    type: 'object',
    properties: { number: { type: 'string', minLength: 1 } },
    required: ['number'],
    additionalProperties: false,
  });
  expect(properties.mode).toEqual({ type: 'string', enum: ['a', 'b'] });
});

test('an object that is left open has members of some type', () => {
  expect(jsonSchemaOf(Joi.object().unknown(), 'output').additionalProperties).toEqual({
    $ref: '#/components/schemas/JsonValue',
  });
});

const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const DEBIT = { iban: 'DE89370400440532013000', accountHolder: 'A Buyer', signedAt: '2026-01-31T12:00:00Z' };

test.each<[object, boolean]>([
  [{ card: CARD }, true],
  [{ card: { ...CARD, number: undefined } }, false],
  [{ card: 7 }, false],
  [{ card: CARD, remark: null, recurring: null, directDebit: null, capture: null }, true],
  [{ card: CARD, amount: null }, false],
  [{ recurring: { initial: true } }, true],
  [{ recurring: { initial: true, originalPaymentId: null } }, true],
  [{ recurring: {} }, false],
  [{ recurring: { initial: true, originalPaymentId: 'pay_1' } }, false],
  [{ directDebit: DEBIT }, true],
  [{ directDebit: { mandateId: 'mnd_1' } }, true],
  [{ directDebit: { iban: DEBIT.iban } }, false],
  [{ directDebit: { ...DEBIT, mandateId: 'mnd_1' } }, false],
  [{ upi: { vpa: 'buyer@bank' } }, true],
  [{ upi: { flow: 'qr' } }, true],
  [{ upi: { vpa: 5 } }, false],
  [{ crypto: { asset: 'DOGE' } }, false],
])('a host-to-host payment with %j fits the document: %p', (members, fits) => {
  const sent = { merchantTransactionId: 't-1', amount: '10.00', currency: 'EUR', ...members };
  expect(compile(h2hBody)(JSON.parse(JSON.stringify(sent)))).toBe(fits);
});
