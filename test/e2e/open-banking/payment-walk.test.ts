import { expectPublished } from '../../interop/obie-3.1.11/published';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { Transfers } from '../p2p';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { codesOf, DOMESTIC_PAYMENTS, Initiator, PAYMENT_CONSENTS, paymentTo } from './initiator';
import { accountsIn, Customer, Provider } from './journey';
import { withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const provider = new Provider(credentials);
const browser = withoutCertificate(credentials);

let actors: Actors;
let one: Initiator;
let transfers: Transfers;
let payee: { customerId: string };
let iban: string;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  one = await Initiator.open(credentials);
  transfers = new Transfers(actors.tenantAdmin, actors);
  payee = await transfers.member('1.00');
  iban = await transfers.ibanOf(payee);
});
afterAll(() => {
  for (const caller of [provider, browser, one]) caller?.close();
});

/** A customer with so much in the wallet. */
async function payerWith(amount: string): Promise<Member> {
  const payer = await newMember(actors.tenantAdmin);
  await new Topups(actors.tenantAdmin).made(payer.customerId, { amount });
  return payer;
}

/** A customer confirms a payment, and its provider gets the token for it. */
async function confirmed(
  payer: Member,
  amount: string,
): Promise<{ order: Json; consentId: string; paying: Initiator }> {
  const { consentId, order } = await one.consent(paymentTo(iban, amount));
  const journey = provider.journey({ consentId });
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, payer);
  const { confirm } = await customer.askToPay(page, shown, payer, apiUrl);
  const { body } = await provider.caller.token(journey.exchange(await customer.back(await confirm())));
  return { order, consentId, paying: one.withToken(body.access_token) };
}

const statusOf = async (consentId: string): Promise<string> =>
  (await one.get(`${PAYMENT_CONSENTS}/${consentId}`)).body.Data.Status;

test('a customer confirms amount and payee with a code, and exactly that is paid, once', async () => {
  const payer = await payerWith('50.00');
  const before = await transfers.balance(payee);
  const body = paymentTo(iban, '12.34');
  const withRefund = { ...body, Data: { ...body.Data, ReadRefundAccount: 'Yes' } };
  const { consentId, order } = await one.consent(withRefund);
  const journey = provider.journey({ consentId });
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, payer);
  for (const text of [
    'The number of the account that pays and your name',
    credentials.tpp.name,
    '€12.34',
    `Corner Shop (${iban})`,
  ])
    expect(shown.text).toContain(text);

  const { asked, message, confirm } = await customer.askToPay(page, shown, payer, apiUrl);
  for (const text of ['€12.34', 'Corner Shop']) expect(asked.text).toContain(text);
  expect(message).toContain('to pay 12.34 EUR to Corner Shop');
  const wrong = await confirm(true);
  expect([wrong.status, wrong.text.includes('The code is wrong')]).toEqual([403, true]);
  expect(await statusOf(consentId)).toBe('AwaitingAuthorisation');
  const back = await customer.back(await confirm());
  const { status, body: tokens } = await provider.caller.token(journey.exchange(back));
  expect([status, tokens.scope, tokens.refresh_token]).toEqual([200, 'openid payments', undefined]);
  expect(await statusOf(consentId)).toBe('Authorised');

  const paying = one.withToken(tokens.access_token);
  const funds = await paying.get(`${PAYMENT_CONSENTS}/${consentId}/funds-confirmation`);
  expect(funds.body.Data.FundsAvailableResult).toMatchObject({ FundsAvailable: true });
  const paid = await paying.post(DOMESTIC_PAYMENTS, order);
  expect(paid.status).toBe(201);
  expectPublished('payment-initiation', 'POST /domestic-payments', 201, paid.body);
  await one.verify(paid);
  expect(await transfers.balance(payer)).toEqual(['37.66', '0.00']);
  expect(await transfers.balance(payee)).toEqual([plus(before[0]!, 1234), before[1]]);
  expect(await statusOf(consentId)).toBe('Consumed');

  const { DomesticPaymentId } = paid.body.Data;
  const read = await one.get(`${DOMESTIC_PAYMENTS}/${DomesticPaymentId}`);
  expectPublished('payment-initiation', 'GET /domestic-payments/{DomesticPaymentId}', 200, read.body);
  expect(read.body.Data).toMatchObject({ ConsentId: consentId, Status: 'AcceptedSettlementCompleted' });
  const account = { SchemeName: 'UK.OBIE.IBAN', Identification: await transfers.ibanOf(payer), Name: 'Eve Moneypenny' };
  expect([paid.body.Data.Refund, read.body.Data.Refund]).toEqual([{ Account: account }, { Account: account }]);
  const again = await paying.post(DOMESTIC_PAYMENTS, order);
  expect([again.status, codesOf(again)]).toEqual([400, ['UK.OBIE.Resource.InvalidConsentStatus']]);
  expect(await transfers.balance(payer)).toEqual(['37.66', '0.00']);
});

