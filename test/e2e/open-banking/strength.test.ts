import { decodeJwt } from 'jose';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf } from '../client';
import { Transfers } from '../p2p';
import { codeTo, lettersTo, type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { Initiator, paymentTo } from './initiator';
import { accountsIn, Customer, type Journey, Provider } from './journey';
import { withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const { authUrl } = credentials;
const [CA, SCA] = ['urn:openbanking:psd2:ca', 'urn:openbanking:psd2:sca'];
const provider = new Provider(credentials);
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const one of [provider, browser]) one.close();
});

let actors: Actors;
let eve: Member;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  // She has not switched a second factor on.
  eve = await newMember(actors.tenantAdmin);
  await new Topups(actors.tenantAdmin).made(eve.customerId, { amount: '50.00' });
});

/** A request that insists on how its customer authenticates. */
function insisting(consent: { consentId: string; authorisationUrl?: string }, ...values: string[]): Journey {
  const url = new URL(consent.authorisationUrl ?? provider.journey(consent).start, authUrl);
  url.searchParams.set('claims', JSON.stringify({ id_token: { acr: { essential: true, values } } }));
  return provider.journey({ ...consent, authorisationUrl: url.href });
}

async function acrAfter(journey: Journey, back: URL): Promise<unknown> {
  const { body } = await provider.caller.token(journey.exchange(back));
  return decodeJwt(body.id_token).acr;
}

test('who insists on strong authentication gets it: the customer types a code, whatever was switched on', async () => {
  const consent = await provider.accountConsent(eve.customerId);
  const journey = insisting(consent, SCA);
  const customer = new Customer(browser);
  const page = await customer.open(journey);
  const earlier = await lettersTo(apiUrl, eve.email);
  const password = new URLSearchParams({ name: eve.email, password: PASSWORD });
  const { headers } = await customer.send(`${page}/sign-in`, password);
  expect(headers.location).toContain('/sign-in/code');
  // Without the code, nothing is shown and nothing can be confirmed.
  expect((await customer.send(page)).headers.location).toContain('/sign-in');
  expect((await customer.press(page, 'confirm', ['1'])).headers.location).toContain('/sign-in');
  const code = await codeTo(apiUrl, eve.email, earlier);
  await customer.send(`${page}/sign-in/code`, new URLSearchParams({ code }));
  const back = await customer.decide(page, 'confirm', accountsIn(await customer.send(page)));
  expect(await acrAfter(journey, back)).toBe(SCA);
});

test('who has signed in by password alone is asked to sign in again', async () => {
  const first = new Customer(browser);
  await first.signIn(provider.journey(await provider.accountConsent(eve.customerId)), eve);
  const tab = first.tab();
  const page = await tab.open(insisting(await provider.accountConsent(eve.customerId), SCA));
  expect((await tab.send(page)).headers.location).toContain('/sign-in');
});

test('who is content with less gets what there was, and a strength that nobody has is refused', async () => {
  for (const [values, acr] of [
    [[CA], CA],
    [[CA, SCA], CA],
  ] as const) {
    const journey = insisting(await provider.accountConsent(eve.customerId), ...values.map(String));
    const customer = new Customer(browser);
    const { page, shown } = await customer.signIn(journey, eve);
    const back = await customer.decide(page, 'confirm', accountsIn(shown));
    expect(await acrAfter(journey, back)).toBe(acr);
  }
  const journey = insisting(await provider.accountConsent(eve.customerId), 'urn:better');
  const { headers } = await browser.send(journey.start);
  const back = new URL(headers.location!);
  expect(back.searchParams.get('error')).toBe('unmet_authentication_requirements');
});

test('a payment that was confirmed with its code was strongly authenticated, also where that was insisted on', async () => {
  const one = await Initiator.open(credentials);
  const transfers = new Transfers(actors.tenantAdmin, actors);
  const iban = await transfers.ibanOf(await transfers.member('1.00'));
  const ways = [(id: string) => provider.journey({ consentId: id }), (id: string) => insisting({ consentId: id }, SCA)];
  for (const way of ways) {
    const { consentId } = await one.consent(paymentTo(iban, '1.23'));
    const journey = way(consentId);
    const customer = new Customer(browser);
    const { page, shown } = await customer.signIn(journey, eve);
    const { confirm } = await customer.askToPay(page, shown, eve, apiUrl);
    expect(await acrAfter(journey, await customer.back(await confirm()))).toBe(SCA);
  }
  one.close();
});
