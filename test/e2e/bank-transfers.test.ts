import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  type Caller,
  type Json,
  outOfBalance,
  PAYMENTS,
  type Reply,
  transactionId,
  until,
} from './client';
import { Seller } from './sellers';

/** Payments by transfer to the tenant's own account: from the request to the money back with its payer. */

const { credentials, apiUrl } = sharedStack();
const BASE = '/bank-transfer/1.0.0';
/** A transfer to it settles at the simulated processor. */
const PAYER = 'DE89370400440532013000';
let actors: Actors;
let stranger: Actors;
let shop: Seller;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  shop = await Seller.create(credentials, actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const ask = (order: object = {}): Promise<Reply> =>
  shop.merchant.post(`${BASE}/transfers`, {
    merchantTransactionId: transactionId(),
    amount: '10.00',
    currency: 'EUR',
    payerName: 'Ada Buyer',
    ...order,
  });

const transferOf = async (paymentId: string): Promise<Json> =>
  (await shop.merchant.get(`${BASE}/transfers/${paymentId}`)).body;

const become = (paymentId: string, status: string): Promise<Json> =>
  until(`${paymentId} is ${status}`, async () => {
    const transfer = await transferOf(paymentId);
    return transfer.transactionStatus === status && transfer;
  });

async function upload(content: string, by: Caller = actors.tenantAdmin, query = ''): Promise<Reply> {
  const response = await fetch(`${apiUrl}${BASE}/statements${query}`, {
    method: 'POST',
    headers: { ...by.headers, 'content-type': 'application/xml' },
    body: content,
  });
  return { status: response.status, headers: response.headers, body: await response.json() } as Reply;
}

/** What the bank writes of transfers, as an advice of credits. */
function advice(iban: string, lines: { amount: string; text: string; name?: string; payer?: string | null }[]): string {
  const entries = lines.map(
    ({
      amount,
      text,
      name = 'Ada Buyer',
      payer = PAYER,
    }) => `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>2026-11-20</Dt></BookgDt><AcctSvcrRef>${randomUUID()}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties>
      <Dbtr><Pty><Nm>${name}</Nm></Pty></Dbtr>${payer ? `<DbtrAcct><Id><IBAN>${payer}</IBAN></Id></DbtrAcct>` : ''}</RltdPties>
      <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
  );
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>${randomUUID()}</MsgId></GrpHdr>
    <Ntfctn><Id>${randomUUID()}</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${entries.join('')}</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
}

/** The bank tells of it, and it is booked. Answers what the lines came to. */
async function told(content: string): Promise<Json> {
  const { status, body } = await upload(content);
  expect(status).toBe(202);
  const { statementId } = body.statements[0];
  const statement = await until(`${statementId} is booked`, async () => {
    const { body: row } = await actors.tenantAdmin.get(`${BASE}/statements/${statementId}`);
    return row.status === 'booked' && row;
  });
  return statement.outcomes;
}

async function asked(order: object = {}): Promise<{ paymentId: string; fields: Record<string, string> }> {
  const { status, body } = await ask(order);
  expect([status, body.transactionStatus]).toEqual([202, 'requires_action']);
  return { paymentId: body.paymentId, fields: body.action.fields };
}

test('from the request to the captured, settled and refunded payment', async () => {
  const { paymentId, fields } = await asked();
  expect(fields).toMatchObject({
    amount: '10.00',
    currency: 'EUR',
    accountHolder: expect.any(String),
    seller: 'A Seller',
  });
  expect(fields.reference).toMatch(/^RF\d{17}$/);
  expect(fields.printedReference!.replaceAll(' ', '')).toBe(fields.reference);
  expect(fields.payload!.split('\n')).toEqual(
    expect.arrayContaining(['BCD', fields.iban, 'EUR10.00', fields.reference]),
  );
  expect(fields.png).toMatch(/^data:image\/png;base64,/);
  expect(fields.svg).toMatch(/^data:image\/svg\+xml,/);

  expect(
    await told(advice(fields.iban!, [{ amount: '10.00', text: `thanks ${fields.printedReference!.toLowerCase()}` }])),
  ).toEqual({ matched: 1 });
  const settled = await become(paymentId, 'settled');
  expect(settled).toMatchObject({
    received: '10.00',
    missing: '0.00',
    arrivals: [{ amount: '10.00', status: 'counted' }],
  });
  expect((await shop.balance()).available).not.toBe('0.00');

  const refund = await shop.merchant.post(`${PAYMENTS}/${paymentId}/refund`, { amount: '4.00' });
  expect([201, 202]).toContain(refund.status);
  const refunded = await become(paymentId, 'partially_refunded');
  expect(refunded.returns).toMatchObject([
    { kind: 'refund', amount: '4.00', status: 'settled', payerIban: 'DE**3000' },
  ]);
  const { returnId } = refunded.returns[0];
  expect(await shop.sentFor(returnId)).toMatchObject([{ amount: '4.00', status: 'settled' }]);
});

test('part, rest and too much', async () => {
  const { paymentId, fields } = await asked();
  await told(advice(fields.iban!, [{ amount: '4.00', text: fields.reference! }]));
  const waiting = await until('the part has come', async () => {
    const transfer = await transferOf(paymentId);
    return transfer.action?.fields.amount === '6.00' && transfer;
  });
  expect(waiting).toMatchObject({ transactionStatus: 'requires_action', received: '4.00', missing: '6.00' });
  await told(advice(fields.iban!, [{ amount: '7.50', text: fields.reference! }]));
  await become(paymentId, 'settled');
  const back = await until('the rest is back', async () => {
    const { returns } = await transferOf(paymentId);
    return returns[0]?.status === 'settled' && returns;
  });
  expect(back).toMatchObject([{ kind: 'excess', amount: '1.50' }]);
});

test('what comes after the end of a payment goes back', async () => {
  const { paymentId, fields } = await asked();
  expect((await shop.merchant.post(`${PAYMENTS}/${paymentId}/cancel`)).status).toBeLessThan(300);
  await become(paymentId, 'cancelled');
  await told(advice(fields.iban!, [{ amount: '10.00', text: fields.reference! }]));
  const back = await until('it is back', async () => {
    const { returns } = await transferOf(paymentId);
    return returns[0]?.status === 'settled' && returns;
  });
  expect(back).toMatchObject([{ kind: 'refund', amount: '10.00' }]);
  await until('the books say so', async () => {
    const { body } = await shop.merchant.get(`${PAYMENTS}/${paymentId}/events`);
    return JSON.stringify(body).includes('late money returned');
  });
});

test('a mistyped reference is proposed, and a person confirms it', async () => {
  const { paymentId, fields } = await asked();
  const reference = fields.reference!;
  const typed = reference.slice(0, 9) + reference.slice(10);
  expect(await told(advice(fields.iban!, [{ amount: '10.00', text: typed, name: 'Somebody Else' }]))).toEqual({
    proposed: 1,
  });
  const { body: list } = await actors.tenantAdmin.get(`${BASE}/proposals?limit=200`);
  const proposal = list.data.find((row: Json) => row.paymentId === paymentId);
  expect(proposal).toMatchObject({
    amount: '10.00',
    text: typed,
    why: expect.stringContaining(fields.printedReference!),
  });
  const path = `${BASE}/proposals/${proposal.entryId}/confirm`;
  expect((await stranger.tenantAdmin.post(path)).status).toBe(404);
  expect((await shop.merchant.post(path)).status).toBe(403);
  expect((await actors.tenantAdmin.post(path)).status).toBe(200);
  expect((await actors.tenantAdmin.post(path)).status).toBe(409);
  await become(paymentId, 'settled');
});

test('what tells nothing is in suspense, where an operator matches it with the payment', async () => {
  const { paymentId, fields } = await asked({ payerName: undefined });
  const text = `no reference ${randomUUID()}`;
  expect(await told(advice(fields.iban!, [{ amount: '10.00', text }]))).toEqual({ unmatched: 1 });
  const list = '/ops/1.0.0/unmatched-transfers';
  const row = await until('it is in suspense', async () => {
    const { body } = await actors.ops.get(`${list}?limit=200&status=open`);
    return body.data.find((one: Json) => one.text === text || one.remittanceText === text);
  });
  const match = { paymentId, reason: 'The buyer has called' };
  expect((await actors.ops.post(`${list}/${row.unmatchedTransferId}/match`, match)).status).toBeLessThan(300);
  await become(paymentId, 'settled');
});

test('without the account of its payer, money waits for a person', async () => {
  const { paymentId, fields } = await asked();
  await told(advice(fields.iban!, [{ amount: '11.00', text: fields.reference!, payer: null }]));
  await become(paymentId, 'settled');
  const [waiting] = (await transferOf(paymentId)).returns;
  expect(waiting).toMatchObject({ kind: 'excess', amount: '1.00', status: 'waiting' });
  const named = { iban: PAYER, holder: 'Ada Buyer' };
  const path = `${BASE}/returns/${waiting.returnId}/account`;
  expect((await stranger.tenantAdmin.post(path, named)).status).toBe(404);
  expect((await actors.tenantAdmin.post(path, named)).status).toBe(200);
  await until('it is back', async () => (await transferOf(paymentId)).returns[0].status === 'settled');
});

test('the same file books once, and what is no statement is refused', async () => {
  const { paymentId, fields } = await asked();
  const file = advice(fields.iban!, [{ amount: '10.00', text: fields.reference! }]);
  const ends = await Promise.all([upload(file), upload(file)]);
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 202]);
  expect(new Set(ends.map(({ body }) => body.statements[0].statementId)).size).toBe(1);
  await become(paymentId, 'settled');
  expect((await transferOf(paymentId)).arrivals).toHaveLength(1);
  const { statementId } = ends[0]!.body.statements[0];
  const { body: lines } = await actors.tenantAdmin.get(`${BASE}/statements/${statementId}/lines`);
  expect(lines.data).toMatchObject([{ number: 1, amount: '10.00', outcome: 'matched', payerIban: 'DE**3000' }]);

  expect(await upload('what is this?')).toMatchObject({ status: 422, body: { code: 'statement_refused' } });
  expect(await upload(file, stranger.tenantAdmin)).toMatchObject({ status: 422 });
  expect((await upload(file, shop.merchant)).status).toBe(403);
  expect((await stranger.tenantAdmin.get(`${BASE}/statements/${statementId}`)).status).toBe(404);
});

test('the list and its export have what was asked for', async () => {
  const { paymentId, fields } = await asked();
  const { body: list } = await shop.merchant.get(`${BASE}/transfers?status=open&limit=200`);
  expect(list.data.find((row: Json) => row.paymentId === paymentId)).toMatchObject({
    reference: fields.reference,
    missing: '10.00',
  });
  const { headers, body: csv } = await shop.merchant.get(`${BASE}/transfers`, { accept: 'text/csv' });
  expect(headers.get('content-type')).toContain('text/csv');
  expect(csv).toContain(`${paymentId},`);
  expect((await actors.merchant.get(`${BASE}/transfers/${paymentId}`)).status).toBe(404);
  expect((await stranger.merchant.get(`${BASE}/transfers/${paymentId}`)).status).toBe(404);
});

test('a currency without an own account goes to a processor', async () => {
  const { body } = await ask({ currency: 'GBP' });
  expect(body).toMatchObject({
    processor: 'b',
    transactionStatus: 'requires_action',
    action: { fields: { iban: expect.any(String) } },
  });
  expect(body.reference).toBeUndefined();
  expect(await ask({ accountId: 'bac_nobodys' })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'accountId' }] },
  });
  expect(await ask({ expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({ status: 400 });
});
