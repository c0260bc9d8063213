import { h2hBody } from '../../../src/api/h2h/schema';
import { check, prepare } from '../../../src/api/server/middleware/validation';
import type { FieldError } from '../../../src/domain/errors';

const validator = prepare({ body: h2hBody } as never);

/** The fields that are wrong, and the body as a handler sees it. */
function validate(id: string, members: object): { wrong: string[]; body: Record<string, unknown> } {
  const details: FieldError[] = [];
  const sent = { merchantTransactionId: 't-1', amount: '10.00', currency: 'EUR', ...members };
  const body = check(validator.body, sent, 'body', details, { params: { id } }) as Record<string, unknown>;
  return { wrong: details.map(({ field }) => field), body };
}

const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const APM = { payerName: 'A Buyer', payerEmail: 'a@buyer.example', country: 'PT' };
const DEBIT = { iban: 'DE89 3704 0044 0532 0130 00', accountHolder: 'A Buyer', signedAt: '2026-01-31T12:00:00Z' };
const BACK = { returnUrl: 'https://shop.example/back' };

test.each<[string, object]>([
  ['1', { card: CARD }],
  ['27', { apm: APM, ...BACK }],
  ['43', { apm: { ...APM, bankCode: 'X1' } }],
  ['27,43', { apm: APM, methodId: 43 }],
  ['30', { currency: 'INR', upi: { vpa: 'buyer@bank' } }],
  ['31', { currency: 'INR', upi: { flow: 'qr' } }],
  ['31', { currency: 'INR' }],
  ['30-31', { currency: 'INR', upi: { vpa: 'buyer@bank' } }],
  ['30-31', { currency: 'INR', methodId: 31, upi: { flow: 'intent' } }],
  ['60', { qr: {} }],
  ['60', {}],
  ['61', { bankTransfer: { payerName: 'A Buyer', payerIban: 'GB82WEST12345698765432' } }],
  ['61', {}],
  ['62', { directDebit: DEBIT }],
  ['62', { directDebit: { mandateId: 'mnd_1' } }],
  ['63', { crypto: { asset: 'BTC' } }],
  ['64', BACK],
  ['65', { ...BACK, capture: 'manual' }],
])('%s takes %j', (id, members) => {
  expect(validate(id, members).wrong).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['1', {}, ['card']],
  ['1', { card: CARD, descriptor: 'Order 4111 1111 1111 1111' }, ['descriptor']],
  ['1', { card: { ...CARD, holder: CARD.number } }, ['card.holder']],
  ['1', { card: CARD, upi: { vpa: 'a@b' } }, ['upi']],
  ['1', { card: CARD, crypto: { asset: 'BTC' }, qr: {} }, ['qr', 'crypto']],
  ['27', { apm: APM }, ['returnUrl']],
  ['27', BACK, ['apm']],
  ['43', { apm: { payerName: 'A Buyer' } }, ['apm.payerEmail', 'apm.country']],
  ['30', { upi: { vpa: 'nobody' } }, ['upi.vpa']],
  ['30', {}, ['upi']],
  ['30', { upi: { flow: 'qr' } }, ['upi.vpa', 'upi.flow']],
  ['31', { upi: { vpa: 'a@bank' } }, ['upi.vpa']],
  ['30-31', { methodId: 31, upi: { vpa: 'a@bank' } }, ['upi.vpa']],
  ['60', { qr: { size: 1 } }, ['qr.size']],
  ['61', { bankTransfer: { payerIban: 'DE00370400440532013000' } }, ['bankTransfer.payerIban']],
  ['62', {}, ['directDebit']],
  ['62', { directDebit: { ...DEBIT, iban: 'DE89370400440532013001' } }, ['directDebit.iban']],
  ['62', { directDebit: { iban: DEBIT.iban } }, ['directDebit']],
  ['62', { directDebit: { ...DEBIT, mandateId: 'mnd_1' } }, ['directDebit']],
  ['63', { crypto: { asset: 'DOGE' } }, ['crypto.asset']],
  ['64', {}, ['returnUrl']],
  ['64', { ...BACK, card: CARD }, ['card']],
  ['48', {}, ['walletToken']],
  [
    '44',
    { walletToken: {} },
    ['walletToken.version', 'walletToken.data', 'walletToken.signature', 'walletToken.header'],
  ],
  ['60', { capture: 'manual' }, ['capture']],
  ['61', { storeCard: true }, ['storeCard']],
  ['62', { directDebit: DEBIT, recurring: { initial: true } }, ['recurring']],
  ['63', { crypto: { asset: 'BTC' }, cardToken: 'pm_1' }, ['cardToken']],
])('%s refuses %j naming %j', (id, members, wrong) => {
  expect(validate(id, members).wrong).toEqual(wrong);
});

test.each(['0', '10', '66', '9999', 'visa', '48-51', '1-9', '27,44'])(
  '%s is nothing: not found, whatever is sent',
  (id) => {
    expect(validate(id, { card: CARD, upi: { vpa: 'a@bank' }, walletToken: 7 }).wrong).toEqual([]);
  },
);

test('an account number loses its spaces', () => {
  expect(validate('62', { directDebit: DEBIT }).body.directDebit).toMatchObject({ iban: 'DE89370400440532013000' });
});

test('UPI by intent is what method 31 does unless told otherwise', () => {
  expect(validate('31', {}).body.upi).toEqual({ flow: 'intent' });
  expect(validate('31', { upi: {} }).body.upi).toEqual({ flow: 'intent' });
});
