import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf } from '../client';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { accountsIn, Customer } from './journey';
import { RegisteredTpp } from './registered';
import { withoutCertificate } from './tpp';

const { credentials } = sharedStack();
const browser = withoutCertificate(credentials);

let actors: Actors;
let tpp: RegisteredTpp;
let eve: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  [eve, tpp] = await Promise.all([newMember(actors.tenantAdmin), RegisteredTpp.register()]);
  await new Topups(actors.tenantAdmin).made(eve.customerId);
});
afterAll(() => {
  for (const one of [browser, tpp]) one?.close();
});

/** A customer who sees the page that asks, and what the accounts are. */
async function asked() {
  const consent = await tpp.provider.accountConsent(eve.customerId);
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(tpp.provider.journey(consent), eve);
  return { consentId: consent.consentId as string, customer, page, accounts: accountsIn(shown) };
}

test.each(['confirm', 'refuse'] as const)('a provider is disabled before the customer can %s', async (decision) => {
  const { consentId, customer, page, accounts } = await asked();
  await tpp.act('disable');
  const told = await customer.press(page, decision, accounts);
  expect([told.status, told.text.includes('may not use accounts here')]).toEqual([409, true]);
  // Nobody is sent to a provider that may not act.
  expect(told.text).not.toContain('Go back to where you came from');
  await tpp.act('enable');
  expect(await tpp.provider.statusOf(consentId)).toBe('AwaitingAuthorisation');
});

test.each([
  [
    'its provider',
    async (id: string) => {
      const headers = await tpp.provider.bearer();
      await tpp.caller.send(`/open-banking/2.0.0/consent/${id}`, { method: 'DELETE', headers });
    },
  ],
  [
    'the bank',
    async (id: string) => {
      await actors.tenantAdmin.post(`/consents/1.0.0/consents/${id}/revoke`, { reason: 'asked by telephone' });
    },
  ],
])('a consent is ended by %s before the customer confirms: the page says so, and leads back', async (_name, end) => {
  const { consentId, customer, page, accounts } = await asked();
  await end(consentId);
  const told = await customer.press(page, 'confirm', accounts);
  expect([told.status, told.text.includes('It was withdrawn, or its time is up.')]).toEqual([409, true]);
  expect(await tpp.provider.statusOf(consentId)).toBe('Rejected');
  const [, way] = /href="([^"]+\/back)"/.exec(told.text)!;
  const back = await customer.back(await customer.send(way!));
  expect(back.searchParams.get('error')).toBe('access_denied');
});
