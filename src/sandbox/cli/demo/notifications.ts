import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentRecord } from '../merchant';
import type { Stage } from './stage';

/** A merchant's own server hears of a payment that is charged back, and the merchant contests it. */
export async function notificationsScene({ credentials, merchant, say }: Stage): Promise<void> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(`${request.headers['webhook-signature']}`) ?? [];
      const right = createHmac('sha256', credentials.callbackSecret).update(`${t}.${body}`).digest('hex') === v1;
      heard.push(`${JSON.parse(body).type}, signature ${right ? 'right' : 'WRONG'}`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const notificationUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const { paymentId } = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
      merchantTransactionId: `demo-${randomUUID()}`,
      amount: '42.00',
      currency: 'EUR',
      notificationUrl,
      card: { number: '4000000000000259', holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
    });
    say(`A payment with a notificationUrl: ${paymentId}. Its payer's bank will charge it back in 5 s.`);
    await merchant.until(paymentId, 'charged_back');
    const [dispute] = await merchant.list<{ disputeId: string }>(`/disputes/1.0.0/disputes?paymentId=${paymentId}`);
    say(`Charged back: ${dispute?.disputeId}. The ledger took the money back in the same transaction.`);
    await merchant.send('POST', `/disputes/1.0.0/disputes/${dispute?.disputeId}/evidence`, {
      text: 'The parcel was delivered and signed for on the day after the order.',
    });
    const won = await merchant.until(paymentId, 'captured', 'settled');
    say('The merchant sends evidence, and the dispute is won.', `${paymentId} is ${won.transactionStatus} again`);
    for (let tries = 0; tries < 60 && !heard.some((type) => type.startsWith('dispute.won')); tries += 1)
      await sleep(250);
    say('What the merchant’s server was told meanwhile:', ...heard);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
