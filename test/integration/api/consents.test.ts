import { consentDashboardRoutes } from '../../../src/api/consents/dashboard-routes';
import { consentEntranceRoutes } from '../../../src/api/consents/entrance-routes';
import { type EntranceCall, RequestContext } from '../../../src/api/server/context';
import { check, prepare, refuseInvalid } from '../../../src/api/server/middleware/validation';
import type { Answer } from '../../../src/api/server/route';
import type { FieldError } from '../../../src/domain/errors';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { CustomerTokens } from '../../../src/people/identity/customer-tokens';
import { createTestDatabase } from '../../setup/environment';
import { AGENT, ConsentPlace, DAY } from '../open-banking/consents/consents-place';
import { type ApiServer, startApi } from './api-server';

let database: Database;
let api: ApiServer;
let place: ConsentPlace;
let dropDatabase: () => Promise<void>;
let tokens: Record<'admin' | 'ops' | 'merchant' | 'stranger', string>;

beforeAll(async () => {
  const own = await createTestDatabase('consents_api');
  dropDatabase = own.drop;
  database = openDatabase(own.logins, 4, 'test-consents-api');
  // The tenants are there before the third party that serves one of them.
  const seeding = await startApi({ databaseUrl: own.url });
  const { seeded } = seeding;
  await seeding.close();
  const { tenantId } = seeded;
  const owned = { database, tenantId, otherTenantId: seeded.other.tenantId, close: () => database.close() };
  place = await ConsentPlace.over(owned);
  api = await startApi({ routes: consentDashboardRoutes(place), databaseUrl: own.url, seeded });
  tokens = {
    admin: await api.tokenOf(seeded.clients.tenantAdmin),
    ops: await api.tokenOf(seeded.clients.ops),
    merchant: await api.tokenOf(seeded.clients.merchant),
    stranger: await api.tokenOf(seeded.other.clients.tenantAdmin),
  };
});
afterAll(async () => {
  await api?.close();
  await place?.close();
  await dropDatabase?.();
});

