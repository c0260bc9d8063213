import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, type Reply, send } from './client';

const { credentials } = sharedStack();
const BASE = '/customer/1.0.0';

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

/** Every member of the service description's customer record, with what only the caller knows apart. */
function wholeRecord() {
  const address = {
    country: 'GB',
    area: 'Greater London',
    zipCode: 'SW1Y 4LE',
    city: 'London',
    street: "St James's Square",
    streetNumber: ['12', '12a'],
    building: '',
    apartment: '3',
    entrance: 'B',
    floor: '2',
    doorNumber: '7',
    geoPosition: { latitude: 51.5074, longitude: -0.1355, altitude: 11.25 },
    alternative: { word1: 'filled', word2: 'count', word3: 'soap' },
    relatedToAddress: [{ relationType: 'near_by', address: 'London Library' }],
    additionalData: [{ name: 'steps', type: 'Number', value: '4' }],
  };
  return {
    id: `ref-${randomUUID()}`,
    customerType: 'Person',
    customerName: 'Ada Lovelace',
    customerStatus: 'under_verificaiton',
    organizationId: credentials.organizationId,
    categorization: 'category2',
    notifications: [{ notificationType: 'Marketingemails', isEnabled: false }],
    person: {
      firstName: {
        name: 'Ada',
        order: 1,
        abbreviation: 'A.',
        language: 'en',
        native: 'Ada',
        suffix: '',
        prefix: 'Countess',
      },
      lastName: { name: 'Lovelace' },
      fullName: 'Augusta Ada King',
      groupId: 'g1',
      gender: 'Female',
      dateOfBirth: '1815-12-10',
      placeOfBirth: 'London',
      nationality: 'British',
      pinCode: '483921',
      password: 'correct horse battery staple',
      email: `ada-${randomUUID()}@example.com`,
      telephoneNumbers: [
        {
          phoneType: 'fixed',
          operator: 'BT',
          encoding: 'numbers',
          country: 'GB',
          number: '02079250001',
          purpose: 'home',
        },
      ],
      addresses: [{ addressPurpose: 'home', address }],
      documents: [
        {
          purpose: 'KYB',
          name: 'Passport',
          documentType: 'ID front side',
          location: 'https://files.example.com/1',
          verificationResponse: 'fine, I say',
          status: 'underverification',
          metadata: [{ name: 'pages', type: 'Number', value: '2' }],
        },
      ],
      SecretQuestion: [{ question: 'First engine?', answer: 'Difference Engine' }],
    },
    twofa: {
      targetType: 'SMS',
      targetValue: '+442079250001',
      targetCode: '918273',
      inputCode: '918274',
      codematch: true,
    },
  };
}

/** The smallest record there is. */
function person(overrides: Record<string, unknown> = {}): Json {
  return {
    customerType: 'Person',
    customerName: 'Grace Hopper',
    person: { firstName: { name: 'Grace' }, lastName: { name: 'Hopper' }, email: `grace-${randomUUID()}@example.com` },
    ...overrides,
  };
}

const create = (body: unknown, headers?: Record<string, string>) =>
  actors.tenantAdmin.post(`${BASE}/create`, body, headers);
const bulk = (body: unknown, token: string = randomUUID()) =>
  actors.tenantAdmin.post(`${BASE}/createBulk`, body, { token });
const fetchOne = (customerId: string) => actors.tenantAdmin.get(`${BASE}/fetch/${customerId}`);
const act = (method: string, path: string, body?: unknown): Promise<Reply> =>
  send(actors.tenantAdmin.apiUrl + BASE + path, { method, headers: actors.tenantAdmin.headers, body });
const update = (customerId: string, body: unknown) => act('PUT', `/update/${customerId}`, body);
const remove = (customerId: string) => act('DELETE', `/delete/${customerId}`);
const fieldsOf = ({ body }: Reply): string[] => body.details.map(({ field }: Json) => field).sort();

