import { randomUUID } from 'node:crypto';
import { type Json, transactionId, until } from '../../e2e/client';
import { auditOf, ready } from '../inside';
import { place } from './place';

const BASE = '/bank-transfer/1.0.0';
/** Many times what is booked at once. */
const LINES = 800;

function lineOf(text: string, amount: string): string {
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>
    <AcctSvcrRef>${randomUUID()}</AcctSvcrRef><NtryDtls><TxDtls><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
}

test('the worker is killed in the middle of a statement: each of its lines is booked once', async () => {
  const { stack, actors } = place;
  const { merchant, tenantAdmin } = actors;
  const order = { merchantTransactionId: transactionId(), amount: '10.00', currency: 'EUR' };
  const { body: asked } = await merchant.post(`${BASE}/transfers`, order);
  const { iban, reference } = asked.action.fields;
  const lines = Array.from({ length: LINES }, (_, at) => lineOf(`line ${at}`, '0.01')).join('');
  const file = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>m</MsgId></GrpHdr>
      <Ntfctn><Id>n</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${lines}${lineOf(reference, '10.00')}</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
  const response = await fetch(`${stack.apiUrl}${BASE}/statements`, {
    method: 'POST',
    headers: { ...tenantAdmin.headers, 'content-type': 'application/xml' },
    body: file,
  });
  const { statements } = (await response.json()) as Json;
  const statement = async (): Promise<Json> =>
    (await tenantAdmin.get(`${BASE}/statements/${statements[0].statementId}`)).body;
  const begun = await until('it has begun', async () => {
    const row = await statement();
    return row.bookedLines > 0 && row;
  });
  expect(begun.bookedLines).toBeLessThan(LINES);
  const before = stack.pidOf('tillway-worker');
  stack.kill('tillway-worker');
  await until('a new worker', async () => ![undefined, before].includes(stack.pidOf('tillway-worker')));
  await ready(stack);
  const booked = await until('it is booked', async () => {
    const row = await statement();
    return row.status === 'booked' && row;
  });
  expect(booked).toMatchObject({
    lines: LINES + 1,
    bookedLines: LINES + 1,
    outcomes: { unmatched: LINES, matched: 1 },
  });
  await until('its payment is settled', async () => {
    const { body } = await merchant.get(`${BASE}/transfers/${asked.paymentId}`);
    return body.transactionStatus === 'settled' && body.arrivals.length === 1;
  });
  const { findings } = await auditOf(stack);
  expect(findings.filter(({ check }) => /own account|account at a bank|bank transfer|own bank/.test(check))).toEqual(
    [],
  );
}, 240_000);
