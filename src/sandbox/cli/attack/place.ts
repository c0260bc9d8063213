import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeIn, letterTo } from '../demo/person';
import type { Credentials } from '../sandbox';

/** A JSON body. Nothing is assumed of what is attacked. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export interface Answer {
  status: number;
  body: Json;
}

const PASSWORD = 'plum-orbit-lantern-42';
const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
const LOOKS_EVERY_MS = 250;
const MOST_LOOKS = 480;

/** Somebody who calls the API. */
export class Caller {
  constructor(
    readonly apiUrl: string,
    readonly headers: Record<string, string> = {},
  ) {}

  /** The answer, whatever its status. A body that is text or bytes is sent as it is. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const response = await fetch(this.apiUrl + path, {
      method,
      headers: {
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isRaw ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  /** The same with other headers. */
  with(headers: Record<string, string>): Caller {
    return new Caller(this.apiUrl, { ...this.headers, ...headers });
  }
}

/** A customer whose things are attacked. */
export interface Victim {
  customerId: string;
  email: string;
  password: string;
}

/** A running sandbox: who is there, and what can be had to attack. */
export class Place {
  readonly nobody: Caller;

  private constructor(
    readonly credentials: Credentials,
    /** Of the attacked tenant. */
    readonly merchant: Caller,
    readonly admin: Caller,
    readonly ops: Caller,
    /** Of the other tenant. */
    readonly foreignMerchant: Caller,
    readonly foreignAdmin: Caller,
  ) {
    this.nobody = new Caller(credentials.apiUrl);
  }

  /** Signs everybody in. Rejects unless the platform is on this machine: what is done here is done to nobody else. */
  static async enter(credentials: Credentials): Promise<Place> {
    for (const name of ['apiUrl', 'authUrl', 'simulatorUrl'] as const) {
      const { hostname } = new URL(credentials[name]);
      if (hostname !== '127.0.0.1')
        throw new Error(`${name} is at ${hostname}: only a sandbox at 127.0.0.1 is attacked`);
    }
    const { other, clients, apiUrl, tenantId, organizationId } = credentials;
    const nobody = new Caller(apiUrl);
    const signedIn = async (client: { clientId: string; clientSecret: string }, headers: Record<string, string>) =>
      nobody.with({ authorization: `Bearer ${await tokenFor(nobody, client)}`, ...headers });
    return new Place(
      credentials,
      await signedIn(clients.merchant, { organizationid: organizationId }),
      await signedIn(clients.tenantAdmin, { tenantid: tenantId }),
      await signedIn(clients.ops, {}),
      await signedIn(other.clients.merchant, { organizationid: other.organizationId }),
      await signedIn(other.clients.tenantAdmin, { tenantid: other.tenantId }),
    );
  }

  /** The body of a payment of 10.00 EUR by card. */
  order(more: object = {}): object {
    return { merchantTransactionId: `a-${randomUUID()}`, amount: '10.00', currency: 'EUR', card: CARD, ...more };
  }

  /** A new payment of 10.00 EUR, once it is in one of the states. */
  async payment(states: readonly string[] = ['captured', 'settled'], more: object = {}): Promise<string> {
    const { body } = await this.merchant.post('/payments/h2h/1', this.order(more));
    const id: string = body.data.paymentId;
    await this.until(`payment ${id}`, async () => states.includes((await this.paid(id)).transactionStatus));
    return id;
  }

  /** The payment as its merchant sees it. */
  async paid(paymentId: string): Promise<Json> {
    return (await this.merchant.get(`/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`)).body.data;
  }

  /** A new customer with a password, a confirmed address and 10.00 EUR in the wallet. */
  async victim(): Promise<Victim> {
    const email = `${randomUUID()}@victim.example`;
    const person = { firstName: { name: 'Eve' }, lastName: { name: 'Moneypenny' }, email, password: PASSWORD };
    const record = { customerType: 'Person', customerName: 'Eve Moneypenny', customerStatus: 'verified', person };
    const { customerId } = (await this.admin.post('/customer/1.0.0/create', record)).body;
    const verifications = `/customer/1.0.0/${customerId}/verifications`;
    const { sessionId } = (await this.admin.post(verifications, { type: 'email', value: email })).body;
    const code = codeIn(await letterTo(this.credentials.apiUrl, email, 1));
    await this.admin.post(`${verifications}/confirm`, { sessionId, code });
    const topup = { customerId, amount: '10.00', currency: 'EUR', card: CARD };
    await this.admin.post('/wallet/1.0.0/topups', topup);
    await this.until(`wallet of ${customerId}`, async () => (await this.available(customerId)) === '10.00');
    return { customerId, email, password: PASSWORD };
  }

  /** What a customer can spend, in EUR. */
  async available(customerId: string): Promise<string | undefined> {
    const { body } = await this.admin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
    return body.data?.find(({ currency }: Json) => currency === 'EUR')?.available;
  }

  /** A customer, signed in. */
  async customer({ email, password }: Victim): Promise<Caller> {
    const { tenantId } = this.credentials;
    const { body } = await this.nobody.post('/auth/1.0.0/customers/token', { tenantId, email, password });
    return this.nobody.with({ authorization: `Bearer ${body.access_token}`, tenantid: tenantId });
  }

  /** Looks again and again, at most two minutes. Throws, naming `what`, when it never comes. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      if (await isSo()) return;
      await sleep(LOOKS_EVERY_MS);
    }
    throw new Error(`${what}: not in time`);
  }
}

/** A token by client credentials (RFC 6749, section 4.4). */
export async function tokenFor(
  nobody: Caller,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const { status, body } = await nobody.post('/auth/1.0.0/token', form.toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  });
  if (status !== 200) throw new Error(`no token for ${clientId}: ${status}`);
  return body.access_token;
}