describe('a record', () => {
  test('comes back as it was sent, its secrets apart and what is ours replaced', async () => {
    const sent = wholeRecord();
    const created = await create(sent);
    expect(created.status).toBe(201);
    const { pinCode: _pin, password: _password, ...shown } = sent.person;
    expect(created.body).toEqual({
      ...sent,
      customerId: expect.stringMatching(/^cus_/),
      tenantId: credentials.tenantId,
      createdAt: expect.any(String),
      updatedAt: created.body.createdAt,
      person: {
        ...shown,
        SecretQuestion: [{ question: 'First engine?' }],
        documents: [{ ...sent.person.documents[0], verificationResponse: 'Awaiting review' }],
      },
      twofa: { targetType: 'SMS', targetValue: '+442079250001', codematch: false },
    });
    expect((await fetchOne(created.body.customerId)).body).toEqual(created.body);
    for (const secret of ['483921', 'correct horse', 'Difference', '918273', '918274'])
      expect(JSON.stringify(created.body)).not.toContain(secret);
  });

  test('of an organization needs no person; a customer is new unless said otherwise', async () => {
    const { status, body } = await create({ customerType: 'Organization', customerName: 'Analytical Engines Ltd' });
    expect([status, body.customerStatus]).toEqual([201, 'new']);
    expect(body.person).toBeUndefined();
  });

  test('names everything that is wrong with it at once', async () => {
    const wrong = await create({
      customerType: 'Robot',
      customerStatus: 'bankrupted',
      color: 'red',
      person: {
        firstName: 'Ada',
        email: 'nobody',
        gender: 'X',
        documents: [{ status: 'verified' }],
        addresses: [{ address: { geoPosition: { latitude: '51' } } }],
      },
    });
    expect(wrong.status).toBe(400);
    expect(fieldsOf(wrong)).toEqual([
      'color',
      'customerName',
      'customerStatus',
      'customerType',
      'person.addresses[0].address.geoPosition.latitude',
      'person.documents[0].status',
      'person.email',
      'person.firstName',
      'person.gender',
      'person.lastName',
    ]);
    const foreign = await create(person({ organizationId: credentials.other.organizationId }));
    expect([foreign.status, fieldsOf(foreign)]).toEqual([400, ['organizationId']]);
  });

  test('is created once per idempotency key, and its id is one customer’s', async () => {
    const body = person({ id: `ref-${randomUUID()}` });
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await create(body, key), await create(body, key)];
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await create(body);
    expect([other.status, other.body.code, fieldsOf(other)]).toEqual([409, 'duplicate_customer', ['id']]);
    const elsewhere = await stranger.tenantAdmin.post(`${BASE}/create`, body);
    expect(elsewhere.status).toBe(201);
  });
});

describe('an update', () => {
  test('merges objects, clears with null, replaces arrays', async () => {
    const { body: before } = await create(wholeRecord());
    const { status, body } = await update(before.customerId, {
      categorization: null,
      notifications: [],
      person: { firstName: { suffix: 'PhD', order: null }, password: 'another one', nationality: null },
    });
    expect(status).toBe(200);
    const { order: _order, ...firstName } = before.person.firstName;
    const { nationality: _nationality, ...rest } = before.person;
    const { categorization: _category, ...whole } = before;
    expect(body).toEqual({
      ...whole,
      updatedAt: expect.any(String),
      notifications: [],
      person: { ...rest, firstName: { ...firstName, suffix: 'PhD' } },
    });
    expect((await fetchOne(before.customerId)).body).toEqual(body);
  });

  test('refuses what would leave the record incomplete, another’s id, a status', async () => {
    const [{ body: one }, { body: two }] = await Promise.all([
      create(person({ id: `ref-${randomUUID()}` })),
      create(person()),
    ]);
    const incomplete = await update(two.customerId, { person: { email: null, lastName: { name: null } } });
    expect([incomplete.status, fieldsOf(incomplete)]).toEqual([400, ['person.email', 'person.lastName']]);
    const taken = await update(two.customerId, { id: one.id });
    expect([taken.status, taken.body.code]).toEqual([409, 'duplicate_customer']);
    const status = await update(two.customerId, { customerStatus: 'verified' });
    expect([status.status, fieldsOf(status)]).toEqual([400, ['customerStatus']]);
    const ours = await update(two.customerId, { customerId: one.customerId, createdAt: one.createdAt });
    expect([ours.status, fieldsOf(ours)]).toEqual([400, ['createdAt', 'customerId']]);
    expect((await fetchOne(two.customerId)).body).toEqual(two);
  });
});

