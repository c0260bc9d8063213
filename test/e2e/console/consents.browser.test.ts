import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { Initiator, paymentTo } from '../open-banking/initiator';
import { accountsIn, Customer, Provider } from '../open-banking/journey';
import { withoutCertificate } from '../open-banking/tpp';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { newPerson } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();
const { tenantId, tpp } = credentials;
const CONSENTS = '/consents/1.0.0/consents';
const ACCOUNTS = '/open-banking/2.0.0/accounts';
/** More than the console shows at once. */
const READINGS = 26;

inBrowser('the bank’s people, about what customers let third parties do', () => {
  const provider = new Provider(credentials);
  const customerBrowser = withoutCertificate(credentials);
  let browser: Browser;
  let actors: Actors;
  let asAdmin: (visitor: Visitor) => Promise<void>;

  beforeAll(async () => {
    actors = await actorsOf(credentials);
    [browser, asAdmin] = await Promise.all([openBrowser(), newPerson(actors.tenantAdmin, 'tenant_admin')]);
  });
  afterAll(async () => {
    provider.close();
    customerBrowser.close();
    await browser?.close();
  });

  async function admin(device = DESKTOP): Promise<Visitor> {
    const visitor = await Visitor.open(browser, apiUrl, device);
    await asAdmin(visitor);
    return visitor;
  }

  async function newOwner(): Promise<Member & { iban: string }> {
    const member = await newMember(actors.tenantAdmin);
    await new Topups(actors.tenantAdmin).made(member.customerId);
    const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${member.customerId}/balances`);
    return { ...member, iban: body.data[0].iban };
  }

  /** A consent that its customer has authorised, and a reading with the token for it. */
  async function authorised(member: Member): Promise<{ consentId: string; read(): Promise<number> }> {
    const consent = await provider.accountConsent(member.customerId);
    const journey = provider.journey(consent);
    const customer = new Customer(customerBrowser);
    const { page, shown } = await customer.signIn(journey, member);
    const back = await customer.decide(page, 'confirm', accountsIn(shown));
    const { body } = await provider.caller.token(journey.exchange(back));
    // The customer is present: the number of readings has no limit.
    const headers = { authorization: `Bearer ${body.access_token}`, 'x-fapi-customer-ip-address': '203.0.113.7' };
    const read = async () => (await provider.caller.send(ACCOUNTS, { headers })).status;
    return { consentId: consent.consentId, read };
  }

  it('find a customer’s consent, see who read what, and end it: the provider’s next call is refused', async () => {
    const member = await newOwner();
    const { consentId, read } = await authorised(member);
    for (let readings = 0; readings < READINGS; readings += 1) expect(await read()).toBe(200);

    const visitor = await admin();
    const { page } = visitor;
    await visitor.go(`/customers/${member.customerId}/show?show=activity`);
    const section = page.getByRole('region', { name: 'Consents for third parties' });
    await section.getByRole('link', { name: tpp.name }).click();
    await page.waitForURL(`**/consents/${consentId}/show`);

    await visitor.go(`/consents?filter=${encodeURIComponent(JSON.stringify({ customerId: member.customerId }))}`);
    await page.getByRole('link', { name: tpp.name }).click();
    await page.getByRole('heading', { level: 1, name: tpp.name }).waitFor();
    await page.getByRole('region', { name: 'What it may see' }).getByText('Balances').waitFor();
    await page.getByRole('region', { name: 'Accounts that the customer chose' }).getByText(member.iban).waitFor();
    const accesses = page.getByRole('region', { name: 'What it has read' });
    await accesses.getByText('answered').first().waitFor();
    await accesses.getByRole('button', { name: 'Show more' }).click();
    await accesses.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await accesses.getByText('answered').count()).toBe(READINGS);
    const saving = page.waitForEvent('download');
    await accesses.getByRole('button', { name: 'Export as CSV' }).click();
    const table = await readFile((await (await saving).path())!, 'utf8');
    expect(table.trim().split('\n')).toHaveLength(READINGS + 1);
    await visitor.look('consent-desktop-light');

    await visitor.order('End the consent', { Reason: 'The customer has called' }, 'The consent is revoked.');
    await page.getByText('The customer has called').first().waitFor();
    expect(await page.getByRole('button', { name: 'End the consent' }).isDisabled()).toBe(true);
    const { body } = await actors.tenantAdmin.get(`${CONSENTS}/${consentId}`);
    expect(body).toMatchObject({ status: 'Revoked', statusDetail: 'The customer has called' });
    expect(await read()).toBe(401);
    await visitor.close();
  });

  it('read on a phone in the dark, in Portuguese, what a consent to pay is about, and stop it', async () => {
    const { iban } = await newOwner();
    const initiator = await Initiator.open(credentials);
    const { consentId } = await initiator.consent(paymentTo(iban, '12.50'));
    initiator.close();

    const visitor = await admin(PHONE);
    const { page } = visitor;
    await page.addInitScript("localStorage.setItem('tillway.language', 'pt')");
    await visitor.go(`/consents/${consentId}/show`);
    const facts = page.getByRole('region', { name: 'Consentimento', exact: true });
    for (const text of ['Fazer um pagamento', '12,50', 'Corner Shop', iban])
      await facts.getByText(text).first().waitFor();
    await page.getByText('espera pelo cliente').first().waitFor();
    await visitor.look('consent-payment-phone-dark-pt');

    await page.getByRole('button', { name: 'Terminar o consentimento' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/12,50.*Corner Shop/).waitFor();
    await visitor.look('consent-end-phone-dark-pt');
    await dialog.getByLabel('Motivo').fill('Não era este o pagamento');
    // A dialog that the second click closes would never tell what became of it.
    const told = () => dialog.getByText('O consentimento está: rejeitado.').waitFor();
    await visitor.clickTwice(dialog.getByRole('button', { name: 'Sim' }), told);
    await told();
    await dialog.getByRole('button', { name: 'Fechar' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await actors.tenantAdmin.get(`${CONSENTS}/${consentId}`);
    expect(body).toMatchObject({ status: 'Rejected', payment: { amount: '12.50', currency: 'EUR', payeeIban: iban } });
    expect(body.events.map(({ cause }: Json) => cause)).toEqual(['created', 'rejected']);
    await visitor.close();
  });

  it('let operators look, with the way to its workflow, and end nothing', async () => {
    const { customerId } = await newOwner();
    const { consentId } = await provider.accountConsent(customerId);
    const visitor = await Visitor.open(browser, apiUrl);
    await (await newPerson(actors.ops, 'ops'))(visitor);
    const { page } = visitor;
    await page.addInitScript(`localStorage.setItem('tillway.scope', '${JSON.stringify({ tenantId })}')`);
    await visitor.go(`/consents/${consentId}/show`);
    const link = page.getByRole('link', { name: 'Open its workflow' });
    expect(await link.getAttribute('href')).toContain(encodeURIComponent(`consent/${consentId}`));
    expect(await page.getByRole('button', { name: 'End the consent' }).count()).toBe(0);
    await visitor.look('consent-operator-desktop-light');
    await visitor.close();
  });
});
