import { randomUUID } from 'node:crypto';
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