describe('the dashboard', () => {
  const call = (method: string, path: string, token: string, options: { body?: unknown; tenantId?: string } = {}) =>
    api.call(method, `/consents/1.0.0/consents${path}`, {
      token,
      headers: { tenantid: options.tenantId ?? place.place.tenantId },
      body: options.body,
    });
  const customerToken = (customerId: string) =>
    database.tenant(place.place.tenantId, (trx) =>
      new CustomerTokens(60_000).issue(trx, place.place.tenantId, customerId),
    );

  test('shows a consent with its accounts and history to its customer, the tenant’s admins and operators', async () => {
    const { consent, customer } = await place.authorised();
    const own = await customerToken(customer.id);
    for (const token of [tokens.admin, tokens.ops, own]) {
      const { status, json } = await call('GET', `/${consent.id}`, token);
      expect(status).toBe(200);
      expect(json).toMatchObject({
        consentId: consent.id,
        kind: 'account',
        status: 'Authorised',
        tppName: 'App tpp_agent',
        customerId: customer.id,
        permissions: ['ReadAccountsBasic'],
        expiresAt: consent.expires_at!.toISOString(),
        authenticateBy: new Date(consent.authenticated_at!.getTime() + 180 * DAY).toISOString(),
        accounts: customer.accounts.map(({ iban, currency }) => ({ iban, currency })),
        events: [{ cause: 'created' }, { cause: 'authorised', ibans: customer.accounts.map(({ iban }) => iban) }],
      });
    }
  });

  test('shows what a consent to pay is about', async () => {
    const Initiation = {
      InstructedAmount: { Amount: '12.5', Currency: 'EUR' },
      CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: 'DE75512108001245126199', Name: 'Corner Shop' },
      RemittanceInformation: { Unstructured: 'Two mugs' },
      RequestedExecutionDateTime: '2040-01-31T13:00:00+01:00',
    };
    const { id } = await place.createPayment({ Data: { Initiation, Permission: 'Create' }, Risk: {} });
    const { json } = await call('GET', `/${id}`, tokens.admin);
    expect(json).toMatchObject({ kind: 'payment', status: 'AwaitingAuthorisation', accounts: [] });
    expect(json.payment).toEqual({
      amount: '12.50',
      currency: 'EUR',
      payeeName: 'Corner Shop',
      payeeIban: 'DE75512108001245126199',
      note: 'Two mugs',
      executeAt: '2040-01-31T12:00:00.000Z',
    });
    const { json: list } = await call('GET', '?kind=payment', tokens.admin);
    expect(list.data).toMatchObject([{ consentId: id, payment: json.payment }]);
  });

  test('hides it from others, and lists a customer its own alone', async () => {
    const { consent } = await place.authorised();
    const other = await place.authorised();
    const token = await customerToken(other.customer.id);
    const { json } = await call('GET', '', token);
    expect(json.data.map((row: { consentId: string }) => row.consentId)).toEqual([other.consent.id]);
    const tenantId = place.place.otherTenantId;
    expect((await call('GET', `?customerId=${other.customer.id}`, tokens.stranger, { tenantId })).json.data).toEqual(
      [],
    );
    for (const path of [`/${consent.id}`, `/${consent.id}/accesses`]) {
      expect((await call('GET', path, token)).status).toBe(404);
      expect((await call('GET', path, tokens.stranger, { tenantId })).status).toBe(404);
      expect((await call('GET', path, tokens.merchant)).status).toBe(403);
    }
    const body = { reason: 'mine now' };
    expect((await call('POST', `/${consent.id}/revoke`, token, { body })).status).toBe(404);
    expect((await call('POST', `/${consent.id}/revoke`, tokens.ops, { body })).status).toBe(403);
    expect(await place.stored(consent.id)).toMatchObject({ status: 'Authorised' });
  });

  test('lists page by page, filtered, and as a table', async () => {
    const { customer } = await place.authorised();
    await place.create(customer.id);
    const filter = `?customerId=${customer.id}`;
    const first = (await call('GET', `${filter}&limit=1`, tokens.admin)).json;
    expect(first.data).toMatchObject([{ status: 'AwaitingAuthorisation' }]);
    const rest = (await call('GET', `${filter}&cursor=${first.nextCursor}`, tokens.admin)).json;
    expect(rest).toMatchObject({ data: [{ status: 'Authorised' }], nextCursor: null });
    expect((await call('GET', `${filter}&status=Expired`, tokens.admin)).json.data).toEqual([]);
    const table = await api.call('GET', `/consents/1.0.0/consents${filter}`, {
      token: tokens.admin,
      headers: { tenantid: place.place.tenantId, accept: 'text/csv' },
    });
    expect(table.text.trim().split('\n')).toHaveLength(3);
  });

  test('ends a consent with a reason, once, and shows who read what', async () => {
    const { consent, customer, grantId } = await place.authorised();
    const [account] = customer.accounts;
    await place.consents.noteAccess({
      tppId: AGENT.id,
      consentId: consent.id,
      resource: 'transactions',
      accountId: account!.id,
      isCustomerPresent: false,
      interactionId: 'i-1',
    });
    const read = { resource: 'transactions', iban: account!.iban, customerPresent: false, interactionId: 'i-1' };
    const accesses = await call('GET', `/${consent.id}/accesses`, tokens.admin);
    expect(accesses.json).toMatchObject({ data: [read], nextCursor: null });
    const own = await customerToken(customer.id);
    expect((await call('POST', `/${consent.id}/revoke`, own, { body: {} })).status).toBe(400);
    const body = { reason: 'I do not use it any more' };
    const { status, json } = await call('POST', `/${consent.id}/revoke`, own, { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'Revoked', statusDetail: body.reason });
    expect(json.events.at(-1)).toMatchObject({ cause: 'revoked', actor: customer.id, detail: body.reason });
    expect(await place.tokensOf(grantId)).toBe(0);
    expect((await call('POST', `/${consent.id}/revoke`, own, { body })).status).toBe(409);
  });
});

