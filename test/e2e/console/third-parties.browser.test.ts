import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { selfSigned, signingKey } from '../../setup/certificates';
import { openBrowser } from '../../setup/chromium';
import { type Credentials, sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { RegisteredTpp, TPPS } from '../open-banking/registered';
import { put } from '../sellers';
import { ownTenant } from '../tenants';
import { newPerson } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();
const REDIRECT = 'https://tpp.example/callback';

inBrowser('an operator, about third parties', () => {
  let browser: Browser;
  let actors: Actors;
  let tenant: Credentials;
  let enter: (visitor: Visitor) => Promise<void>;

  beforeAll(async () => {
    [actors, tenant, browser] = await Promise.all([actorsOf(credentials), ownTenant(), openBrowser()]);
    enter = await newPerson(actors.ops, 'ops');
  });
  afterAll(() => browser?.close());

  async function come(device = DESKTOP, kept: Record<string, string> = {}): Promise<Visitor> {
    const visitor = await Visitor.open(browser, apiUrl, device);
    await enter(visitor);
    await visitor.page.addInitScript(`Object.assign(localStorage, ${JSON.stringify(kept)})`);
    return visitor;
  }

  const recordOf = async (tppId: string): Promise<Json> => (await actors.ops.get(`${TPPS}/${tppId}`)).body;
  const actsOn = async (tppId: string): Promise<string[]> => {
    const { body } = await actors.ops.get(`/identity/1.0.0/audit?target=${tppId}`);
    return body.data.map(({ action }: Json) => action);
  };

  it('registers one, finds it by its tenant, gives it a new certificate, disables and enables it', async () => {
    const { tenantId } = tenant;
    const visitor = await come(DESKTOP, { 'tillway.scope': JSON.stringify({ tenantId }) });
    const { page } = visitor;
    const name = `Clear View ${randomUUID().slice(0, 8)}`;
    const { jwk } = signingKey('signing-1');
    await visitor.go('/third-parties');
    await page.getByRole('link', { name: 'New third party' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByLabel('Redirect URIs').fill(`${REDIRECT}\nhttps://tpp.example/app`);
    await page.getByLabel('Key set (JWKS)').fill('{ no key set');
    await page.getByLabel('Certificate (PEM)').fill('no certificate');
    await page.getByRole('button', { name: 'New third party' }).click();
    await page.getByText('The key set is no JSON').waitFor();
    await page.getByLabel('Key set (JWKS)').fill(JSON.stringify({ keys: [jwk] }));
    await page.getByRole('button', { name: 'New third party' }).click();
    await page.getByText(/certificate must be one X\.509/).waitFor();
    await visitor.look('third-party-create-desktop-light');
    await page.getByLabel('Certificate (PEM)').fill((await selfSigned({ subject: 'CN=Clear View' })).cert);
    await page.getByRole('button', { name: 'New third party' }).dblclick();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const tppId = /third-parties\/(tpp_\w+)\/show/.exec(page.url())![1]!;
    const registered = await recordOf(tppId);
    expect(registered).toMatchObject({
      name,
      profile: 'fapi2',
      tenantIds: [tenantId],
      redirectUris: [REDIRECT, 'https://tpp.example/app'],
      jwks: { keys: [jwk] },
      certificateSubject: 'CN=Clear View',
      iss: tppId,
      status: 'enabled',
    });

    // The list follows the tenant at the top: this one has no other.
    await visitor.go('/third-parties');
    await page.getByRole('link', { name }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await visitor.look('third-parties-desktop-light');
    await page.getByRole('link', { name }).click();

    const next = await selfSigned({ subject: 'CN=Clear View Next' });
    await visitor.order('New certificate', { 'Certificate (PEM)': next.cert });
    await page.getByRole('region', { name: 'Certificate' }).getByText('CN=Clear View Next').first().waitFor();
    await visitor.order('Disable', {}, `${name} is disabled.`);
    await page.getByRole('region', { name: 'Who did what' }).getByText('Disabled').waitFor();
    await page.getByRole('region', { name: 'Keys' }).getByText('signing-1').waitFor();
    await visitor.look('third-party-desktop-light');
    expect(await recordOf(tppId)).toMatchObject({ certificateSubject: 'CN=Clear View Next', status: 'disabled' });
    await visitor.order('Enable', {}, `${name} is enabled.`);
    expect(await recordOf(tppId)).toMatchObject({ status: 'enabled' });
    expect(await actsOn(tppId)).toEqual(['tpp.enable', 'tpp.disable', 'tpp.replace_certificate', 'tpp.register']);
    await visitor.close();
  });

  it('sends nothing over the change of a colleague, and only what was changed, on a phone in the dark', async () => {
    const tpp = await RegisteredTpp.register({ tenantIds: [tenant.tenantId], redirectUris: [REDIRECT] });
    const visitor = await come(PHONE, { 'tillway.language': 'pt' });
    const { page } = visitor;
    await visitor.go(`/third-parties/${tpp.id}/show`);
    await visitor.look('third-party-phone-dark-pt');
    await page.getByRole('link', { name: 'Alterar' }).click();
    await page.getByLabel('Nome').fill('Pound Counter');
    const theirs = { name: 'Of a colleague', iss: 'org/software' };
    expect((await put(actors.ops, `${TPPS}/${tpp.id}`, theirs)).status).toBe(200);
    await page.getByRole('button', { name: 'Guardar' }).click();
    await page.getByText('Outra pessoa alterou este terceiro').waitFor();
    await visitor.look('third-party-edit-phone-dark-pt');
    expect(await recordOf(tpp.id)).toMatchObject(theirs);

    await page.reload();
    await page.getByLabel('Nome').fill('Pound Counter');
    await page.getByLabel('Perfil').click();
    await page.getByRole('option', { name: 'FAPI 1.0 Advanced' }).click();
    await page.getByRole('button', { name: 'Guardar' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pound Counter' }).waitFor();
    const { updatedAt, ...rest } = tpp.record;
    expect(await recordOf(tpp.id)).toMatchObject({
      ...rest,
      name: 'Pound Counter',
      profile: 'fapi1_advanced',
      iss: 'org/software',
    });
    const { data } = (await actors.ops.get(`/identity/1.0.0/audit?target=${tpp.id}&action=tpp.change`)).body;
    expect(data.map(({ detail }: Json) => detail.members)).toEqual([
      ['name', 'profile'],
      ['name', 'iss'],
    ]);
    tpp.close();
    await visitor.close();
  });
});
