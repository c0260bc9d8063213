import { randomUUID } from 'node:crypto';
import { type PaymentRecord, press } from '../merchant';
import type { Stage } from './stage';

/** A card payment with 3-D Secure, its settlement, a refund in parts, and the timeline of it all. */
export async function cardScene({ merchant, say, link }: Stage): Promise<void> {
  const started = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
    merchantTransactionId: `demo-${randomUUID()}`,
    amount: '42.00',
    currency: 'EUR',
    descriptor: 'Tillway demo',
    card: { number: '4000000000003220', holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  });
  const { paymentId } = started;
  say(
    `A card payment of 42.00 EUR: ${paymentId} is ${started.transactionStatus}.`,
    `result ${started.result.code}: ${started.result.description}`,
    `the payer is sent to ${started.action?.url}`,
    `its workflow: ${link(`payment/${paymentId}`)}`,
  );

  await press(started, 'authenticated');
  const captured = await merchant.until(paymentId, 'captured', 'settled');
  say(
    'The payer passes 3-D Secure; the processor calls back, the workflow wakes up and captures.',
    `${paymentId} is ${captured.transactionStatus}: ${captured.status.detail}`,
    `captured ${captured.amounts.captured} EUR`,
  );

  const settled = await merchant.until(paymentId, 'settled');
  say(
    'The processor settles in batches every 2 s; one workflow books a whole batch.',
    `${paymentId} is ${settled.transactionStatus}.`,
  );

  const partly = await merchant.call<PaymentRecord>('POST', `/ipg/1.0.0/payment/payments/${paymentId}/refund`, {
    amount: '12.00',
    reason: 'one item came back',
  });
  say(
    `The merchant refunds 12.00 EUR: ${partly.refund?.refundId} ${partly.refund?.status}.`,
    `${paymentId} is ${(await merchant.until(paymentId, 'partially_refunded')).transactionStatus}`,
    `its workflow: ${link(`refund/${partly.refund?.refundId}`)}`,
  );

  const rest = await merchant.call<PaymentRecord>('POST', `/ipg/1.0.0/payment/payments/${paymentId}/refund`, {});
  const done = await merchant.until(paymentId, 'refunded');
  say(
    `The rest goes back: ${rest.refund?.refundId}.`,
    `${paymentId} is ${done.transactionStatus}, refunded ${done.amounts.refunded} EUR`,
  );
  say('Why it stands where it stands:', ...(await merchant.timeline(paymentId)));
}
