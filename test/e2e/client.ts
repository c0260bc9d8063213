import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../setup/stack';

/** What a merchant's program sees of the platform: HTTP and nothing else. */

/** A JSON body. What is under test has no type that could be assumed. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export interface Reply {
  status: number;
  body: Json;
  headers: Headers;
}

/** The test cards by what they make the simulated processors do. */
export const CARDS = {
  visa: '4111111111111111',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  challenge: '4000000000003220',
  frictionless: '4000000000003055',
  authenticationFails: '4000000000003097',
  challengeThenDeclined: '4000008400001629',
  authenticationRequired: '4000002760003184',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  expired: '4000000000000069',
  cvvMismatch: '4000000000000127',
  lost: '4000000000009987',
  closesConnection: '4000000000000119',
  neverAnswers: '4000000000006975',
  refundDeclined: '4000000000005126',
  chargedBack: '4000000000000259',
} as const;

/** Captured, before or after the settlement that follows within seconds. */
export const CAPTURED = ['captured', 'settled'];

export const PAYMENTS = '/ipg/1.0.0/payment/payments';

/** A bound against waiting forever, never a claim on speed. */
const PATIENCE_MS = 120_000;
const FIRST_LOOKS_EVERY_MS = 50;
const LATER_LOOKS_EVERY_MS = 250;