describe('lists', () => {
  test('are newest first, page by page, by tenant and by organization, with filters', async () => {
    const { body: made } = await bulk(
      Array.from({ length: 5 }, (_, at) =>
        person({ customerStatus: at % 2 ? 'dispute' : 'new', organizationId: credentials.organizationId }),
      ),
    );
    const ids: string[] = made.customerIds.map(({ customerId }: Json) => customerId).reverse();
    for (const path of [`listByTenant/${credentials.tenantId}`, `listByOrganization/${credentials.organizationId}`]) {
      // Other tests create customers of this tenant meanwhile.
      const walk = async (query: string, wanted: number) => {
        const seen: string[] = [];
        for (let cursor = ''; seen.length < wanted; ) {
          const { body } = await actors.tenantAdmin.get(`${BASE}/${path}?${query}${cursor}`);
          expect(body.data).toHaveLength(2);
          seen.push(...body.data.map(({ customerId }: Json) => customerId).filter((id: string) => ids.includes(id)));
          cursor = `&cursor=${body.nextCursor}`;
        }
        return seen;
      };
      expect(await walk('limit=2', 5)).toEqual(ids);
      expect(await walk('limit=2&status=dispute&customerType=Person', 2)).toEqual([ids[1], ids[3]]);
    }
  });

  test('find a customer by a whole address, telephone number or id, within the tenant', async () => {
    const phone = `+4477009${String(Date.now()).slice(-5)}`;
    const wanted = { ...person(), id: `ref-${randomUUID()}` };
    const { email } = wanted.person as Json;
    Object.assign(wanted.person as Json, { telephoneNumbers: [{ phoneType: 'mobile', number: phone }] });
    const { body: made } = await actors.tenantAdmin.post(`${BASE}/create`, wanted);
    const found = async (search: string, caller = actors.tenantAdmin, tenantId = credentials.tenantId) => {
      const path = `${BASE}/listByTenant/${tenantId}?search=${encodeURIComponent(search)}`;
      const { body } = await caller.get(path);
      return body.data.map(({ customerId }: Json) => customerId);
    };
    for (const text of [email, ` ${email.toUpperCase()} `, wanted.id, made.customerId])
      expect([text, await found(text)]).toEqual([text, [made.customerId]]);
    expect(await found(phone.replace('+44', '+44 '))).toContain(made.customerId);
    expect(await found(email.slice(1))).toEqual([]);
    for (const text of [email, made.customerId])
      expect(await found(text, stranger.tenantAdmin, credentials.other.tenantId)).toEqual([]);
  });

  test('of somebody else’s tenant or organization are not found', async () => {
    const foreign = [
      `listByTenant/${credentials.other.tenantId}`,
      `listByOrganization/${credentials.other.organizationId}`,
    ];
    for (const path of foreign) expect((await actors.tenantAdmin.get(`${BASE}/${path}`)).status).toBe(404);
  });
});

