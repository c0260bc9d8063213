import { parse } from 'csv-parse/sync';
import { readPaper } from '../setup/paper';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Caller, PAYMENTS } from './client';
import { callerWith, cookieOf, enterSeeded, SESSION } from './staff';
import { newCustomer, Topups } from './topups';

const { credentials, apiUrl } = sharedStack();
let actors: Actors;

beforeAll(async () => {
  actors = await actorsOf(credentials);
});

async function paperOf({ headers }: Caller, path: string): Promise<{ name: string; text: string }> {
  const response = await fetch(apiUrl + path, { headers: { ...headers, accept: 'application/pdf' } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const { text } = await readPaper(new Uint8Array(await response.arrayBuffer()));
  return { name: response.headers.get('content-disposition')!, text };
}

test('the receipt of a payment says what was paid, what came back and what remains', async () => {
  const { merchant } = actors;
  const { paymentId } = await merchant.paid(CARDS.visa, { amount: '25.00' });
  const { status } = await merchant.refund(paymentId, { amount: '4.50' });
  expect(status).toBe(201);
  const { name, text } = await paperOf(merchant, `${PAYMENTS}/${paymentId}/receipt`);
  expect(name).toBe(`attachment; filename="receipt-${paymentId}.pdf"`);
  for (const line of ['25.00 EUR', '-4.50 EUR', '20.50 EUR', `Payment: ${paymentId}`]) expect(text).toContain(line);
});

test('what took no money has no receipt', async () => {
  const { merchant } = actors;
  const { body } = await merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  await merchant.until(paymentId, 'authorized');
  const { status, body: refusal } = await merchant.get(`${PAYMENTS}/${paymentId}/receipt`);
  expect([status, refusal.code]).toEqual([409, 'invalid_state']);
});

test('the statement of a wallet has the same entries on paper', async () => {
  const customerId = await newCustomer(actors);
  const { status } = await new Topups(actors.tenantAdmin).create(customerId, { amount: '100.00' });
  expect([201, 202]).toContain(status);
  const path = `/wallet/1.0.0/customers/${customerId}/statement?currency=EUR&to=2040-01-01T00:00:00.000Z`;
  const { name, text } = await paperOf(actors.tenantAdmin, path);
  expect(name).toContain(`statement-${customerId}-EUR.pdf`);
  expect(text).toContain(`Customer: ${customerId}`);
  const { body } = await actors.tenantAdmin.get(path);
  expect(body.entries).not.toEqual([]);
  for (const { amount, type } of body.entries) expect(text).toMatch(new RegExp(`${type}[^]*${amount}`));
  expect(text).toMatch(new RegExp(`Closing[^]*${body.closingBalance}`));
});

test('the trial balance has its line for each currency', async () => {
  const { text } = await paperOf(actors.tenantAdmin, '/ledger/1.0.0/trial-balance');
  const { body } = await actors.tenantAdmin.get('/ledger/1.0.0/trial-balance');
  for (const { currency } of body.data) expect(text).toMatch(new RegExp(`^${currency}$[^]*^0(\\.0+)?$`, 'm'));
});

test('the cookie of a session exports a list', async () => {
  const { merchant } = actors;
  const { paymentId } = await merchant.paid(CARDS.visa);
  const { headers } = await enterSeeded(apiUrl, credentials.users.merchant, SESSION);
  const person = callerWith(apiUrl, cookieOf(headers), {
    organizationId: credentials.organizationId,
    accept: 'text/csv',
  });
  const { status, body } = await person.get(`${PAYMENTS}?search=${paymentId}`);
  expect(status).toBe(200);
  const rows = parse(body, { columns: true, bom: true }) as Record<string, string>[];
  expect(rows.map((row) => row.paymentId)).toEqual([paymentId]);
});
