import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../sandbox';

export interface PaymentRecord {
  paymentId: string;
  transactionStatus: string;
  result: { code: number; description: string };
  status: { detail: string };
  amounts: Record<string, string>;
  action?: { url?: string; fields?: Record<string, string> };
  card?: { last4Digits: string };
  refund?: { refundId: string; status: string };
}

/** A newcomer's merchant: signs in, pays, plays the payer, refunds. */
export class Merchant {
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

  /** The payment in the answer's envelope. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    return (await this.send<{ data: T }>(method, path, body)).data;
  }

  /** The records of a list's first page. */
  list<T>(path: string): Promise<T[]> {
    return this.call<T[]>('GET', path);
  }

  /** The whole answer. Throws on a refusal, with its message. */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.credentials.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        organizationId: this.credentials.organizationId,
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': randomUUID() } : {}),
      },
      body: body && JSON.stringify(body),
    });
    const answer = (await response.json()) as T & { message?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
    return answer;
  }

  status(paymentId: string): Promise<PaymentRecord> {
    return this.call('GET', `/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`);
  }

  /** Asks until the payment is in one of the states, at most half a minute. */
  until(paymentId: string, ...states: string[]): Promise<PaymentRecord> {
    return this.poll(paymentId, states.join(' or '), (record) => states.includes(record.transactionStatus));
  }

  /** Asks until the payment's detail says so, at most half a minute. */
  untilDetail(paymentId: string, detail: RegExp): Promise<PaymentRecord> {
    return this.poll(paymentId, `${detail}`, (record) => detail.test(record.status.detail));
  }

  /** Every step of a payment with its cause, one a line. */
  async timeline(paymentId: string): Promise<string[]> {
    const events = await this.list<{ to: string; cause: string; detail: string; at: string }>(
      `/ipg/1.0.0/payment/payments/${paymentId}/events`,
    );
    return events.map(({ at, to, cause, detail }) => `${at}  ${to.padEnd(18)} ${cause}: ${detail}`);
  }

  private async poll(
    paymentId: string,
    what: string,
    done: (record: PaymentRecord) => boolean,
  ): Promise<PaymentRecord> {
    for (let tries = 0; tries < 120; tries += 1) {
      const record = await this.status(paymentId);
      if (done(record)) return record;
      await sleep(250);
    }
    throw new Error(`${paymentId} did not become ${what} in 30 s`);
  }
}

/** What the payer does in a browser: opens the page, presses a button. */
export async function press({ action }: PaymentRecord, outcome: string): Promise<void> {
  const url = action?.fields?.pageUrl ?? action?.url;
  if (!url) throw new Error('there is no page for the payer');
  const page = await (await fetch(url)).text();
  const target = /<form[^>]*action="([^"]*)"/.exec(page)?.[1] ?? url;
  await fetch(new URL(target.replaceAll('&amp;', '&'), url), {
    method: 'POST',
    body: new URLSearchParams({ outcome }),
    redirect: 'manual',
  });
}
