import { bodyOf } from '../../../../src/api/account-information/body';
import { newId } from '../../../../src/domain/ids';
import { incomingOf, walletOf } from '../../../../src/money/ledger/accounts';
import { Mandates } from '../../../../src/money/payments/mandates';
import type { Access } from '../../../../src/open-banking/account-information/access';
import type { Listed } from '../../../../src/open-banking/account-information/service';
import { expectPublished } from '../../../interop/obie-3.1.11/published';
import { Bank, EVERYTHING, processor } from './place';

let bank: Bank;
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(() => bank.database.close());

const PAGE = { limit: 100 };
const id = ({ accounts: [account] }: Access) => String(account!.account_id);
const basically = (resource: string) =>
  EVERYTHING.map((name) => (name === `Read${resource}Detail` ? `Read${resource}Basic` : name));
const lacking = (name: string) => EVERYTHING.filter((one) => !one.startsWith(name));

/** Checks a list against the schema that the standard publishes for it. */
function published(path: string, name: string, items: object[], pages: Partial<Listed<unknown>> = {}) {
  const asked = { base: 'https://127.0.0.1:8443/open-banking/2.0.0', path: path.replace('{AccountId}', '1') };
  expectPublished('account-info', `GET ${path}`, 200, bodyOf(asked, { [name]: items }, pages));
}

test('accounts: their numbers and the owner’s name in detail alone', async () => {
  const ann = await bank.saver(100n, 'Ann Example');
  await bank.book([bank.moved(processor, walletOf(ann), 5n)], 'JPY');
  const accounts = [await bank.accountOf(ann), await bank.accountOf(ann, 'JPY')];
  const access = await bank.access(ann, { accounts });
  const detail = await bank.service.accounts(access);
  expect(detail).toEqual(
    accounts.map(({ account_id, iban, currency }) => ({
      AccountId: String(account_id),
      Status: 'Enabled',
      Currency: currency,
      AccountType: 'Personal',
      AccountSubType: 'Wallet',
      Description: `Wallet in ${currency}`,
      OpeningDate: expect.stringMatching(/Z$/),
      Account: [{ SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name: 'Ann Example' }],
    })),
  );
  const basic = await bank.service.accounts({ ...access, permissions: basically('Accounts') });
  expect(basic.map(({ AccountId }) => AccountId)).toEqual(detail.map(({ AccountId }) => AccountId));
  expect(JSON.stringify(basic)).not.toMatch(/Ann|GB/);
  published('/accounts', 'Account', detail);
  published('/accounts', 'Account', basic);
  const one = await bank.service.account(access, detail[1]!.AccountId);
  expect(one).toEqual(detail[1]);
  published('/accounts/{AccountId}', 'Account', [one]);
});

test('an account of somebody who is blocked is disabled, of a company a business account', async () => {
  const company = await bank.customer('A Company', { customer_type: 'Organization', status: 'on_hold' });
  await bank.book([bank.moved(processor, walletOf(company), 100n)]);
  const [account] = await bank.service.accounts(await bank.access(company));
  expect(account).toMatchObject({ Status: 'Disabled', AccountType: 'Business' });
});

test('balances: available without what is held, booked with what is still to come', async () => {
  const ann = await bank.saver(1_000n);
  await bank.book([bank.moved(processor, incomingOf(ann), 70n)]);
  await bank.book([{ ...bank.moved(walletOf(ann), processor, 300n), phase: 'pending' }]);
  const access = await bank.access(ann);
  const balances = await bank.service.balances(access, id(access));
  expect(balances).toMatchObject([
    { Type: 'InterimAvailable', CreditDebitIndicator: 'Credit', Amount: { Amount: '7.00', Currency: 'EUR' } },
    { Type: 'InterimBooked', CreditDebitIndicator: 'Credit', Amount: { Amount: '10.70', Currency: 'EUR' } },
  ]);
  const { items } = await bank.service.transactions(access, id(access), PAGE);
  expect(items[0]!.Balance!.Amount).toEqual(balances[1]!.Amount);
  published('/accounts/{AccountId}/balances', 'Balance', balances);
  published('/accounts/{AccountId}/transactions', 'Transaction', items);
});

