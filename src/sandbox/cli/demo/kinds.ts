import { randomUUID } from 'node:crypto';
import { type PaymentRecord, press } from '../merchant';
import type { Stage } from './stage';

/** Payments without a card: a bank transfer in two parts, a UPI code, a wallet token. */
export async function kindsScene({ credentials, merchant, say }: Stage): Promise<void> {
  const pay = (id: string, members: object) =>
    merchant.call<PaymentRecord>('POST', `/payments/h2h/${id}`, {
      merchantTransactionId: `demo-${randomUUID()}`,
      amount: '42.00',
      currency: 'EUR',
      descriptor: 'Tillway demo',
      ...members,
    });

  const transfer = await pay('61', { bankTransfer: { payerName: 'Ada Lovelace' } });
  const { fields = {} } = transfer.action ?? {};
  say(
    `A bank transfer of 42.00 EUR: ${transfer.paymentId} is ${transfer.transactionStatus}.`,
    `the payer sends it to ${fields.iban}, reference ${fields.reference}`,
  );
  await press(transfer, 'underpaid');
  const partly = await merchant.untilDetail(transfer.paymentId, /21\.00/);
  say('Half of it arrives, and is matched by its account.', `${partly.transactionStatus}: ${partly.status.detail}`);
  await press(transfer, 'authenticated');
  const paid = await merchant.until(transfer.paymentId, 'captured', 'settled');
  say('The rest arrives.', `${transfer.paymentId} is ${paid.transactionStatus}`);

  const code = await pay('31', { currency: 'INR', upi: { flow: 'qr' } });
  say(
    `A UPI code over 42.00 INR: ${code.paymentId}, with its picture as PNG and SVG.`,
    `${code.action?.fields?.payload}`,
  );
  await press(code, 'authenticated');
  say(
    'The payer scans and pays.',
    `it is ${(await merchant.until(code.paymentId, 'captured', 'settled')).transactionStatus}`,
  );

  const issued = await fetch(`${credentials.simulatorUrl}/sim/wallets/first/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2030' },
      amount: '42.00',
      currency: 'EUR',
      merchantId: credentials.organizationId,
    }),
  });
  const wallet = await pay('48', { walletToken: await issued.json() });
  say(
    `A wallet token, its signatures, expiry and merchant checked before anything is sent: ${wallet.paymentId}.`,
    `it is ${wallet.transactionStatus}, paid with a card ending in ${wallet.card?.last4Digits}`,
  );
}
