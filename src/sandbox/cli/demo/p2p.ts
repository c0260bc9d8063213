import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant } from '../merchant';
import type { Stage } from './stage';

interface TransferRecord {
  transferId: string;
  status: string;
  statusDetail: string;
}

const BASE = '/p2p/1.0.0';

/** A customer sends money to another, to somebody who is invited, and is asked for some. */
export async function p2pScene({ credentials, say, link }: Stage): Promise<void> {
  const { apiUrl, organizationId, tenantId, clients, customer } = credentials;
  const admin = new Merchant({ apiUrl, organizationId, tenantId, ...clients.tenantAdmin });
  const { customerId } = customer;
  const mark = Date.now().toString(36);
  const create = async (customerName: string) => {
    const person = { firstName: { name: customerName }, lastName: { name: 'B' }, email: `${mark}@demo.example` };
    const record = { customerType: 'Person', customerName, customerStatus: 'verified', person };
    return (await admin.send<{ customerId: string }>('POST', '/customer/1.0.0/create', record)).customerId;
  };
  const enroll = (id: string, alias: string) => admin.send('POST', `${BASE}/customers/${id}/enroll`, { alias });
  const send = (recipient: string, amount: string) =>
    admin.send<TransferRecord>('POST', `${BASE}/transfers`, {
      senderId: customerId,
      recipient,
      amount,
      currency: 'EUR',
      note: 'for lunch',
    });

  await enroll(customerId, `ada-${mark}`);
  const charles = await create('Charles');
  await enroll(charles, `charles-${mark}`);
  const settled = await send(`@charles-${mark}`, '7.50');
  say(
    `Ada and Charles join with handles; Ada sends @charles-${mark} 7.50 EUR: ${settled.transferId} is ${settled.status}.`,
    'one transaction, no workflow: nothing has to wait',
  );

  const address = `mary-${mark}@demo.example`;
  const invited = await send(address, '5.00');
  say(
    `5.00 EUR go to ${address}, who is nobody yet: ${invited.transferId} is ${invited.status}.`,
    `the invitation: ${apiUrl}/sandbox/mailbox?to=${address}`,
    `its workflow, with a timer of seven days: ${link(`p2p/${invited.transferId}`)}`,
  );
  await enroll(await create('Mary'), address);
  const read = (id: string) => admin.send<TransferRecord>('GET', `${BASE}/transfers/${id}`);
  for (let tries = 0; tries < 40 && (await read(invited.transferId)).status === 'held'; tries += 1) await sleep(250);
  const joined = await read(invited.transferId);
  say(`Mary joins with that address: ${joined.transferId} is ${joined.status}. ${joined.statusDetail}`);

  const request = await admin.send<{ requestId: string; status: string }>('POST', `${BASE}/requests`, {
    requesterId: charles,
    payer: customerId,
    amount: '2.50',
    currency: 'EUR',
  });
  const paid = await admin.send<{ status: string; transferId: string }>(
    'POST',
    `${BASE}/requests/${request.requestId}/accept`,
  );
  const back = await admin.send<TransferRecord>('POST', `${BASE}/transfers/${paid.transferId}/reverse`, {
    reason: 'asked twice',
  });
  say(
    `Charles asks Ada for 2.50 EUR (${request.requestId}); she pays: ${paid.transferId}.`,
    `the tenant takes it back: ${back.status}. ${back.statusDetail}`,
  );
}
