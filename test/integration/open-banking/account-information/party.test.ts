import { bodyOf } from '../../../../src/api/account-information/body';
import { walletOf } from '../../../../src/money/ledger/accounts';
import type { Access } from '../../../../src/open-banking/account-information/access';
import { expectPublished } from '../../../interop/obie-3.1.11/published';
import { Bank, EVERYTHING, processor } from './place';

let bank: Bank;
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(() => bank.database.close());

const id = ({ accounts: [account] }: Access) => String(account!.account_id);
const lacking = (name: string) => EVERYTHING.filter((one) => one !== name);

/** A customer with money, and a consent to everything. */
async function sharing(person?: object, changes?: object): Promise<Access> {
  const customerId = await bank.customer('Ann Example', changes, person);
  await bank.book([bank.moved(processor, walletOf(customerId), 100n)]);
  return bank.access(customerId);
}

/** Both answers, held to the standard: the customer, and the owner of the account. */
async function read(access: Access) {
  const [customer, owner] = [await bank.service.party(access), await bank.service.accountParty(access, id(access))];
  const base = 'https://127.0.0.1:8443';
  for (const [path, Party] of [
    ['/party', customer],
    ['/accounts/{AccountId}/party', owner],
    ['/accounts/{AccountId}/parties', [owner]],
  ] as const)
    expectPublished('account-info', `GET ${path}`, 200, bodyOf({ base, path: path.replace(/[{}]/g, '') }, { Party }));
  expect(owner).toEqual({ ...customer, AccountRole: 'UK.OBIE.Principal' });
  return customer;
}

test('the customer with all that the record has to reach one', async () => {
  const access = await sharing({
    fullName: 'Ann Mary Example',
    email: ' ann@example.com ',
    telephoneNumbers: [
      { phoneType: 'fixed', country: 'PT', number: '212 345 678' },
      { phoneType: 'mobile', country: '351', number: '912345678' },
    ],
    addresses: [
      {
        addressPurpose: 'home',
        address: {
          street: 'Rua Augusta',
          streetNumber: ['12', '14'],
          zipCode: '1100-048',
          city: 'Lisboa',
          area: 'Lisboa',
          country: 'PT',
        },
      },
      { address: { street: 'Somewhere', country: 'Portugal' } },
    ],
  });
  expect(await read(access)).toEqual({
    PartyId: access.customerId,
    PartyType: 'Sole',
    Name: 'Ann Example',
    FullLegalName: 'Ann Mary Example',
    LegalStructure: 'UK.OBIE.Individual',
    EmailAddress: 'ann@example.com',
    Phone: '+351-212345678',
    Mobile: '+351-912345678',
    Address: [
      {
        StreetName: 'Rua Augusta',
        BuildingNumber: '12, 14',
        PostCode: '1100-048',
        TownName: 'Lisboa',
        CountrySubDivision: 'Lisboa',
        Country: 'PT',
      },
    ],
  });
});

test('what the record lacks, or the standard has no room for, is left out', async () => {
  const company = await sharing(undefined, { customer_type: 'Organization' });
  expect(await read(company)).toEqual({ PartyId: company.customerId, PartyType: 'Sole', Name: 'Ann Example' });
  const odd = await sharing({
    fullName: 'x'.repeat(400),
    email: '',
    telephoneNumbers: [{ number: '12' }, { phoneType: 'mobile' }],
    addresses: [{ address: { street: 'y'.repeat(90), country: 'GB' } }, {}],
  });
  expect(await read(odd)).toEqual({
    PartyId: odd.customerId,
    PartyType: 'Sole',
    Name: 'Ann Example',
    FullLegalName: 'x'.repeat(350),
    LegalStructure: 'UK.OBIE.Individual',
    Address: [{ StreetName: 'y'.repeat(70), Country: 'GB' }],
  });
});

test('each needs a permission of its own, and an account of the consent', async () => {
  const access = await sharing();
  const [own, psu] = [
    { ...access, permissions: lacking('ReadPartyPSU') },
    { ...access, permissions: lacking('ReadParty') },
  ];
  await expect(bank.service.party(own)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(bank.service.accountParty(psu, id(access))).rejects.toMatchObject({ code: 'forbidden' });
  const other = await sharing();
  await expect(bank.service.accountParty(access, id(other))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(bank.service.accountParty(access, '999999999')).rejects.toMatchObject({ code: 'not_found' });
});

test('four times a day without the customer', async () => {
  const alone = { ...(await sharing()), customerPresent: false };
  for (let reading = 0; reading < 4; reading += 1) await read(alone);
  for (const fifth of [bank.service.party(alone), bank.service.accountParty(alone, id(alone))])
    await expect(fifth).rejects.toMatchObject({ code: 'rate_limited' });
  await read({ ...alone, customerPresent: true });
});