test('beneficiaries: all saved recipients, page by page, named as their customer named them', async () => {
  const ann = await bank.saver(100n);
  const recipients = [
    { type: 'iban' as const, value: 'GB29NWBK60161331926819', name: 'The landlord' },
    { type: 'alias' as const, value: '+447700900123', name: 'Bob' },
    { type: 'alias' as const, value: 'carol', name: 'Carol' },
    { type: 'customer' as const, value: newId('customer'), name: '' },
  ];
  for (const recipient of recipients) {
    const beneficiary = newId('beneficiary');
    await bank.database.tenant(bank.tenantId, (trx) =>
      trx('beneficiaries').insert({
        id: beneficiary,
        tenant_id: bank.tenantId,
        customer_id: ann,
        type: recipient.type,
        mac: bank.beneficiaryKeys.macsOf(recipient)[0],
        sealed: bank.beneficiaryKeys.seal(beneficiary, recipient),
      }),
    );
  }
  const access = await bank.access(ann);
  const { items, next } = await bank.service.beneficiaries(access, id(access), PAGE);
  expect(next).toBeUndefined();
  expect(items.map(({ CreditorAccount }) => CreditorAccount)).toEqual([
    { SchemeName: 'Tillway.CustomerId', Identification: recipients[3]!.value },
    { SchemeName: 'Tillway.Alias', Identification: 'carol', Name: 'Carol' },
    { SchemeName: 'UK.OBIE.Paym', Identification: '+447700900123', Name: 'Bob' },
    { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB29NWBK60161331926819', Name: 'The landlord' },
  ]);
  published('/accounts/{AccountId}/beneficiaries', 'Beneficiary', items);
  const basic = await bank.service.beneficiaries(
    { ...access, permissions: basically('Beneficiaries') },
    id(access),
    PAGE,
  );
  expect(basic.items.map((one) => Object.keys(one))).toEqual(
    items.map(() => ['AccountId', 'BeneficiaryId', 'BeneficiaryType']),
  );
  published('/accounts/{AccountId}/beneficiaries', 'Beneficiary', basic.items);
  // Page by page, without the customer: one reading.
  const alone = { ...access, customerPresent: false };
  for (let reading = 0; reading < 4; reading += 1) {
    const first = await bank.service.beneficiaries(alone, id(access), { limit: 3 });
    const second = await bank.service.beneficiaries(alone, id(access), { limit: 3, cursor: first.next });
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.next).toBeUndefined();
  }
  await expect(bank.service.beneficiaries(alone, id(access), { limit: 3 })).rejects.toMatchObject({
    code: 'rate_limited',
  });
});

test('direct debits: the mandates against this very account number, whoever else has its last digits', async () => {
  const ann = await bank.saver(100n);
  const access = await bank.access(ann);
  const { iban } = access.accounts[0]!;
  const organizationId = newId('organization');
  await bank.database
    .system('organizations')
    .insert({ id: organizationId, tenant_id: bank.tenantId, name: 'Water and Power plc' });
  const mandates = new Mandates(bank.database, bank.vault);
  const sign = async (account: string) => {
    const mandateId = newId('mandate');
    await bank.database.tenant(bank.tenantId, (trx) =>
      mandates.create(
        trx,
        { tenantId: bank.tenantId, organizationId, paymentId: newId('payment') },
        { mandateId, iban: account, accountHolder: 'Ann Example', signedAt: '2026-01-01T00:00:00.000Z' },
      ),
    );
    return mandateId;
  };
  const [first, , second] = [
    await sign(iban),
    await sign(`GB29NWBK6016133192${iban.slice(-4)}`),
    await sign(iban),
    await sign('GB29NWBK60161331926819'),
  ];
  await bank.database.system('mandates').where({ id: first }).update({ state: 'cancelled' });
  const { items } = await bank.service.directDebits(access, id(access), PAGE);
  expect(items).toEqual(
    [
      { mandate: second, DirectDebitStatusCode: 'Active' },
      { mandate: first, DirectDebitStatusCode: 'Inactive' },
    ].map(({ mandate, DirectDebitStatusCode }) => ({
      AccountId: id(access),
      DirectDebitId: mandate,
      MandateIdentification: mandate,
      DirectDebitStatusCode,
      Name: 'Water and Power plc',
    })),
  );
  published('/accounts/{AccountId}/direct-debits', 'DirectDebit', items);
  const page = await bank.service.directDebits(access, id(access), { limit: 1 });
  expect(page.items).toEqual([items[0]]);
  const rest = await bank.service.directDebits(access, id(access), { limit: 1, cursor: page.next });
  expect(rest).toEqual({ items: [items[1]] });
});

