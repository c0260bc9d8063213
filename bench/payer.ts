import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';

/** A merchant of one tenant that takes frictionless payments. */
export interface Payer {
  clientId: string;
  clientSecret: string;
  organizationId: string;
}

/** Pays through `pool`. Rejects unless the payment is captured. */
export async function payerOf(
  pool: Pool,
  { clientId, clientSecret, organizationId }: Payer,
): Promise<() => Promise<void>> {
  const { access_token } = (await send(
    pool,
    '/auth/1.0.0/token',
    {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    'grant_type=client_credentials',
  )) as { access_token: string };
  const headers = {
    authorization: `Bearer ${access_token}`,
    organizationid: organizationId,
    'content-type': 'application/json',
  };
  return async () => {
    const body = {
      merchantTransactionId: randomUUID(),
      amount: '10.00',
      currency: 'EUR',
      card: { number: '4111111111111111', holder: 'Bench', expiryMonth: '12', expiryYear: '2032', cvv: '123' },
    };
    const { data } = (await send(pool, '/payments/h2h/1', headers, JSON.stringify(body))) as {
      data: { transactionStatus: string };
    };
    if (data.transactionStatus !== 'captured') throw new Error(data.transactionStatus);
  };
}

async function send(pool: Pool, path: string, headers: Record<string, string>, body: string): Promise<unknown> {
  const response = await pool.request({ method: 'POST', path, headers, body });
  const text = await response.body.text();
  if (response.statusCode >= 400) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
