import { sharedStack } from '../../setup/stack';
import { actorsOf, type Json, send } from '../client';
import { seededTpp } from './tpp';

const { credentials, apiUrl } = sharedStack();
const tpp = seededTpp(credentials);
const other = seededTpp({ authUrl: credentials.authUrl, tpp: credentials.other.tpp });
afterAll(() => {
  tpp.close();
  other.close();
});

const CONSENT = '/open-banking/2.0.0/consent';
const bearer = async (caller = tpp, scope = 'accounts') => {
  const { body } = await caller.token({ grant_type: 'client_credentials', scope });
  return { authorization: `Bearer ${body.access_token}` };
};
const record = (changed: object = {}): Json => ({
  serviceProvider: credentials.tpp.name,
  customerId: credentials.customer.customerId,
  customerType: 'Person',
  status: 'AwaitingAuthorisation',
  consentedDate: '2026-01-31T12:00:00.000Z',
  expiryDate: '2040-01-31T12:00:00.000Z',
  sharingStartDate: '2026-01-01T00:00:00.000Z',
  sharingEndDate: '2040-01-30T00:00:00.000Z',
  permissions: [{ name: 'ReadAccountsBasic' }],
  tenantId: credentials.tenantId,
  ...changed,
});

test('a third party asks for a consent, reads it and deletes it; the bank’s people see it', async () => {
  const headers = await bearer();
  const asked = await tpp.send(CONSENT, { method: 'POST', headers, json: record() });
  expect([asked.status, asked.body]).toEqual([201, expect.objectContaining(record())]);
  const { consentId } = asked.body;
  const one = `${CONSENT}/${consentId}`;
  expect(await tpp.send(one, { headers })).toMatchObject({ status: 200, body: asked.body });
  const { tenantAdmin } = await actorsOf(credentials);
  const dashboard = `/consents/1.0.0/consents/${consentId}`;
  expect((await tenantAdmin.get(dashboard)).body).toMatchObject({ consentId, tppName: credentials.tpp.name });
  // Another third party, with a certificate and a token of its own.
  const foreign = await bearer(other);
  for (const method of ['GET', 'DELETE'])
    expect(await other.send(one, { method, headers: foreign })).toMatchObject({ status: 404 });
  expect(await tpp.send(one, { method: 'DELETE', headers })).toMatchObject({ status: 204 });
  expect((await tpp.send(one, { headers })).body).toMatchObject({ status: 'Rejected' });
  expect(await tpp.send(one, { method: 'DELETE', headers })).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', path: one, method: 'DELETE' },
  });
});

test('a consent needs the entrance, a token of scope accounts, and a status that is not authorised', async () => {
  expect(await send(`${apiUrl}${CONSENT}`, { method: 'POST', body: record() })).toMatchObject({ status: 401 });
  const json = record();
  expect(await tpp.send(CONSENT, { method: 'POST', json })).toMatchObject({ status: 401 });
  const payments = await bearer(tpp, 'payments');
  expect(await tpp.send(CONSENT, { method: 'POST', headers: payments, json })).toMatchObject({ status: 403 });
  const headers = await bearer();
  for (const wrong of [{ status: 'Authorised' }, { unknown: 1 }, { tenantId: credentials.other.tenantId }])
    expect(await tpp.send(CONSENT, { method: 'POST', headers, json: record(wrong) })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
});