test('standing orders: those of the account’s currency that are not over', async () => {
  const [ann, bob] = [await bank.saver(100n), await bank.saver(100n)];
  const order = async (changes: object) => {
    const orderId = newId('transferSchedule');
    await bank.database.tenant(bank.tenantId, (trx) =>
      trx('p2p_schedules').insert({
        id: orderId,
        tenant_id: bank.tenantId,
        sender_id: ann,
        recipient_id: bob,
        currency: 'EUR',
        amount_minor: 2_500,
        kind: 'standing_order',
        frequency: 'monthly',
        starts_at: new Date('2026-01-31T06:00:00Z'),
        status: 'active',
        created_by: ann,
        ...changes,
      }),
    );
    return orderId;
  };
  const ends_at = new Date('2090-02-28T23:59:59Z');
  const rent = await order({ note: 'Rent for the flat at the end of the long road', ends_at });
  const paused = await order({ paused_at: new Date(), frequency: 'once' });
  await order({ status: 'cancelled' });
  await order({ currency: 'JPY' });
  await order({ kind: 'schedule' });
  await order({ sender_id: bob, recipient_id: ann });
  const access = await bank.access(ann);
  const { items } = await bank.service.standingOrders(access, id(access), PAGE);
  const money = { Amount: '25.00', Currency: 'EUR' };
  expect(items).toEqual([
    expect.objectContaining({ StandingOrderId: paused, StandingOrderStatusCode: 'Inactive', Frequency: 'NotKnown' }),
    {
      AccountId: id(access),
      StandingOrderId: rent,
      Frequency: 'IntrvlMnthDay:01:-01',
      Reference: 'Rent for the flat at the end of the',
      FirstPaymentDateTime: '2026-01-31T06:00:00.000Z',
      FirstPaymentAmount: money,
      NextPaymentDateTime: expect.stringMatching(/T06:00:00.000Z$/),
      NextPaymentAmount: money,
      FinalPaymentDateTime: '2090-02-28T06:00:00.000Z',
      FinalPaymentAmount: money,
      StandingOrderStatusCode: 'Active',
      CreditorAccount: { SchemeName: 'Tillway.CustomerId', Identification: bob },
    },
  ]);
  expect(items[0]).not.toHaveProperty('NextPaymentDateTime');
  published('/accounts/{AccountId}/standing-orders', 'StandingOrder', items);
  const basic = await bank.service.standingOrders(
    { ...access, permissions: basically('StandingOrders') },
    id(access),
    PAGE,
  );
  expect(JSON.stringify(basic.items)).not.toContain(bob);
  published('/accounts/{AccountId}/standing-orders', 'StandingOrder', basic.items);
});

