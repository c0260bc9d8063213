import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant, type PaymentRecord, press } from '../merchant';
import type { Stage } from './stage';

interface TopupRecord extends Pick<PaymentRecord, 'action' | 'amounts'> {
  topupId: string;
  status: string;
  fee: string;
  netAmount: string;
  refund?: { refundId: string; amount: string; feeReturned: string };
}

const TOPUPS = '/wallet/1.0.0/topups';

/** A customer's wallet is topped up by card with 3-D Secure, and a part of it goes back to the card. */
export async function walletScene({ credentials, say, link }: Stage): Promise<void> {
  const { apiUrl, organizationId, tenantId, clients, customer } = credentials;
  const admin = new Merchant({ apiUrl, organizationId, tenantId, ...clients.tenantAdmin });
  const { customerId } = customer;
  const started = await admin.send<TopupRecord>('POST', TOPUPS, {
    customerId,
    amount: '50.00',
    currency: 'EUR',
    card: { number: '4000000000003220', holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  });
  const { topupId } = started;
  say(
    `A top-up of 50.00 EUR for ${customerId}: ${topupId} is ${started.status}.`,
    `fee ${started.fee}, ${started.netAmount} EUR will reach the wallet`,
    `its workflow: ${link(`topup/${topupId}`)}`,
  );
  await press(started, 'authenticated');
  const balance = async () => {
    const path = `/wallet/1.0.0/customers/${customerId}/balances`;
    const [eur] = (await admin.list<{ currency: string; available: string; held: string }>(path)).filter(
      ({ currency }) => currency === 'EUR',
    );
    return `wallet: ${eur?.available} EUR available, ${eur?.held} held`;
  };
  const until = async (...states: string[]) => {
    for (let tries = 0; tries < 120; tries += 1) {
      const record = await admin.send<TopupRecord>('GET', `${TOPUPS}/${topupId}`);
      if (states.includes(record.status)) return record;
      await sleep(250);
    }
    throw new Error(`${topupId} did not become ${states.join(' or ')} in 30 s`);
  };
  const captured = await until('captured', 'settled');
  say(`The payer passes 3-D Secure: ${topupId} is ${captured.status}.`, await balance());
  await until('settled');
  say('The processor settles: what was held is available.', await balance());
  const { refund } = await admin.send<TopupRecord>('POST', `${TOPUPS}/${topupId}/refund`, { amount: '20.00' });
  say(
    `20.00 EUR go back to the card: ${refund?.refundId}, ${refund?.feeReturned} of it the fee.`,
    `${topupId} is ${(await until('partially_refunded')).status}`,
    await balance(),
  );
}
