import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Schema } from 'joi';
import Joi from 'joi';
import { h2hBody } from '../../../src/api/h2h/schema';
import { JSON_VALUE, jsonSchemaOf } from '../../../src/api/server/json-schema';
import { parseJson } from '../../../src/api/server/middleware/body';

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

describe('what holds between the members of an object', () => {
  const schema = Joi.object({
    purpose: Joi.string().valid('payment', 'topup').default('payment'),
    customerId: Joi.string().when('purpose', { is: 'topup', then: Joi.required(), otherwise: Joi.forbidden() }),
    orderId: Joi.string(),
    times: Joi.number().when('orderId', { is: Joi.exist(), then: Joi.valid(1) }),
    holder: Joi.when('orderId', {
      is: 'own',
      then: Joi.object({ name: Joi.string() }),
      otherwise: Joi.object({ name: Joi.string().required() }).required(),
    }),
    sessionId: Joi.string(),
    code: Joi.string(),
    min: Joi.number(),
    amount: Joi.number(),
    jwks: Joi.object().unknown(),
    jwksUri: Joi.string(),
    declared: Joi.object().pattern(/^[a-z]+$/, Joi.boolean()),
    address: Joi.string().ip({ version: ['ipv4', 'ipv6'] }),
  })
    .and('sessionId', 'code')
    .with('min', 'orderId')
    .without('min', 'amount')
    .oxor('jwks', 'jwksUri');
  const validate = compile(schema);
  const NAMED = { holder: { name: 'Ada' } };

  test.each<[object, boolean]>([
    [NAMED, true],
    [{}, false],
    [{ holder: {} }, false],
    [{ orderId: 'own', holder: {} }, true],
    [{ orderId: 'own' }, true],
    [{ ...NAMED, purpose: 'topup' }, false],
    [{ ...NAMED, purpose: 'topup', customerId: null }, false],
    [{ ...NAMED, purpose: 'topup', customerId: 'c' }, true],
    [{ ...NAMED, customerId: 'c' }, false],
    [{ ...NAMED, customerId: null }, true],
    [{ ...NAMED, purpose: null, customerId: 'c' }, false],
    [{ ...NAMED, times: 2 }, true],
    [{ ...NAMED, orderId: 'o', times: 2 }, false],
    [{ ...NAMED, orderId: 'o', times: 1 }, true],
    [{ ...NAMED, orderId: null, times: 2 }, true],
    [{ ...NAMED, sessionId: 's' }, false],
    [{ ...NAMED, sessionId: 's', code: null }, false],
    [{ ...NAMED, sessionId: 's', code: 'c' }, true],
    [{ ...NAMED, sessionId: null, code: null }, true],
    [{ ...NAMED, min: 1 }, false],
    [{ ...NAMED, min: 1, orderId: 'o' }, true],
    [{ ...NAMED, min: 1, orderId: 'o', amount: 1 }, false],
    [{ ...NAMED, min: 1, orderId: 'o', amount: null }, true],
    [{ ...NAMED, jwks: {}, jwksUri: 'u' }, false],
    [{ ...NAMED, jwks: {}, jwksUri: null }, true],
    [{ ...NAMED, declared: { a: true, b: null } }, true],
    [{ ...NAMED, declared: { a: 'yes' } }, false],
    [{ ...NAMED, address: '192.0.2.7' }, true],
    [{ ...NAMED, address: '2001:db8::1' }, true],
    [{ ...NAMED, address: 'here' }, false],
  ])('%j fits: %p, for the document and for the check alike', (sent, fits) => {
    expect(validate(sent)).toBe(fits);
    const present = parseJson(Buffer.from(JSON.stringify(sent)));
    expect(schema.validate(present).error === undefined).toBe(fits);
  });

  test('an answer has none of it: there every member may be missing for reasons of its own', () => {
    expect(jsonSchemaOf(schema, 'output').allOf).toBeUndefined();
  });
});
