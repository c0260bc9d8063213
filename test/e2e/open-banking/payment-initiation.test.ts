import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodeProtectedHeader, flattenedVerify } from 'jose';
import { Agent, request } from 'undici';
import { CRITICAL } from '../../src/open-banking/signatures/header';
import { signDetached } from '../../src/open-banking/signatures/sign';
import { expectPublished } from '../interop/obie-3.1.11/published';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, send } from './client';
import { Transfers } from './p2p';

const BASE = '/open-banking/2.0.0';
const CONSENTS = `${BASE}/domestic-payment-consents`;

const { credentials, apiUrl } = sharedStack();
const { authUrl, tpp, other } = credentials;

interface Answer {
  status: number;
  body: Json;
  bytes: Buffer;
  headers: Record<string, string>;
}

/** A third party: its certificate, its signing key, and a token of its own. */
class Initiator {
  private readonly agent: Agent;
  private token = '';

  constructor(private readonly files: Json) {
    const { caPath, certPath, keyPath } = files;
    const connect = { ca: readFileSync(caPath), cert: readFileSync(certPath), key: readFileSync(keyPath) };
    this.agent = new Agent({ connect });
  }

  async open(): Promise<this> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'payments' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await this.call('POST', '/token', headers, Buffer.from(body));
    expect(answer.status).toBe(200);
    this.token = answer.body.access_token;
    return this;
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path, { authorization: `Bearer ${this.token}` });
  }

  async post(path: string, body: object, more: Record<string, string> = {}): Promise<Answer> {
    const bytes = Buffer.from(JSON.stringify(body));
    return this.call('POST', path, { ...(await this.headers(bytes)), ...more }, bytes);
  }

  /** Sends other bytes than those that are signed. */
  async postAltered(path: string, body: object, sent: object): Promise<Answer> {
    const headers = await this.headers(Buffer.from(JSON.stringify(body)));
    return this.call('POST', path, headers, Buffer.from(JSON.stringify(sent)));
  }

  private async headers(bytes: Buffer): Promise<Record<string, string>> {
    const { jwksKeyPath, kid, iss, tan } = this.files;
    const key = createPrivateKey({ key: JSON.parse(readFileSync(jwksKeyPath, 'utf8')), format: 'jwk' });
    return {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      'x-idempotency-key': randomUUID(),
      'x-jws-signature': await signDetached(bytes, { key, kid, iss, tan }),
    };
  }

  private async call(method: 'GET' | 'POST', path: string, headers: object, body?: Buffer): Promise<Answer> {
    const reply = await request(`${authUrl}${path}`, {
      method,
      headers: headers as Record<string, string>,
      body,
      dispatcher: this.agent,
    });
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    return {
      status: reply.statusCode,
      body: JSON.parse(bytes.toString()),
      bytes,
      headers: reply.headers as Record<string, string>,
    };
  }

  /** The keys of the bank, as others get them. */
  async verify({ bytes, headers }: Answer): Promise<void> {
    const [head, signature] = headers['x-jws-signature']!.split('..') as [string, string];
    const keys = (await this.get(`${BASE}/.well-known/jwks.json`)).body.keys;
    const { kid } = decodeProtectedHeader({ protected: head });
    const crit = Object.fromEntries(CRITICAL.map((claim) => [claim, true]));
    const jws = { protected: head, payload: bytes.toString('base64url'), signature };
    await flattenedVerify(
      jws,
      keys.find((key: Json) => key.kid === kid),
      { algorithms: ['PS256'], crit },
    );
  }
}

let actors: Actors;
let one: Initiator;
let creditor: string;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  one = await new Initiator(tpp).open();
  const { customerId } = await new Transfers(actors.tenantAdmin, actors).member('1.00');
  const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
  creditor = (body.data ?? body).find(({ currency }: Json) => currency === 'EUR').iban;
});
afterAll(() => one?.close());