test('each resource needs its own permission, and its account', async () => {
  const [ann, bob] = [await bank.saver(100n), await bank.saver(100n)];
  await bank.book([bank.moved(processor, walletOf(ann), 5n)], 'JPY');
  const access = await bank.access(ann);
  const { service } = bank;
  const calls: Record<string, (by: Access, account: string) => Promise<unknown>> = {
    ReadAccounts: (by, account) => service.account(by, account),
    ReadBalances: (by, account) => service.balances(by, account),
    ReadBeneficiaries: (by, account) => service.beneficiaries(by, account, PAGE),
    ReadDirectDebits: (by, account) => service.directDebits(by, account, PAGE),
    ReadStandingOrders: (by, account) => service.standingOrders(by, account, PAGE),
    ReadTransactions: (by, account) => service.transactions(by, account, PAGE),
  };
  const foreign = await Bank.open();
  const [yen, bobs, elsewhere] = [
    await bank.accountOf(ann, 'JPY'),
    await bank.accountOf(bob),
    await foreign.accountOf(await foreign.saver(100n)),
  ].map(({ account_id }) => String(account_id));
  await foreign.database.close();
  for (const [permission, call] of Object.entries(calls)) {
    await call(access, id(access));
    await expect(call({ ...access, permissions: lacking(permission) }, id(access))).rejects.toMatchObject({
      code: 'forbidden',
    });
    for (const notShared of [yen!, bobs!])
      await expect(call(access, notShared)).rejects.toMatchObject({ code: 'forbidden' });
    for (const unknown of [elsewhere!, '999999999999', '0', '-1', '1.0', 'abc', '9'.repeat(40), "1' OR 1=1"])
      await expect(call(access, unknown)).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(service.accounts({ ...access, permissions: lacking('ReadAccounts') })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('nothing is answered once the consent has ended, though the call began before', async () => {
  const ann = await bank.saver(100n);
  const access = await bank.access(ann);
  await bank.service.balances(access, id(access));
  await bank.database.system('consents').where({ id: access.consentId }).update({ status: 'Revoked' });
  await expect(bank.service.accounts(access)).rejects.toMatchObject({ code: 'consent_not_usable' });
  await expect(bank.service.balances(access, id(access))).rejects.toMatchObject({ code: 'consent_not_usable' });
  await expect(bank.service.transactions(access, id(access), PAGE)).rejects.toMatchObject({
    code: 'consent_not_usable',
  });
});

test('without the customer four readings in 24 hours, of each resource and account, also at once', async () => {
  const ann = await bank.saver(100n);
  await bank.book([bank.moved(processor, walletOf(ann), 5n)], 'JPY');
  const accounts = [await bank.accountOf(ann), await bank.accountOf(ann, 'JPY')];
  const access = await bank.access(ann, { accounts, customerPresent: false });
  const other = await bank.access(ann, { customerPresent: false });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, () => bank.service.balances(access, id(access))),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'rate_limited' });
  const refusal = await bank.service.balances(access, id(access)).catch((error) => error);
  expect(refusal.retryAfterSeconds).toBeGreaterThan(86_000);
  expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(86_400);
  // Other accounts, resources and consents, and the customer, are not refused.
  await bank.service.balances(access, String(accounts[1]!.account_id));
  await bank.service.accounts(access);
  await bank.service.balances(other, id(other));
  await bank.service.balances({ ...access, customerPresent: true }, id(access));

  // When the oldest is 24 hours old, one more is allowed, and no second one.
  await bank.database.tenant(bank.tenantId, (trx) =>
    trx('unattended_readings')
      .where({ consent_id: access.consentId, account_id: id(access) })
      .update({ read_at: trx.raw("read_at[2:] || (now() - interval '24 hours 1 second')") }),
  );
  await bank.service.balances(access, id(access));
  await expect(bank.service.balances(access, id(access))).rejects.toMatchObject({ code: 'rate_limited' });
});

test('a reading that is refused or fails is not counted; the pages of one count once', async () => {
  const ann = await bank.saver(1_000n);
  for (let n = 0; n < 5; n += 1) await bank.book([bank.moved(walletOf(ann), processor, 1n)]);
  const access = await bank.access(ann, { customerPresent: false });
  for (let n = 0; n < 6; n += 1)
    await expect(
      bank.service.transactions({ ...access, permissions: lacking('ReadTransactions') }, id(access), PAGE),
    ).rejects.toMatchObject({ code: 'forbidden' });
  for (let reading = 0; reading < 4; reading += 1) {
    let cursor: string | undefined;
    let seen = 0;
    do {
      const page = await bank.service.transactions(access, id(access), { limit: 2, cursor });
      seen += page.items.length;
      cursor = page.next;
    } while (cursor);
    expect(seen).toBe(6);
  }
  await expect(bank.service.transactions(access, id(access), { limit: 2 })).rejects.toMatchObject({
    code: 'rate_limited',
  });
});

test('the table itself holds no fifth reading, and no other tenant’s rows', async () => {
  const ann = await bank.saver(100n);
  const { consentId } = await bank.access(ann);
  const row = { consent_id: consentId, tenant_id: bank.tenantId, account_id: 1, resource: 'balances' };
  const insert = (tenantId: string, read_at: Date[]) =>
    bank.database.tenant(tenantId, (trx) => trx('unattended_readings').insert({ ...row, read_at }));
  await expect(insert(bank.tenantId, Array(5).fill(new Date()))).rejects.toMatchObject({ code: '23514' });
  await expect(insert(newId('tenant'), [new Date()])).rejects.toMatchObject({ code: '42501' });
  await insert(bank.tenantId, [new Date()]);
  const seen = await bank.database.tenant(newId('tenant'), (trx) => trx('unattended_readings').select());
  expect(seen).toEqual([]);
});
