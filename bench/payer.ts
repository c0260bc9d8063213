import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';

/** A merchant of one tenant. */
export interface Payer {
  clientId: string;
  clientSecret: string;
  organizationId: string;
}

interface Paid {
  paymentId: string;
  transactionStatus: string;
  action?: { url: string };
}

/** Rejects for an answer of 400 or more. */
export async function call(
  pool: Pool,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: string,
) {
  const response = await pool.request({ method, path, headers, body });
  const text = await response.body.text();
  if (response.statusCode >= 400) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
  return { text, headers: response.headers };
}

/** Posts what a processor would, signed with HMAC-SHA-256 over the raw body. Rejects as `call` does. */
export function postSigned(pool: Pool, path: string, secret: string, members: object) {
  const body = JSON.stringify(members);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return call(pool, 'POST', path, { 'content-type': 'application/json', 'x-signature': signature }, body);
}

/** An access token of a client, as a header. */
export async function bearerOf(
  pool: Pool,
  { clientId, clientSecret }: Pick<Payer, 'clientId' | 'clientSecret'>,
): Promise<string> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const { text } = await call(
    pool,
    'POST',
    '/auth/1.0.0/token',
    { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    'grant_type=client_credentials',
  );
  return `Bearer ${JSON.parse(text).access_token}`;
}

/** The headers of a merchant's requests. */
export async function headersOf(pool: Pool, payer: Payer) {
  return {
    authorization: await bearerOf(pool, payer),
    organizationid: payer.organizationId,
    'content-type': 'application/json',
  };
}

/** Takes a payment of 10.00 EUR by this card. `members`: more of the order. */
export async function pay(
  pool: Pool,
  headers: Record<string, string>,
  number: string,
  members: object = {},
): Promise<Paid> {
  const body = {
    merchantTransactionId: randomUUID(),
    amount: '10.00',
    currency: 'EUR',
    card: { number, holder: 'Bench', expiryMonth: '12', expiryYear: '2032', cvv: '123' },
    ...members,
  };
  const { text } = await call(pool, 'POST', '/payments/h2h/1', headers, JSON.stringify(body));
  return JSON.parse(text).data;
}

/** Takes one that needs no 3-D Secure. Rejects unless it is captured. */
export async function payAtOnce(pool: Pool, headers: Record<string, string>): Promise<void> {
  const { transactionStatus } = await pay(pool, headers, '4111111111111111');
  if (transactionStatus !== 'captured') throw new Error(transactionStatus);
}

const CHALLENGED = '4000000000003220';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** How long a payer takes: the flow has begun to wait when the answer comes. */
export const PAYER_MS = 25;
const SHORTEST_PAUSE_MS = 25;
const GIVE_UP_MS = 20_000;

/** A payer who is sent to the page of the processor, and confirms there. */
export async function confirm(simulator: Pool, action: Paid['action']): Promise<void> {
  await call(simulator, 'POST', new URL(action!.url).pathname, FORM, 'outcome=authenticated');
}

/**
 * Takes payments that need 3-D Secure, until each is captured. The merchant asks for the status when payments usually are
 * captured, and again after a quarter of that time: asking all the time costs the API too. When that is, one learns with time:
 * take a new one for another number of clients.
 */
export function challenger(api: Pool, simulator: Pool, headers: Record<string, string>): () => Promise<void> {
  let usualMs: number | undefined;
  const status = async (id: string) => {
    const { text } = await call(api, 'GET', `/ipg/1.0.0/payment/payments/${id}/status-by-payment-id`, headers);
    return JSON.parse(text).data.transactionStatus;
  };
  return async () => {
    const { paymentId, action } = await pay(api, headers, CHALLENGED);
    await sleep(PAYER_MS);
    await confirm(simulator, action);
    const confirmedAt = performance.now();
    for (let share = 0.8; performance.now() - confirmedAt < GIVE_UP_MS; share = 0.25) {
      await sleep(Math.max(SHORTEST_PAUSE_MS, share * (usualMs ?? 0)));
      if (!['captured', 'settled'].includes(await status(paymentId))) continue;
      const tookMs = performance.now() - confirmedAt;
      usualMs = usualMs === undefined ? tookMs : usualMs + (tookMs - usualMs) / 10;
      return;
    }
    throw new Error(`${paymentId} was never captured`);
  };
}