/**
 * Looks again and again until `probe` answers something, less often the longer it takes. Throws, naming `what`, when it
 * never does.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const beganAt = Date.now();
  for (;;) {
    const found = await probe();
    if (found) return found;
    const passedMs = Date.now() - beganAt;
    if (passedMs > patienceMs) throw new Error(`${what}: not within ${patienceMs} ms`);
    await sleep(Math.min(Math.max(passedMs / 10, FIRST_LOOKS_EVERY_MS), LATER_LOOKS_EVERY_MS));
  }
}

/** A merchantTransactionId that no other test uses. */
export function transactionId(): string {
  return `t-${randomUUID()}`;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends a request and reads the answer, JSON where it is JSON. A body that is text is sent as it is. */
export async function send(url: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Reply> {
  const isText = typeof body === 'string' || body === undefined;
  const request = {
    method,
    headers: isText ? headers : { 'content-type': 'application/json', ...headers },
    body: isText ? body : JSON.stringify(body),
    redirect: 'manual',
  } as const;
  let response = await fetch(url, request);
  // A connection that the client opened too early and never used ends with 408; nobody has read the request (RFC 9110
  // section 15.5.9).
  if (response.status === 408) response = await fetch(url, request);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}

/** Exchanges client credentials for an access token (RFC 6749 section 4.4). */
export async function signIn(apiUrl: string, clientId: string, clientSecret: string): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const { status, body } = await send(`${apiUrl}/auth/1.0.0/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  if (status !== 200) throw new Error(`no token for ${clientId}: ${status} ${JSON.stringify(body)}`);
  return body.access_token;
}

/** One signed-in client with the headers it sends. */
export class Caller {
  constructor(
    readonly apiUrl: string,
    readonly headers: Record<string, string>,
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return send(this.apiUrl + path, { headers: { ...this.headers, ...headers } });
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return send(this.apiUrl + path, { method: 'POST', headers: { ...this.headers, ...headers }, body });
  }
}

export type Overrides = Record<string, unknown> & { card?: Record<string, unknown> };

/** A merchant of the platform. */
export class Merchant extends Caller {
  /** Pays by card, 10.00 EUR unless overridden. A member that is overridden with `undefined` is left out. */
  pay(
    number: string | undefined,
    overrides: Overrides = {},
    { path = '1', key }: { path?: string; key?: string } = {},
  ): Promise<Reply> {
    return this.post(`/payments/h2h/${path}`, this.order(number, overrides), keyHeader(key));
  }

  /** The body of `pay`. */
  order(number: string | undefined, { card, ...overrides }: Overrides = {}): Record<string, unknown> {
    const whole = { number, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123', ...card };
    return {
      merchantTransactionId: transactionId(),
      amount: '10.00',
      currency: 'EUR',
      ...(number ? { card: whole } : {}),
      ...overrides,
    };
  }

  /** Pays and answers the record; throws unless the status is one of those expected. */
  async paid(number: string, overrides: Overrides = {}, states: readonly string[] = CAPTURED): Promise<Json> {
    const { status, body } = await this.pay(number, overrides);
    if (!states.includes(body.data?.transactionStatus)) throw new Error(`not paid: ${status} ${JSON.stringify(body)}`);
    return body.data;
  }

  /** The payment record. */
  async status(paymentId: string): Promise<Json> {
    return (await this.get(`${PAYMENTS}/${paymentId}/status-by-payment-id`)).body.data;
  }

  /** Waits until the payment is in one of these states and answers its record. */
  async until(paymentId: string, ...states: readonly string[]): Promise<Json> {
    const found = await until(`${paymentId} ${states}`, async () => {
      const data = await this.status(paymentId);
      return states.includes(data?.transactionStatus) && data;
    }).catch(async (error: Error) => error);
    if (found instanceof Error) throw new Error(`${found.message}: ${JSON.stringify(await this.status(paymentId))}`);
    return found;
  }

  refund(paymentId: string, body?: object, key?: string): Promise<Reply> {
    return this.post(`${PAYMENTS}/${paymentId}/refund`, body, keyHeader(key));
  }

  capture(paymentId: string, body?: object, key?: string): Promise<Reply> {
    return this.post(`${PAYMENTS}/${paymentId}/capture`, body, keyHeader(key));
  }

  cancel(paymentId: string, key?: string): Promise<Reply> {
    return this.post(`${PAYMENTS}/${paymentId}/cancel`, undefined, keyHeader(key));
  }

  /** The timeline, oldest first. */
  async events(paymentId: string): Promise<Json[]> {
    return (await this.get(`${PAYMENTS}/${paymentId}/events`)).body.data;
  }

  async refunds(paymentId: string): Promise<Json[]> {
    return (await this.get(`${PAYMENTS}/${paymentId}/refunds`)).body.data;
  }
}

function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'idempotency-key': key };
}

/** Presses a button on the issuer's page, as the payer's browser would. */
export function challenge(url: string, outcome: 'authenticated' | 'failed'): Promise<Reply> {
  return send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `outcome=${outcome}`,
  });
}

export interface SentCallback {
  /** As it went over the wire. */
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
  responses: { status: number | null }[];
}

/** A simulated processor, as a test tells it what to do. */
export class Simulator {
  private readonly control: string;

  constructor(
    readonly url: string,
    processor = 'a',
  ) {
    this.control = `${url}/sim/processors/${processor}`;
  }

  /** What the processor has really done for a payment. */
  async charges(reference: string): Promise<Json[]> {
    return (await send(`${this.control}/charges?reference=${reference}`)).body.data;
  }

  /** Every charge, newest first, up to 1,000. */
  async allCharges(): Promise<Json[]> {
    return (await send(`${this.control}/charges?limit=1000`)).body.data;
  }

  async fault(on: string, fault: string, order: { times?: number; delayMs?: number; reference?: string } = {}) {
    const { status, body } = await send(`${this.control}/faults`, { method: 'POST', body: { on, fault, ...order } });
    if (status !== 201) throw new Error(`the simulator refuses the fault: ${JSON.stringify(body)}`);
  }

  /** Faults that have not hit all the calls they are for. */
  async faultsLeft(): Promise<Json[]> {
    return (await send(`${this.control}/faults`)).body.data;
  }

  async clearFaults(): Promise<void> {
    await send(`${this.control}/faults`, { method: 'DELETE' });
  }

  /** Sends a callback now, past the queue and its faults. */
  async callback(order: Record<string, unknown>): Promise<SentCallback> {
    const { status, body } = await send(`${this.control}/callbacks`, { method: 'POST', body: order });
    if (status !== 201) throw new Error(`the simulator refuses the callback: ${JSON.stringify(body)}`);
    return body;
  }
}

/** Money that nobody asked for, of a payment, oldest first. */
export async function receiptsOf({ ops }: Pick<Actors, 'ops'>, paymentId: string): Promise<Json[]> {
  return (await ops.get(`/ops/1.0.0/receipts?paymentId=${paymentId}`)).body.data.reverse();
}

/** A callback of processor A, written and signed by hand: HMAC-SHA256 over the raw body. */
export function signedByA(secret: string, fields: Record<string, unknown>): Required<Sent> {
  const body = JSON.stringify({ eventId: `evt-${randomUUID()}`, type: 'payment', ...fields });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { method: 'POST', headers: { 'content-type': 'application/json', 'x-signature': signature }, body };
}

/** Everybody a test needs on one platform. */
export interface Actors {
  merchant: Merchant;
  tenantAdmin: Caller;
  ops: Caller;
  simulator: Simulator;
}

/** Signs in the clients of one tenant: those of the first in `credentials`, or of `credentials.other`; and an operator. */
export async function actorsOf(credentials: Credentials, tenant: Credentials = credentials): Promise<Actors> {
  const { apiUrl } = credentials;
  const bearer = async (client: { clientId: string; clientSecret: string }) => ({
    authorization: `Bearer ${await signIn(apiUrl, client.clientId, client.clientSecret)}`,
  });
  const { clients, organizationId, tenantId } = tenant;
  return {
    merchant: new Merchant(apiUrl, { ...(await bearer(clients.merchant)), organizationid: organizationId }),
    tenantAdmin: new Caller(apiUrl, { ...(await bearer(clients.tenantAdmin)), tenantid: tenantId }),
    ops: new Caller(apiUrl, await bearer(clients.ops ?? credentials.clients.ops)),
    simulator: new Simulator(credentials.simulatorUrl),
  };
}

/** Another operator: what moves much money needs two. */
export async function secondOperator({ ops }: Actors): Promise<Caller & { clientId: string }> {
  const { status, body } = await ops.post('/identity/1.0.0/clients', { role: 'ops', name: 'Second operator' });
  if (status !== 201) throw new Error(`no second operator: ${status} ${JSON.stringify(body)}`);
  const authorization = `Bearer ${await signIn(ops.apiUrl, body.clientId, body.secret)}`;
  return Object.assign(new Caller(ops.apiUrl, { authorization }), { clientId: body.clientId as string });
}

/** The currencies in which debits and credits differ. Throws when nothing was booked at all. */
export async function outOfBalance({ tenantAdmin }: Actors): Promise<Json[]> {
  const { body } = await tenantAdmin.get('/ledger/1.0.0/trial-balance');
  if (!(body.data?.length > 0)) throw new Error('nothing is booked');
  return body.data.filter(({ difference }: Json) => !/^0(\.0+)?$/.test(difference));
}

/** The ledger transfers whose cause begins so, oldest first. */
export async function transfersOf({ tenantAdmin }: Actors, cause: string): Promise<Json[]> {
  return (await tenantAdmin.get(`/ledger/1.0.0/transfers?cause=${cause}`)).body.data.reverse();
}
