import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../config';
import { type Credentials, readCredentials } from './sandbox';

interface PaymentRecord {
  paymentId: string;
  transactionStatus: string;
  result: { code: number; description: string };
  status: { detail: string };
  amounts: Record<string, string>;
  action?: { url: string };
  refund?: { refundId: string; status: string };
}

/** A newcomer's merchant: signs in, pays, plays the payer, refunds. */
class Merchant {
  private token = '';

  constructor(private readonly credentials: Credentials) {}

  async signIn(): Promise<void> {
    const { clientId, clientSecret } = this.credentials.clients.merchant;
    const response = await fetch(`${this.credentials.apiUrl}/auth/1.0.0/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (!response.ok) throw new Error(`signing in failed with ${response.status}`);
    this.token = ((await response.json()) as { access_token: string }).access_token;
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.credentials.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        organizationId: this.credentials.organizationId,
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() } : {}),
      },
      body: body && JSON.stringify(body),
    });
    const answer = (await response.json()) as { data: T; message?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
    return answer.data;
  }

  status(paymentId: string): Promise<PaymentRecord> {
    return this.call('GET', `/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`);
  }

  /** Asks until the payment is in one of the states, at most half a minute. */
  async until(paymentId: string, ...states: string[]): Promise<PaymentRecord> {
    for (let tries = 0; tries < 120; tries += 1) {
      const record = await this.status(paymentId);
      if (states.includes(record.transactionStatus)) return record;
      await sleep(250);
    }
    throw new Error(`${paymentId} did not become ${states.join(' or ')} in 30 s`);
  }
}

/** What the payer does in a browser: opens the challenge, presses "authenticated". */
async function authenticate(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
  const target = new URL((action ?? url).replaceAll('&amp;', '&'), url);
  await fetch(target, {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'authenticated' }),
    redirect: 'manual',
  });
}

async function main(): Promise<void> {
  const config = loadConfig();
  const credentials = readCredentials(config);
  const merchant = new Merchant(credentials);
  let step = 0;
  const say = (text: string, ...lines: string[]) => {
    step += 1;
    console.log(`\n${step}. ${text}`);
    for (const line of lines) console.log(`   ${line}`);
  };
  const link = (id: string) =>
    `${credentials.temporalUiUrl}/namespaces/${config.temporal.namespace}/workflows/${encodeURIComponent(id)}`;

  await merchant.signIn();
  say('The merchant signs in with client id and secret and gets a token for 10,000 seconds.');

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

  await authenticate(started.action!.url);
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

  const events = await merchant.call<{ to: string; cause: string; detail: string; at: string }[]>(
    'GET',
    `/ipg/1.0.0/payment/payments/${paymentId}/events`,
  );
  say(
    'Why it stands where it stands:',
    ...events.map((event) => `${event.at}  ${event.to.padEnd(18)} ${event.cause}: ${event.detail}`),
  );
}

main().catch((error: Error) => {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
});