describe('bulk creation', () => {
  test('creates all, and the same request again answers the first result', async () => {
    const token = randomUUID();
    const records = Array.from({ length: 20 }, (_, at) => person({ id: `${token}-${at}`, customerName: `No. ${at}` }));
    const [first, meanwhile] = await Promise.all([bulk(records, token), bulk(records, token)]);
    const again = await bulk(records, token);
    expect([first.status, meanwhile.status, again.status]).toEqual([201, 201, 201]);
    expect(meanwhile.body).toEqual(first.body);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.body.tenantId).toBe(credentials.tenantId);
    const third = await fetchOne(first.body.customerIds[2].customerId);
    expect(third.body).toMatchObject({ id: `${token}-2`, customerName: 'No. 2', customerStatus: 'new' });
    const other = await bulk(records.slice(1), token);
    expect([other.status, other.body.code]).toEqual([422, 'bulk_token_reused']);
  });

  test('creates none when one is wrong, and names every wrong one', async () => {
    const customerName = `Nobody ${randomUUID()}`;
    const malformed = await bulk([
      person({ customerName }),
      { customerName: 'No type', person: {} },
      person({ color: 'red' }),
    ]);
    expect([malformed.status, fieldsOf(malformed)]).toEqual([
      400,
      ['[1].customerType', '[1].person.email', '[1].person.firstName', '[1].person.lastName', '[2].color'],
    ]);
    const id = `ref-${randomUUID()}`;
    const doubled = await bulk([person({ id, customerName }), person(), person({ id })]);
    expect([doubled.status, doubled.body.code, fieldsOf(doubled)]).toEqual([409, 'duplicate_customer', ['[2].id']]);
    const foreign = await bulk([
      person({ customerName }),
      person({ organizationId: credentials.other.organizationId }),
    ]);
    expect([foreign.status, fieldsOf(foreign)]).toEqual([400, ['[1].organizationId']]);
    const { body: list } = await actors.tenantAdmin.get(`${BASE}/listByTenant/${credentials.tenantId}?limit=200`);
    expect(list.data.map((one: Json) => one.customerName)).not.toContain(customerName);
  });

  test('leaves nothing of a long list whose last one is wrong, and its token and idempotency key are free', async () => {
    const [token, key] = [randomUUID(), { 'idempotency-key': randomUUID() }];
    const send = (body: unknown) => actors.tenantAdmin.post(`${BASE}/createBulk`, body, { token, ...key });
    const records = Array.from({ length: 450 }, (_, at) => person({ id: `${token}-${at}` }));
    const wrong = async (last: Json, status: number, field: string) => {
      const refused = await send([...records.slice(0, -1), last]);
      expect([refused.status, fieldsOf(refused)]).toEqual([status, [field]]);
    };
    await wrong(person({ color: 'red' }), 400, '[449].color');
    await wrong(person({ organizationId: credentials.other.organizationId }), 400, '[449].organizationId');
    await wrong(person({ id: `${token}-0` }), 409, '[449].id');
    // Nobody has taken an id of the list.
    const [right, again] = [await send(records), await send(records)];
    expect([right.status, right.body.customerIds.length, again.status]).toEqual([201, 450, 201]);
    expect(again.body).toEqual(right.body);
    const last = await fetchOne(right.body.customerIds[449].customerId);
    expect(last.body).toMatchObject({ id: `${token}-449` });
  });

  test('needs a name for the request, an array and at most 1,000 customers', async () => {
    const nameless = await actors.tenantAdmin.post(`${BASE}/createBulk`, [person()]);
    expect([nameless.status, fieldsOf(nameless)]).toEqual([400, ['token']]);
    for (const body of [{}, [], Array.from({ length: 1_001 }, () => person())])
      expect((await bulk(body)).status).toBe(400);
  });
});

describe('a deleted customer', () => {
  test('is gone from every read; its id is free again', async () => {
    const record = person({ id: `ref-${randomUUID()}` });
    const { body } = await create(record);
    const gone = await remove(body.customerId);
    expect([gone.status, gone.body]).toEqual([200, { customerId: body.customerId, deletedAt: expect.any(String) }]);
    expect((await fetchOne(body.customerId)).status).toBe(404);
    expect((await update(body.customerId, { categorization: 'category1' })).status).toBe(404);
    expect((await remove(body.customerId)).status).toBe(404);
    const { body: list } = await actors.tenantAdmin.get(`${BASE}/listByTenant/${credentials.tenantId}?limit=200`);
    expect(list.data.map(({ customerId }: Json) => customerId)).not.toContain(body.customerId);
    expect((await create(record)).status).toBe(201);
  });
});
