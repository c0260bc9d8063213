import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';
import { closedLoop, type Measurement } from './load';

interface Place {
  api: Pool;
  /** Koa and nothing else. */
  bare: Pool;
  /** Of a merchant. */
  headers: Record<string, string>;
  durationMs: number;
}

type Compare = (
  name: string,
  aim: string | undefined,
  ours: () => Promise<Measurement>,
  bare?: () => Promise<Measurement>,
) => Promise<unknown>;

/**
 * Payment links: created, each with a flow of its own, and their page served to buyers who open it. Answers the address of
 * one.
 */
export async function compareLinks({ api, bare, headers, durationMs }: Place, compare: Compare): Promise<string> {
  const create = async () => {
    const body = {
      title: 'Consulting in November',
      currency: 'EUR',
      lines: [{ description: 'Two hours of consulting', amount: '60.00', quantity: 2 }],
    };
    const path = '/payment-links/1.0.0/links';
    const response = await api.request({
      method: 'POST',
      path,
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${text.slice(0, 200)}`);
    return JSON.parse(text) as { url: string };
  };
  await compare('payment links created, 16 concurrent', undefined, () => closedLoop(16, durationMs, create));

  const { url } = await create();
  const { pathname } = new URL(url);
  const page = async (server: Pool, path: string) => {
    const { statusCode, body } = await server.request({ method: 'GET', path });
    const text = await body.text();
    if (statusCode !== 200 || !text.startsWith('<!doctype html>')) throw new Error(`${statusCode} instead of a page`);
    return text;
  };
  await bare.request({ method: 'PUT', path: '/page', body: await page(api, pathname) }).then(({ body }) => body.dump());
  await compare(
    'page for buyers, 16 concurrent',
    undefined,
    () => closedLoop(16, durationMs, () => page(api, pathname)),
    () => closedLoop(16, durationMs, () => page(bare, '/page')),
  );
  return url;
}