test('another amount or payee than the customer has confirmed is refused, and names what differs', async () => {
  const payer = await payerWith('20.00');
  const { order, paying, consentId } = await confirmed(payer, '5.00');
  const { Initiation } = order.Data;
  const altered: [object, string][] = [
    [{ InstructedAmount: { Amount: '6.00', Currency: 'EUR' } }, 'Data.Initiation.InstructedAmount.Amount'],
    [
      { CreditorAccount: { ...Initiation.CreditorAccount, Name: 'Corner Shop Ltd' } },
      'Data.Initiation.CreditorAccount.Name',
    ],
  ];
  for (const [changed, path] of altered) {
    const data = { ...order.Data, Initiation: { ...Initiation, ...changed } };
    const refused = await paying.post(DOMESTIC_PAYMENTS, { ...order, Data: data });
    expect([refused.status, refused.body.Errors]).toEqual([
      400,
      [{ ErrorCode: 'UK.OBIE.Resource.ConsentMismatch', Message: expect.any(String), Path: path }],
    ]);
  }
  expect(await transfers.balance(payer)).toEqual(['20.00', '0.00']);
  expect(await statusOf(consentId)).toBe('Authorised');
});

test('the token of a consent pays no other consent, and the log of its own says so', async () => {
  const { order, paying, consentId } = await confirmed(await payerWith('20.00'), '5.00');
  const two = await Initiator.open({ authUrl: credentials.authUrl, tpp: credentials.other.tpp });
  try {
    const own = await one.consent(paymentTo(iban, '5.00'));
    const foreign = await two.consent(paymentTo(await foreignIban(), '5.00'));
    for (const { consentId: named } of [own, foreign]) {
      const refused = await paying.post(DOMESTIC_PAYMENTS, { ...order, Data: { ...order.Data, ConsentId: named } });
      expect([refused.status, codesOf(refused)]).toEqual([400, ['UK.OBIE.Resource.ConsentMismatch']]);
    }
    const { body } = await actors.tenantAdmin.get(`/consents/1.0.0/consents/${consentId}/accesses`);
    expect(body.data).toMatchObject(Array(2).fill({ resource: 'domestic-payments', refusal: expect.any(String) }));
    expect((await two.get(`${PAYMENT_CONSENTS}/${foreign.consentId}`)).body.Data.Status).toBe('AwaitingAuthorisation');
    expect([await statusOf(own.consentId), await statusOf(consentId)]).toEqual(['AwaitingAuthorisation', 'Authorised']);
  } finally {
    two.close();
  }
});

/** Of a customer of the other tenant, whose provider `two` is. */
async function foreignIban(): Promise<string> {
  const there = await actorsOf(credentials, credentials.other);
  const others = new Transfers(there.tenantAdmin, there);
  return others.ibanOf(await others.member('1.00'));
}

test('of six requests at once with keys of their own, one pays', async () => {
  const payer = await payerWith('20.00');
  const { order, paying } = await confirmed(payer, '5.00');
  const six = await Promise.all(Array.from({ length: 6 }, () => paying.post(DOMESTIC_PAYMENTS, order)));
  expect(six.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const refused of six.filter(({ status }) => status !== 201))
    expect([refused.status, codesOf(refused)]).toEqual([400, ['UK.OBIE.Resource.InvalidConsentStatus']]);
  expect(await transfers.balance(payer)).toEqual(['15.00', '0.00']);
});

test('too little money: the payment is rejected with the reason, and nothing moves', async () => {
  const payer = await payerWith('1.00');
  const { order, paying, consentId } = await confirmed(payer, '5.00');
  const funds = await paying.get(`${PAYMENT_CONSENTS}/${consentId}/funds-confirmation`);
  expect(funds.body.Data.FundsAvailableResult).toMatchObject({ FundsAvailable: false });
  const { status, body } = await paying.post(DOMESTIC_PAYMENTS, order);
  expect([status, body.Data.Status]).toEqual([201, 'Rejected']);
  const details = await one.get(`${DOMESTIC_PAYMENTS}/${body.Data.DomesticPaymentId}/payment-details`);
  expect(details.body.Data.PaymentStatus).toMatchObject([{ Status: 'Rejected', StatusDetail: { Status: 'AM04' } }]);
  expect(await transfers.balance(payer)).toEqual(['1.00', '0.00']);
});

test('the customer chooses among accounts in the currency of the payment alone', async () => {
  const payer = await payerWith('20.00');
  await new Topups(actors.tenantAdmin).made(payer.customerId, { amount: '20.00', currency: 'USD' });
  const { consentId } = await one.consent(paymentTo(iban, '5.00'));
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(provider.journey({ consentId }), payer);
  expect(accountsIn(shown)).toHaveLength(1);
  expect(shown.text).not.toContain('(USD)');
  const all = await new Customer(browser).signIn(
    provider.journey(await provider.accountConsent(payer.customerId)),
    payer,
  );
  const [dollars] = accountsIn(all.shown).filter((id) => !accountsIn(shown).includes(id));
  // A form that somebody has altered: refused when it is confirmed, with the right code.
  const { confirm } = await customer.askToPay(
    page,
    { ...shown, text: `name="account" value="${dollars}"` },
    payer,
    apiUrl,
  );
  expect((await confirm()).status).toBe(400);
  expect(await statusOf(consentId)).toBe('AwaitingAuthorisation');
});

/** An amount and so many cents. */
const plus = (amount: string, cents: number) => {
  const sum = BigInt(amount.replace('.', '')) + BigInt(cents);
  return `${sum / 100n}.${`${sum % 100n}`.padStart(2, '0')}`;
};