const consentTo = (iban: string, amount = '10.00') => ({
  Data: {
    Initiation: {
      InstructionIdentification: 'INSTR-1',
      EndToEndIdentification: 'E2E-1',
      InstructedAmount: { Amount: amount, Currency: 'EUR' },
      CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name: 'Corner Shop' },
    },
  },
  Risk: {},
});
const codesOf = ({ body }: Answer) => body.Errors.map(({ ErrorCode }: Json) => ErrorCode);

test('a consent to pay is asked for with a signed request, read again, and answered with signatures', async () => {
  const asked = await one.post(CONSENTS, consentTo(creditor));
  expect(asked.status).toBe(201);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 201, asked.body);
  expect(asked.body.Data).toMatchObject({ Status: 'AwaitingAuthorisation', ...consentTo(creditor).Data });
  await one.verify(asked);
  const { ConsentId } = asked.body.Data;
  const read = await one.get(`${CONSENTS}/${ConsentId}`);
  expect(read.body).toEqual(asked.body);
  await one.verify(read);
});

test('the same key and body get the first answer again, another body is refused', async () => {
  const key = { 'x-idempotency-key': randomUUID() };
  const first = await one.post(CONSENTS, consentTo(creditor), key);
  const again = await one.post(CONSENTS, consentTo(creditor), key);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  const other = await one.post(CONSENTS, consentTo(creditor, '11.00'), key);
  expect([other.status, codesOf(other)]).toEqual([400, ['UK.OBIE.Header.Invalid']]);
});

test('six requests at once with one key make one consent', async () => {
  const key = { 'x-idempotency-key': randomUUID() };
  const six = await Promise.all(Array.from({ length: 6 }, () => one.post(CONSENTS, consentTo(creditor), key)));
  const made = new Set(six.filter(({ status }) => status === 201).map(({ body }) => body.Data.ConsentId));
  expect(made.size).toBe(1);
});

test('an altered body is refused, and nothing is stored', async () => {
  const altered = await one.postAltered(CONSENTS, consentTo(creditor), consentTo(creditor, '99.00'));
  expect([altered.status, codesOf(altered)]).toEqual([400, ['UK.OBIE.Signature.Invalid']]);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 400, altered.body);
});

test.each([
  ['without a signature', { 'x-jws-signature': '' }, 'UK.OBIE.Signature.Missing'],
  ['with half a signature', { 'x-jws-signature': 'abc' }, 'UK.OBIE.Signature.Malformed'],
  ['with a key that is too long', { 'x-idempotency-key': 'k'.repeat(41) }, 'UK.OBIE.Header.Invalid'],
])('%s it is refused', async (_, headers, code) => {
  const refused = await one.post(CONSENTS, consentTo(creditor), headers);
  expect([refused.status, codesOf(refused)]).toEqual([400, [code]]);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 400, refused.body);
});

test('what could not be paid is refused with the member that is wrong', async () => {
  const refused = await one.post(CONSENTS, consentTo('DE89370400440532013000'));
  expect(refused.status).toBe(400);
  expect(refused.body.Errors).toEqual([
    {
      ErrorCode: 'UK.OBIE.Unsupported.AccountIdentifier',
      Message: expect.any(String),
      Path: 'Data.Initiation.CreditorAccount.Identification',
    },
  ]);
});

test('a token of the provider itself pays nothing', async () => {
  const { body } = await one.post(CONSENTS, consentTo(creditor));
  const { Initiation, ConsentId } = { ...body.Data };
  const refused = await one.post(`${BASE}/domestic-payments`, { Data: { ConsentId, Initiation }, Risk: {} });
  expect(refused.status).toBe(403);
});

test('a consent of another provider does not exist', async () => {
  const { body } = await one.post(CONSENTS, consentTo(creditor));
  const two = await new Initiator(other.tpp).open();
  try {
    const refused = await two.get(`${CONSENTS}/${body.Data.ConsentId}`);
    expect([refused.status, codesOf(refused)]).toEqual([400, ['UK.OBIE.Resource.NotFound']]);
  } finally {
    await two.close();
  }
});

test('the plain port names the entrance', async () => {
  const { status, body } = await send(`${apiUrl}${CONSENTS}/con_1`);
  expect(status).toBe(401);
  expect(body.message).toContain(authUrl);
});
