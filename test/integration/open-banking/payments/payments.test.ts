import knexFactory from 'knex';
import {
  consentAnswer,
  consentBody,
  detailsAnswer,
  fundsAnswer,
  PAYMENT_ANSWERS,
} from '../../../../src/api/payment-initiation/schema';
import { newId } from '../../../../src/domain/ids';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { setLimits } from '../../../../src/money/limits/limits';
import { OPEN_BANKING_CHECKS } from '../../../../src/open-banking/checks';
import { ObieError } from '../../../../src/open-banking/obie-error';
import type { PaymentRecord } from '../../../../src/open-banking/payments/initiation';
import type { BankPayment } from '../../../../src/open-banking/payments/payment';
import {
  presentBankPayment,
  presentFunds,
  presentPaymentConsent,
  presentPaymentDetails,
} from '../../../../src/open-banking/payments/present';
import type { Act } from '../../../../src/people/customer-access/step-ups';
import { testAdminUrl } from '../../../setup/environment';
import { ACTOR } from '../../people/customer-access/people-who-sign-in';
import { Bank, expectShown, orderOf, recordTo, type Wallet } from './bank';

const SELF = 'https://bank.example/open-banking/2.0.0/domestic-payments';
const ACTING = { actor: ACTOR, isStaff: true };

let bank: Bank;
let tppId: string;
let payer: Wallet;
let payee: Wallet;

beforeAll(async () => {
  bank = await Bank.open('bank_payments');
  tppId = await bank.tpp(bank.tenantId);
  payer = await bank.fund(bank.payerId, 1_000_000n);
  payee = await bank.fund(await bank.person(), 1n);
});
afterEach(async () => {
  expect((await auditBooks(bank.place.database.ops, OPEN_BANKING_CHECKS)).findings).toEqual([]);
});
afterAll(() => bank?.close());

/** The standard's code and member, or the code of a refusal of our own; 'done' where there is none. */
async function refusalOf(work: Promise<unknown>): Promise<string | [string, string | undefined]> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof ObieError) return [error.problems[0].ErrorCode, error.problems[0].Path];
    return (error as { code: string }).code;
  }
}
const statusOf = async (consentId: string) => (await bank.consents.forTpp(tppId, consentId)).status;
const detailOf = (payment: BankPayment) => {
  const shown = presentPaymentDetails(payment, SELF);
  expectShown(['GET /domestic-payments/{DomesticPaymentId}/payment-details'], 200, detailsAnswer, shown);
  return (shown as { Data: { PaymentStatus: [{ Status: string; StatusDetail: object }] } }).Data.PaymentStatus[0];
};
const shownStatus = (payment: BankPayment) => {
  const shown = presentBankPayment(payment, SELF) as { Data: { Status: string } };
  expectShown(['POST /domestic-payments'], 201, PAYMENT_ANSWERS.domestic, shown);
  expectShown(['GET /domestic-payments/{DomesticPaymentId}'], 200, PAYMENT_ANSWERS.domestic, shown);
  return shown.Data.Status;
};