describe('the routes of third parties', () => {
  const TPP = { id: AGENT.id, name: 'App tpp_agent', redirect_uris: ['https://app.example/back'] };

  /** Calls a route as the entrance does once it knows who calls: validates, then handles. */
  async function call(method: string, path: string, { body, consentId }: { body?: unknown; consentId?: string } = {}) {
    const routes = consentEntranceRoutes({ consents: place.consents, authUrl: 'https://auth.example' });
    const route = routes.find((one) => one.method === method && one.path === `/open-banking/2.0.0/consent${path}`)!;
    const details: FieldError[] = [];
    const validator = prepare(route);
    const sent = check(validator.body, body ?? {}, 'body', details);
    refuseInvalid(details);
    const entrance = { tpp: TPP, interactionId: 'i-1', rawBody: Buffer.alloc(0), customerPresent: true };
    const caller = { clientId: TPP.id, role: 'tpp' as const };
    return route.handler(
      new RequestContext(
        'req_1',
        method,
        path,
        '127.0.0.1',
        {},
        { consentId },
        {},
        sent,
        caller,
        {},
        undefined,
        undefined,
        {
          ...entrance,
        } as unknown as EntranceCall,
      ) as never,
    ) as Promise<Answer & { body: Record<string, string> }>;
  }

  const record = (customerId: string, changed: object = {}) => ({
    serviceProvider: TPP.name,
    customerId,
    customerType: 'Person',
    status: 'AwaitingAuthorisation',
    consentedDate: '2026-01-31T12:00:00.000Z',
    expiryDate: '2040-01-31T12:00:00.000Z',
    sharingStartDate: '2026-01-01T00:00:00.000Z',
    sharingEndDate: '2040-01-30T00:00:00.000Z',
    permissions: [{ name: 'ReadAccountsDetail', endPoints: '', information: 'All of it' }, { name: 'ReadBalances' }],
    tenantId: place.place.tenantId,
    consentPeriod: 'long',
    ...changed,
  });

  test('answer the documented record as it was sent, with where the customer authorises it', async () => {
    const customer = await place.customer();
    const sent = record(customer.id);
    const { status, body } = await call('POST', '', { body: sent });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...sent,
      consentId: expect.stringMatching(/^con_/),
      magicLink: body.authorisationUrl,
    });
    const url = new URL(body.authorisationUrl!);
    expect(url.origin + url.pathname).toBe('https://auth.example/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: TPP.id,
      response_type: 'code',
      scope: 'openid accounts',
      consent_id: body.consentId,
      redirect_uri: 'https://app.example/back',
    });
    const consentId = body.consentId!;
    expect(await place.stored(consentId)).toMatchObject({ permissions: ['ReadAccountsDetail', 'ReadBalances'] });
    expect((await call('GET', '/{consentId}', { consentId })).body).toEqual(body);
    await place.authorise(consentId, customer);
    expect((await call('GET', '/{consentId}', { consentId })).body).toMatchObject({ status: 'Authorised' });
    expect(await call('DELETE', '/{consentId}', { consentId })).toMatchObject({ status: 204 });
    expect((await call('GET', '/{consentId}', { consentId })).body).toMatchObject({ status: 'Revoked' });
    await expect(call('DELETE', '/{consentId}', { consentId })).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('keep the caller’s own magic link', async () => {
    const { id } = await place.customer();
    const magicLink = 'https://app.example/m/1';
    expect((await call('POST', '', { body: record(id, { magicLink }) })).body).toMatchObject({ magicLink });
  });

  test.each([
    ['a status of one’s own', { status: 'Authorised' }],
    ['an unknown member', { admin: true }],
    ['no permission', { permissions: [] }],
    ['a permission without a name', { permissions: [{ information: 'x' }] }],
    ['permissions that need others', { permissions: [{ name: 'ReadTransactionsBasic' }] }],
    ['dates that are none', { expiryDate: 'tomorrow' }],
    ['an end before its beginning', { sharingEndDate: '2025-12-31T00:00:00Z' }],
    ['sharing longer than access', { sharingEndDate: '2041-01-01T00:00:00Z' }],
    ['an end in the past', { sharingEndDate: '2026-01-02T00:00:00Z', expiryDate: '2026-01-03T00:00:00Z' }],
  ])('refuse %s', async (_, changed) => {
    const { id } = await place.customer();
    await expect(call('POST', '', { body: record(id, changed) })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await place.system('consents').where({ customer_id: id })).toEqual([]);
  });

  test('refuse a foreign bank, name or customer with one message', async () => {
    const { id } = await place.customer();
    const foreign = await place.customer();
    await place
      .system('customers')
      .where({ id: foreign.id })
      .update({ deleted_at: new Date(), profile_sealed: null, profile_key: null });
    const wrong = [
      { tenantId: place.place.otherTenantId },
      { tenantId: 'ten_unknown' },
      { serviceProvider: 'Somebody else' },
      { customerId: 'cus_unknown' },
      { customerId: foreign.id },
    ];
    const errors = await Promise.all(
      wrong.map((changed) => call('POST', '', { body: record(id, changed) }).then(String, (error: Error) => error)),
    );
    expect(new Set(errors.map((error) => JSON.stringify([error, (error as Error).message]))).size).toBe(1);
    expect(errors[0]).toMatchObject({ code: 'invalid_request' });
  });

  test('know no consent of another kind or provider', async () => {
    const payment = await place.createPayment();
    for (const consentId of [payment.id, 'con_unknown'])
      for (const method of ['GET', 'DELETE'])
        await expect(call(method, '/{consentId}', { consentId })).rejects.toMatchObject({ code: 'not_found' });
    expect(await place.stored(payment.id)).toMatchObject({ status: 'AwaitingAuthorisation' });
  });
});
