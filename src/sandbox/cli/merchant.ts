import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

interface Attempt {
  number: number;
  processor: string;
  status: string;
  operations: { kind: string; status: string }[];
}

export interface PaymentRecord {
  paymentId: string;
  transactionStatus: string;
  result: { code: number; description: string };
  status: { detail: string };
  amounts: Record<string, string>;
  action?: { url?: string; expiresAt?: string; fields?: Record<string, string> };
  card?: { last4Digits: string };
  refund?: { refundId: string; status: string };
}

/** Whom the API knows a merchant's program as. */
export interface Account {
  apiUrl: string;
  organizationId: string;
  /** Sent where it is known; admins need it. */
  tenantId?: string;
  clientId: string;
  clientSecret: string;
}

/** The API refused a request; `status` is that of its answer. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** There was no answer: the API is not there, or cannot answer now. Asking again later may help. */
export class Unavailable extends Error {}

/** A newcomer's merchant: signs in, pays, plays the payer, refunds. */
export class Merchant {
  private token?: string;

  constructor(private readonly account: Account) {}

  /** Throws `Refused` when the credentials are not known. */
  async signIn(): Promise<void> {
    const { clientId, clientSecret } = this.account;
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
    const response = await this.fetch('/auth/1.0.0/token', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (!response.ok) throw new Refused(response.status, `signing in as ${clientId} failed with ${response.status}`);
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

  /** The whole answer. Signs in when it must. Throws `Refused` with the API's message, or `Unavailable`. */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const key = randomUUID();
    if (!this.token) await this.signIn();
    let response = await this.request(method, path, key, body);
    if (response.status === 401) {
      await this.signIn();
      response = await this.request(method, path, key, body);
    }
    const answer = (await response.json()) as T & { message?: string };
    if (!response.ok) throw new Refused(response.status, `${method} ${path}: ${response.status} ${answer.message}`);
    return answer;
  }

  private request(method: string, path: string, key: string, body?: object): Promise<Response> {
    return this.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        organizationId: this.account.organizationId,
        ...(this.account.tenantId ? { tenantId: this.account.tenantId } : {}),
        ...(body ? { 'content-type': 'application/json', 'idempotency-key': key } : {}),
      },
      body: body && JSON.stringify(body),
    });
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    const { apiUrl } = this.account;
    const response = await fetch(apiUrl + path, init).catch(() => {
      throw new Unavailable(`nothing answers at ${apiUrl}: is the platform running? If not, start it with npm start`);
    });
    if (response.status >= 500 || response.status === 429)
      throw new Unavailable(`the API at ${apiUrl} answers ${response.status}`);
    return response;
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

  /** Every processor tried for a payment, and what was asked of it, one a line. */
  async attempts(paymentId: string): Promise<string[]> {
    const attempts = await this.list<Attempt>(`/ipg/1.0.0/payment/payments/${paymentId}/attempts`);
    return attempts.map(
      ({ number, processor, status, operations }) =>
        `${number}. processor ${processor}: ${status} (${operations.map((one) => `${one.kind} ${one.status}`).join(', ')})`,
    );
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
export async function press({ action }: Pick<PaymentRecord, 'action'>, outcome: string): Promise<void> {
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
