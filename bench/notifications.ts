import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { closedLoop, type Measurement, summarize } from './load';

/** A payment whose payer has a page to answer. */
interface Started {
  paymentId: string;
  action?: { url: string };
}

export interface Shop {
  /** Starts a payment that asks its payer. */
  pay(members: object): Promise<Started>;
  /** The payer agrees. */
  press(action: Started['action']): Promise<unknown>;
}

/** Slow enough that 50 in flight are some six payments a second: what is measured is the way, not a queue before it. */
const PAYER_MS = { least: 6_000, most: 10_000 };
const GIVE_UP_MS = 30_000;

/**
 * How long after the callback with a payer's answer the merchant's server hears of the capture, while `inFlight` payments
 * are under way whose payers take their time. From the callback's row in the inbox to the request at the server; both
 * clocks are this machine's.
 */
export async function callbackToNotification(
  { pay, press }: Shop,
  admin: Knex,
  inFlight: number,
  durationMs: number,
): Promise<Measurement> {
  const heardAt = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = await request.toArray();
    response.end();
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    if (type !== 'payment.captured' || heardAt.has(data.paymentId)) return;
    heardAt.set(data.paymentId, at);
    waiting.get(data.paymentId)?.();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const notificationUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const beganAt = performance.now();
    const { errors, lastError } = await closedLoop(inFlight, durationMs, async () => {
      const { paymentId, action } = await pay({ notificationUrl });
      const heard = new Promise<void>((resolve) => waiting.set(paymentId, resolve));
      await sleep(PAYER_MS.least + Math.random() * (PAYER_MS.most - PAYER_MS.least));
      await press(action);
      await Promise.race([heard, late(paymentId)]);
    });
    const elapsedMs = performance.now() - beganAt;
    const received: { reference: string; at: Date }[] = await admin('callback_inbox')
      .whereIn('reference', [...heardAt.keys()])
      .groupBy('reference')
      .select('reference', admin.raw('min(received_at) AS at'));
    const latencies = received.map(({ reference, at }) => heardAt.get(reference)! - at.getTime());
    return summarize(latencies, elapsedMs, errors, lastError);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function late(paymentId: string): Promise<never> {
  await sleep(GIVE_UP_MS, undefined, { ref: false });
  throw new Error(`${paymentId}: no notification within ${GIVE_UP_MS} ms`);
}