describe('a consent to pay', () => {
  test('waits for its customer, and is shown as the standard publishes it', async () => {
    const record = recordTo(payee, '10.00', {
      DebtorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: payer.iban },
    });
    record.Data.Authorisation = { AuthorisationType: 'Any', CompletionDateTime: '2040-01-31T12:00:00+00:00' };
    record.Data.ReadRefundAccount = 'No';
    const consent = await bank.createConsent(tppId, record);
    expect(consent).toMatchObject({ kind: 'payment', status: 'AwaitingAuthorisation', customer_id: null });
    const shown = presentPaymentConsent(await bank.payments.findConsent(tppId, consent.id, 'domestic'), SELF);
    expectShown(['POST /domestic-payment-consents'], 201, consentAnswer('domestic'), shown);
    expectShown(['GET /domestic-payment-consents/{ConsentId}'], 200, consentAnswer('domestic'), shown);
    expect(consentBody('domestic').validate(record, { convert: false }).error).toBeUndefined();
    expect(shown).toMatchObject({ Data: { ...record.Data, Status: 'AwaitingAuthorisation' }, Risk: record.Risk });
    // A repeat after a crash.
    const again = { consentId: consent.id, tppId, record, by: ACTOR };
    expect((await bank.payments.createConsent(again)).id).toBe(consent.id);
  });

  test.each<[string, (record: PaymentRecord) => void, string, string]>([
    [
      'a sort code',
      ({ Data }) => {
        Data.Initiation.CreditorAccount.SchemeName = 'UK.OBIE.SortCodeAccountNumber';
      },
      'UK.OBIE.Unsupported.Scheme',
      'Data.Initiation.CreditorAccount.SchemeName',
    ],
    [
      'no IBAN',
      ({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = 'PT50000201231234567890155';
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.CreditorAccount.Identification',
    ],
    [
      'an IBAN in another spelling',
      ({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = Data.Initiation.CreditorAccount.Identification.toLowerCase();
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.CreditorAccount.Identification',
    ],
    [
      'a creditor outside',
      ({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = 'DE89370400440532013000';
      },
      'UK.OBIE.Unsupported.AccountIdentifier',
      'Data.Initiation.CreditorAccount.Identification',
    ],
    [
      'a debtor outside',
      ({ Data }) => {
        Data.Initiation.DebtorAccount = { SchemeName: 'UK.OBIE.IBAN', Identification: 'DE89370400440532013000' };
      },
      'UK.OBIE.Unsupported.AccountIdentifier',
      'Data.Initiation.DebtorAccount.Identification',
    ],
    [
      'a roll number',
      ({ Data }) => {
        Data.Initiation.CreditorAccount.SecondaryIdentification = '0002';
      },
      'UK.OBIE.Unsupported.AccountSecondaryIdentifier',
      'Data.Initiation.CreditorAccount.SecondaryIdentification',
    ],
    [
      'a payment to itself',
      ({ Data }) => {
        Data.Initiation.DebtorAccount = { ...Data.Initiation.CreditorAccount };
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.CreditorAccount',
    ],
    [
      'a payment scheme',
      ({ Data }) => {
        Data.Initiation.LocalInstrument = 'UK.OBIE.FPS';
      },
      'UK.OBIE.Unsupported.LocalInstrument',
      'Data.Initiation.LocalInstrument',
    ],
    [
      'no currency',
      ({ Data }) => {
        Data.Initiation.InstructedAmount.Currency = 'XXQ';
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.InstructedAmount.Currency',
    ],
    [
      'another currency than the account',
      ({ Data }) => {
        Data.Initiation.InstructedAmount.Currency = 'USD';
      },
      'UK.OBIE.Unsupported.Currency',
      'Data.Initiation.InstructedAmount.Currency',
    ],
    [
      'nothing',
      ({ Data }) => {
        Data.Initiation.InstructedAmount.Amount = '0.00';
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.InstructedAmount.Amount',
    ],
    [
      'part of a cent',
      ({ Data }) => {
        Data.Initiation.InstructedAmount.Amount = '10.001';
      },
      'UK.OBIE.Field.Invalid',
      'Data.Initiation.InstructedAmount.Amount',
    ],
    [
      'a time that has passed',
      ({ Data }) => {
        Data.Authorisation = { AuthorisationType: 'Any', CompletionDateTime: '2020-01-31T12:00:00Z' };
      },
      'UK.OBIE.Field.InvalidDate',
      'Data.Authorisation.CompletionDateTime',
    ],
  ])('%s is refused at once', async (_, spoil, code, path) => {
    const record = recordTo(payee);
    spoil(record);
    expect(await refusalOf(bank.createConsent(tppId, record))).toEqual([code, path]);
  });

  test.each([
    ['10', 1_000n],
    ['10.5', 1_050n],
    ['010.50000', 1_050n],
    ['0.01', 1n],
  ])('%s EUR is an amount of the standard', async (amount, minor) => {
    const record = recordTo(payee, amount);
    const consentId = await bank.authorised(tppId, record, payer);
    const before = await bank.available(payer);
    await bank.payments.pay(orderOf(tppId, consentId, record));
    expect(before - (await bank.available(payer))).toBe(minor);
  });

  test('belongs to the tenant that the third party serves, or names where it serves several', async () => {
    const { tenantId: other } = bank.place.seeded.other;
    const ofBoth = await bank.tpp(bank.tenantId, other);
    expect(await refusalOf(bank.createConsent(ofBoth, recordTo(payee)))).toBe('invalid_request');
    expect((await bank.createConsent(ofBoth, recordTo(payee), bank.tenantId)).tenant_id).toBe(bank.tenantId);
    expect(await refusalOf(bank.createConsent(tppId, recordTo(payee), other))).toBe('forbidden');
    // An account of another tenant is outside.
    const there = await bank.fund(await bank.person(other), 1n, 'EUR', other);
    expect(await refusalOf(bank.createConsent(tppId, recordTo(there)))).toEqual([
      'UK.OBIE.Unsupported.AccountIdentifier',
      'Data.Initiation.CreditorAccount.Identification',
    ]);
  });

  test('and its payment do not exist for another third party', async () => {
    const stranger = await bank.tpp(bank.tenantId);
    const record = recordTo(payee);
    const consentId = await bank.authorised(tppId, record, payer);
    expect(await refusalOf(bank.payments.findConsent(stranger, consentId, 'domestic'))).toBe('not_found');
    expect(await refusalOf(bank.payments.pay(orderOf(stranger, consentId, record)))).toBe('not_found');
    const { id } = await bank.payments.pay(orderOf(tppId, consentId, record));
    expect(await refusalOf(bank.payments.find(stranger, id, 'domestic'))).toBe('not_found');
  });
});

describe('a payment', () => {
  test('moves the money once, between customers who need not have joined transfers', async () => {
    const record = recordTo(payee, '12.34');
    const consentId = await bank.authorised(tppId, record, payer);
    const before = [await bank.available(payer), await bank.available(payee)] as const;
    const order = orderOf(tppId, consentId, record);
    const payment = await bank.payments.pay(order);
    expect(shownStatus(payment)).toBe('AcceptedSettlementCompleted');
    expect(detailOf(payment)).toMatchObject({ Status: 'AcceptedSettlementCompleted' });
    expect(await bank.available(payer)).toBe(before[0] - 1_234n);
    expect(await bank.available(payee)).toBe(before[1] + 1_234n);
    expect(await statusOf(consentId)).toBe('Consumed');
    const transfer = await bank.transfers.find(bank.tenantId, payment.transfer_id!);
    expect(transfer).toMatchObject({ note: 'Two loaves', sender_id: payer.customerId, recipient_id: payee.customerId });
    const line = await bank.place.database.system('audit_log').where({ target: payment.id }).first();
    expect(line).toMatchObject({ actor: tppId, action: 'bank_payment.make', result: 'done' });
    // The same request again, after a crash.
    expect(await bank.payments.pay(order)).toEqual(payment);
    expect(await bank.available(payer)).toBe(before[0] - 1_234n);
    // Another request for the same consent.
    expect(await refusalOf(bank.payments.pay(orderOf(tppId, consentId, record)))).toEqual([
      'UK.OBIE.Resource.InvalidConsentStatus',
      'Data.ConsentId',
    ]);
  });

  test('tells the account that paid where the consent says so, and as long as its owner is there', async () => {
    const record = recordTo(payee);
    record.Data.ReadRefundAccount = 'Yes';
    const order = orderOf(tppId, await bank.authorised(tppId, record, payer), record);
    const refundOf = (payment: BankPayment) => {
      shownStatus(payment);
      return (presentBankPayment(payment, SELF) as { Data: { Refund?: object } }).Data.Refund;
    };
    const { profiles, database, seeded } = bank.place;
    const customer = await database.system('customers').where({ id: seeded.customer.customerId }).first();
    const Name = profiles.open(customer).customerName;
    expect(Name).toEqual(expect.any(String));
    const Refund = { Account: { SchemeName: 'UK.OBIE.IBAN', Identification: payer.iban, Name } };
    expect(refundOf(await bank.payments.pay(order))).toEqual(Refund);
    expect(refundOf(await bank.payments.find(tppId, order.paymentId, 'domestic'))).toEqual(Refund);
    for (const said of ['No', undefined] as const) {
      const silent = recordTo(payee);
      if (said) silent.Data.ReadRefundAccount = said;
      const paid = orderOf(tppId, await bank.authorised(tppId, silent, payer), silent);
      expect(refundOf(await bank.payments.pay(paid))).toBeUndefined();
    }
    const { deleted_at, profile_sealed, profile_key } = customer;
    const erased = { deleted_at: new Date(), profile_sealed: null, profile_key: null };
    await database.system('customers').where({ id: customer.id }).update(erased);
    expect(refundOf(await bank.payments.find(tppId, order.paymentId, 'domestic'))).toBeUndefined();
    await database.system('customers').where({ id: customer.id }).update({ deleted_at, profile_sealed, profile_key });
  });

  test('six requests at once for one consent: one payment', async () => {
    const record = recordTo(payee);
    const consentId = await bank.authorised(tppId, record, payer);
    const before = await bank.available(payer);
    const six = await Promise.all(
      Array.from({ length: 6 }, () => refusalOf(bank.payments.pay(orderOf(tppId, consentId, record)))),
    );
    expect(six.filter((told) => told === 'done')).toHaveLength(1);
    const refused = ['UK.OBIE.Resource.InvalidConsentStatus', 'Data.ConsentId'];
    expect(six.filter((told) => told !== 'done')).toEqual(Array(5).fill(refused));
    expect(await bank.available(payer)).toBe(before - 1_000n);
  });

  test('six repeats at once of one request: one payment', async () => {
    const record = recordTo(payee);
    const order = orderOf(tppId, await bank.authorised(tppId, record, payer), record);
    const before = await bank.available(payer);
    await Promise.allSettled(Array.from({ length: 6 }, () => bank.payments.pay(order)));
    expect(shownStatus(await bank.payments.pay(order))).toBe('AcceptedSettlementCompleted');
    expect(await bank.available(payer)).toBe(before - 1_000n);
  });

  test('that is cut off before its transaction ends leaves nothing, and the repeat makes it', async () => {
    const record = recordTo(payee);
    const consentId = await bank.authorised(tppId, record, payer);
    const order = orderOf(tppId, consentId, record);
    const before = await bank.available(payer);
    await expect(bank.payAndLose(order)).rejects.toThrow();
    expect(await statusOf(consentId)).toBe('Authorised');
    expect(await bank.available(payer)).toBe(before);
    expect(await refusalOf(bank.payments.find(tppId, order.paymentId, 'domestic'))).toBe('not_found');
    expect(shownStatus(await bank.payments.pay(order))).toBe('AcceptedSettlementCompleted');
    expect(await bank.available(payer)).toBe(before - 1_000n);
  });

  test.each<[string, (order: ReturnType<typeof orderOf>) => void, string]>([
    [
      'more money',
      ({ initiation }) => {
        initiation.InstructedAmount.Amount = '10.01';
      },
      'Data.Initiation.InstructedAmount.Amount',
    ],
    [
      'the same money in another spelling',
      ({ initiation }) => {
        initiation.InstructedAmount.Amount = '10.000';
      },
      'Data.Initiation.InstructedAmount.Amount',
    ],
    [
      'another payee',
      ({ initiation }) => {
        initiation.CreditorAccount.Identification = payer.iban;
      },
      'Data.Initiation.CreditorAccount.Identification',
    ],
    [
      'another name',
      ({ initiation }) => {
        initiation.CreditorAccount.Name = 'Another Shop';
      },
      'Data.Initiation.CreditorAccount.Name',
    ],
    [
      'a member more',
      ({ initiation }) => {
        initiation.SupplementaryData = {};
      },
      'Data.Initiation.SupplementaryData',
    ],
    [
      'a member less',
      ({ initiation }) => {
        delete initiation.RemittanceInformation!.Reference;
      },
      'Data.Initiation.RemittanceInformation.Reference',
    ],
    [
      'another risk',
      ({ risk }) => {
        risk.PaymentContextCode = 'Other';
      },
      'Risk.PaymentContextCode',
    ],
    [
      'no risk',
      (order) => {
        order.risk = {};
      },
      'Risk.DeliveryAddress',
    ],
  ])('of %s than was consented to is refused, and the consent can still be used', async (_, spoil, path) => {
    const record = recordTo(payee);
    const consentId = await bank.authorised(tppId, record, payer);
    const before = await bank.available(payer);
    const order = orderOf(tppId, consentId, record);
    spoil(order);
    expect(await refusalOf(bank.payments.pay(order))).toEqual(['UK.OBIE.Resource.ConsentMismatch', path]);
    expect(await statusOf(consentId)).toBe('Authorised');
    expect(await bank.available(payer)).toBe(before);
    expect(await refusalOf(bank.payments.pay(orderOf(tppId, consentId, record)))).toBe('done');
  });

  test('before its customer has authorised it is refused', async () => {
    const record = recordTo(payee);
    const { id } = await bank.createConsent(tppId, record);
    const refused = ['UK.OBIE.Resource.InvalidConsentStatus', 'Data.ConsentId'];
    expect(await refusalOf(bank.payments.pay(orderOf(tppId, id, record)))).toEqual(refused);
    await bank.consents.delete(tppId, id, ACTOR);
    expect(await refusalOf(bank.payments.pay(orderOf(tppId, id, record)))).toEqual(refused);
    expect(presentPaymentConsent(await bank.payments.findConsent(tppId, id, 'domestic'), SELF)).toMatchObject({
      Data: { Status: 'Rejected' },
    });
  });

  test.each<[string, () => Partial<Act>]>([
    ['another amount', () => ({ amountMinor: 999n })],
    ['another payee', () => ({ payee: { id: payer.iban, name: 'Corner Shop' } })],
    ['another name of the payee', () => ({ payee: { id: payee.iban, name: 'Another Shop' } })],
    ['another purpose', () => ({ purpose: 'transfer' })],
  ])('that the customer has confirmed with %s is refused whole', async (_, act) => {
    const record = recordTo(payee);
    const confirmation = await bank.confirmed(record, act());
    const consentId = await bank.authorised(tppId, record, payer, confirmation);
    const before = await bank.available(payer);
    expect(await refusalOf(bank.payments.pay(orderOf(tppId, consentId, record)))).toEqual([
      'UK.OBIE.Reauthenticate',
      undefined,
    ]);
    expect(await statusOf(consentId)).toBe('Authorised');
    expect(await bank.available(payer)).toBe(before);
  });

  test('a confirmation is good for one payment', async () => {
    const record = recordTo(payee);
    const confirmation = await bank.confirmed(record);
    const first = await bank.authorised(tppId, record, payer, confirmation);
    await bank.payments.pay(orderOf(tppId, first, record));
    const { id } = await bank.createConsent(tppId, record);
    const second = bank.consents.authorise(tppId, id, {
      customerId: bank.payerId,
      accountIds: [payer.accountId],
      grantId: newId('request'),
      stepUpId: confirmation,
    });
    await expect(second).rejects.toThrow();
    expect(await statusOf(id)).toBe('AwaitingAuthorisation');
  });
});

describe('a payment that must not be made is rejected before money moves', () => {
  const rejected = async (record: PaymentRecord, reason: string) => {
    const consentId = await bank.authorised(tppId, record, payer);
    const before = await bank.available(payer);
    const payment = await bank.payments.pay(orderOf(tppId, consentId, record));
    expect(payment.transfer_id).toBeNull();
    expect(shownStatus(payment)).toBe('Rejected');
    expect(detailOf(payment)).toMatchObject({ Status: 'Rejected', StatusDetail: { Status: reason } });
    expect(await bank.available(payer)).toBe(before);
    expect(await statusOf(consentId)).toBe('Consumed');
  };

  test('there is not enough money', () => rejected(recordTo(payee, '99999.00'), 'AM04'));

  test('a limit of the payer', async () => {
    const subject = { customerId: bank.payerId, operation: 'p2p', currency: 'EUR' } as const;
    const limit = (perTransactionMinor?: bigint) =>
      bank.inTenant((trx) => setLimits(trx, bank.tenantId, ACTOR, subject, { perTransactionMinor }));
    await limit(500n);
    await rejected(recordTo(payee, '5.01'), 'AM14');
    await limit();
  });

  test('a payer whose transfers are suspended', async () => {
    const alias = { type: 'handle' as const, value: 'payer' };
    await bank.membership.enroll(bank.tenantId, bank.payerId, { alias, acceptEach: false }, ACTING);
    await bank.membership.suspend(bank.tenantId, bank.payerId, 'a test', ACTING);
    await rejected(recordTo(payee), 'AG01');
    await bank.membership.resume(bank.tenantId, bank.payerId, ACTING);
  });

  test('a payee who is blocked', async () => {
    const blocked = await bank.fund(await bank.person(), 1n);
    await bank.inTenant((trx) => trx('customers').where({ id: blocked.customerId }).update({ status: 'on_hold' }));
    await rejected(recordTo(blocked), 'BE06');
  });

  test('the payer’s own account', () => rejected(recordTo(payer), 'FF07'));
});

test.each([
  ['accept', 'AcceptedSettlementCompleted'],
  ['decline', 'Rejected'],
] as const)('a payee who asked to accept each transfer is asked: %s', async (answer, outcome) => {
  const careful = await bank.fund(await bank.person(), 1n);
  const alias = { type: 'handle' as const, value: `careful-${answer}` };
  await bank.membership.enroll(bank.tenantId, careful.customerId, { alias, acceptEach: true }, ACTING);
  const record = recordTo(careful);
  const before = await bank.available(payer);
  const payment = await bank.payments.pay(orderOf(tppId, await bank.authorised(tppId, record, payer), record));
  expect(shownStatus(payment)).toBe('AcceptedSettlementInProcess');
  expect(await bank.available(payer)).toBe(before - 1_000n);
  const act = { tenantId: bank.tenantId, transferId: payment.transfer_id!, acting: ACTING, actId: newId('request') };
  await bank.transfers[answer](act);
  const after = await bank.payments.find(tppId, payment.id, 'domestic');
  expect(shownStatus(after)).toBe(outcome);
  expect(detailOf(after).Status).toBe(outcome);
  expect(await bank.available(payer)).toBe(answer === 'accept' ? before - 1_000n : before);
});

describe('confirmation of funds', () => {
  test('says whether the account covers the payment, and leaves the consent as it is', async () => {
    for (const [amount, isCovered] of [
      ['1.00', true],
      ['99999.00', false],
    ] as const) {
      const consentId = await bank.authorised(tppId, recordTo(payee, amount), payer);
      expect(await bank.payments.hasFunds(await bank.usable(tppId, consentId), consentId)).toBe(isCovered);
      expect(await statusOf(consentId)).toBe('Authorised');
      const operation = 'GET /domestic-payment-consents/{ConsentId}/funds-confirmation';
      expectShown([operation], 200, fundsAnswer, presentFunds(isCovered, SELF));
    }
  });

  test('is refused with the token of another consent, and once the payment was made', async () => {
    const record = recordTo(payee);
    const [one, other] = [await bank.authorised(tppId, record, payer), await bank.authorised(tppId, record, payer)];
    expect(await refusalOf(bank.payments.hasFunds(await bank.usable(tppId, one), other))).toBe('not_found');
    await bank.payments.pay(orderOf(tppId, one, record));
    expect(await refusalOf(bank.payments.hasFunds(await bank.usable(tppId, one), one))).toEqual([
      'UK.OBIE.Resource.InvalidConsentStatus',
      'ConsentId',
    ]);
  });
});

test('the audit of the books finds a payment that is not its transfer, and a consent consumed by none', async () => {
  const record = recordTo(payee);
  const consentId = await bank.authorised(tppId, record, payer);
  const { id } = await bank.payments.pay(orderOf(tppId, consentId, record));
  const waiting = await bank.authorised(tppId, record, payer);
  const owner = knexFactory({
    client: 'pg',
    connection: testAdminUrl(`tillway_w${process.env.JEST_WORKER_ID ?? '1'}_bank_payments`),
  });
  const spoil = (statement: string) =>
    owner.transaction((trx) => trx.raw(`SET LOCAL session_replication_role = replica; ${statement}`));
  const found = async () => (await auditBooks(bank.place.database.ops, OPEN_BANKING_CHECKS)).findings;
  try {
    for (const column of ['amount_minor = amount_minor + 1', "currency = 'USD'", `creditor_iban = '${payer.iban}'`]) {
      await spoil(`UPDATE open_banking_payments SET ${column} WHERE id = '${id}'`);
      expect(await found()).toEqual([expect.objectContaining({ subject: id })]);
      await spoil(
        `UPDATE open_banking_payments SET amount_minor = 1000, currency = 'EUR', creditor_iban = '${payee.iban}'
         WHERE id = '${id}'`,
      );
    }
    await spoil(`UPDATE consents SET status = 'Consumed' WHERE id = '${waiting}'`);
    expect(await found()).toEqual([expect.objectContaining({ subject: waiting, detail: 'Consumed with no payment' })]);
    await spoil(`UPDATE consents SET status = 'Authorised' WHERE id = '${waiting}'`);
  } finally {
    await owner.destroy();
  }
});
