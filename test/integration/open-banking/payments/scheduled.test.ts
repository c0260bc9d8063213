import { consentAnswer, detailsAnswer, PAYMENT_ANSWERS } from '../../../../src/api/payment-initiation/schema';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { OPEN_BANKING_CHECKS } from '../../../../src/open-banking/checks';
import { ObieError } from '../../../../src/open-banking/obie-error';
import type { PaymentRecord } from '../../../../src/open-banking/payments/initiation';
import type { BankPayment } from '../../../../src/open-banking/payments/payment';
import {
  presentPaymentConsent,
  presentPaymentDetails,
  presentScheduledPayment,
} from '../../../../src/open-banking/payments/present';
import { ACTOR } from '../../people/customer-access/people-who-sign-in';
import { Bank, expectShown, orderOf, recordTo, scheduledTo, type Wallet } from './bank';

const SELF = 'https://bank.example/open-banking/2.0.0/domestic-scheduled-payments';
const DUE = new Date('2040-01-31T12:00:00.000Z');
const ACTING = { actor: ACTOR, isStaff: true };

let bank: Bank;
let tppId: string;
let payer: Wallet;
let payee: Wallet;

beforeAll(async () => {
  bank = await Bank.open('scheduled_payments');
  tppId = await bank.tpp(bank.tenantId);
  payer = await bank.fund(bank.payerId, 100_000n);
  payee = await bank.fund(await bank.person(), 1n);
});
afterEach(async () => {
  expect((await auditBooks(bank.place.database.ops, OPEN_BANKING_CHECKS)).findings).toEqual([]);
});
afterAll(() => bank?.close());

async function scheduled(record = scheduledTo(payee, DUE)): Promise<BankPayment> {
  return bank.payments.pay(orderOf(tppId, await bank.authorised(tppId, record, payer), record));
}
const found = ({ id }: BankPayment) => bank.payments.find(tppId, id, 'scheduled');
const run = ({ schedule_id }: BankPayment) => bank.runSchedule(schedule_id!, DUE);
const shownStatus = (payment: BankPayment) => {
  const shown = presentScheduledPayment(payment, SELF) as { Data: { Status: string } };
  expectShown(['POST /domestic-scheduled-payments'], 201, PAYMENT_ANSWERS.scheduled, shown);
  const operation = 'GET /domestic-scheduled-payments/{DomesticScheduledPaymentId}';
  expectShown([operation], 200, PAYMENT_ANSWERS.scheduled, shown);
  return shown.Data.Status;
};
const detailStatus = (payment: BankPayment) => {
  const shown = presentPaymentDetails(payment, SELF);
  const operation = 'GET /domestic-scheduled-payments/{DomesticScheduledPaymentId}/payment-details';
  expectShown([operation], 200, detailsAnswer, shown);
  return (shown as { Data: { PaymentStatus: [{ Status: string }] } }).Data.PaymentStatus[0].Status;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof ObieError ? error.problems[0].ErrorCode : error.code),
  );

test('a consent to pay later is shown as the standard publishes it', async () => {
  const consent = await bank.createConsent(tppId, scheduledTo(payee, DUE));
  const shown = presentPaymentConsent(await bank.payments.findConsent(tppId, consent.id, 'scheduled'), SELF);
  expectShown(['POST /domestic-scheduled-payment-consents'], 201, consentAnswer('scheduled'), shown);
  expectShown(['GET /domestic-scheduled-payment-consents/{ConsentId}'], 200, consentAnswer('scheduled'), shown);
  expect(await codeOf(bank.payments.findConsent(tppId, consent.id, 'domestic'))).toBe('not_found');
});

test.each([
  ['in the past', new Date('2020-01-31T12:00:00Z')],
  ['too far away', new Date('2100-01-01T00:00:00Z')],
])('a time %s is refused when the consent is asked for', async (_, due) => {
  expect(await codeOf(bank.createConsent(tppId, scheduledTo(payee, due)))).toBe('UK.OBIE.Field.InvalidDate');
});

test('waits, and is made when it is due, once, to whoever has not joined transfers', async () => {
  const before = [await bank.available(payer), await bank.available(payee)] as const;
  const payment = await scheduled();
  expect([shownStatus(payment), detailStatus(payment)]).toEqual(['InitiationPending', 'Pending']);
  expect(await bank.available(payer)).toBe(before[0]);
  expect((await bank.consents.forTpp(tppId, payment.consent_id)).status).toBe('Consumed');
  await run(payment);
  await run(payment);
  const after = await found(payment);
  expect([shownStatus(after), detailStatus(after)]).toEqual(['InitiationCompleted', 'AcceptedSettlementCompleted']);
  expect(await bank.available(payer)).toBe(before[0] - 1_000n);
  expect(await bank.available(payee)).toBe(before[1] + 1_000n);
});

test('fails when there is not enough money on the day', async () => {
  const payment = await scheduled(scheduledTo(payee, DUE, '99999.00'));
  expect(shownStatus(payment)).toBe('InitiationPending');
  await run(payment);
  const after = await found(payment);
  expect([shownStatus(after), detailStatus(after)]).toEqual(['InitiationFailed', 'Rejected']);
});

test('fails at once for a payer whose transfers are suspended', async () => {
  const alias = { type: 'handle' as const, value: 'payer' };
  await bank.membership.enroll(bank.tenantId, bank.payerId, { alias, acceptEach: false }, ACTING);
  await bank.membership.suspend(bank.tenantId, bank.payerId, 'a test', ACTING);
  const payment = await scheduled();
  expect([shownStatus(payment), detailStatus(payment)]).toEqual(['InitiationFailed', 'Rejected']);
  expect(payment).toMatchObject({ schedule_id: null, rejection: 'AG01' });
  await bank.membership.resume(bank.tenantId, bank.payerId, ACTING);
});

test('is cancelled with its schedule', async () => {
  const payment = await scheduled();
  await bank.schedules.cancel(bank.tenantId, payment.schedule_id!, ACTING, { customerId: bank.payerId });
  const after = await found(payment);
  expect([shownStatus(after), detailStatus(after)]).toEqual(['Cancelled', 'Rejected']);
});

test('is no payment that is made at once, nor the other way round', async () => {
  const later = scheduledTo(payee, DUE);
  const now = recordTo(payee);
  const cases: [PaymentRecord, 'domestic' | 'scheduled'][] = [
    [later, 'domestic'],
    [now, 'scheduled'],
  ];
  for (const [record, kind] of cases) {
    const consentId = await bank.authorised(tppId, record, payer);
    expect(await codeOf(bank.payments.pay({ ...orderOf(tppId, consentId, record), kind }))).toBe('not_found');
    expect((await bank.consents.forTpp(tppId, consentId)).status).toBe('Authorised');
  }
});

test('another time than was consented to is refused', async () => {
  const record = scheduledTo(payee, DUE);
  const order = orderOf(tppId, await bank.authorised(tppId, record, payer), record);
  order.initiation.RequestedExecutionDateTime = '2040-02-01T12:00:00.000Z';
  expect(await codeOf(bank.payments.pay(order))).toBe('UK.OBIE.Resource.ConsentMismatch');
});
