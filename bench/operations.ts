import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';
import { newUuid } from '../src/domain/ids';
import type { Credentials } from '../src/sandbox/cli/sandbox';
import { call, challenger, headersOf, pay, payAtOnce, postSigned } from './payer';
import type { Wallets } from './wallets';

/** One thing that clients ask of the platform. */
export interface Operation {
  name: string;
  /** What is measured is so many of them. */
  count: number;
  /** Makes ready what `count` of them need; nothing of it is measured. */
  prepare?(count: number): Promise<void>;
  once(): Promise<unknown>;
}

export interface OperationsPlace {
  api: Pool;
  simulator: Pool;
  credentials: Credentials;
  /** Of a tenant admin. */
  admins: Record<string, string>;
  wallets: Wallets;
}

const PAYMENTS = '/ipg/1.0.0/payment/payments';
const VISA = '4111111111111111';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PREPARE_AT_ONCE = 8;

/** The ten operations whose cost is published. */
export async function tenOperations({
  api,
  simulator,
  credentials,
  admins,
  wallets,
}: OperationsPlace): Promise<Operation[]> {
  const headers = await headersOf(api, { ...credentials.clients.merchant, organizationId: credentials.organizationId });
  const post = (path: string, body?: object, as: Record<string, string> = headers) =>
    call(api, 'POST', path, as, body && JSON.stringify(body));
  const status = async (id: string) => {
    const { text } = await call(api, 'GET', `${PAYMENTS}/${id}/status-by-payment-id`, headers);
    return JSON.parse(text).data;
  };
  /** Payments made before, each used once. */
  const stock = (make: () => Promise<string>) => {
    const ids: string[] = [];
    return {
      prepare: (count: number) => repeat(count, PREPARE_AT_ONCE, async () => void ids.push(await make())),
      take: () => ids.pop() ?? fail('not enough was made ready'),
      any: () => ids[Math.floor(Math.random() * ids.length)] ?? fail('nothing was made ready'),
    };
  };
  const captured = async () => (await pay(api, headers, VISA)).paymentId;
  const authorized = async () => (await pay(api, headers, VISA, { capture: 'manual' })).paymentId;
  const [toCapture, toRefund, toRead, told] = [authorized, captured, captured, captured].map(stock) as [
    ReturnType<typeof stock>,
    ReturnType<typeof stock>,
    ReturnType<typeof stock>,
    ReturnType<typeof stock>,
  ];
  const link = { url: '' };
  return [
    { name: 'frictionless payment', count: 200, once: () => payAtOnce(api, headers) },
    { name: '3-D Secure payment', count: 150, once: challenger(api, simulator, headers) },
    {
      name: 'capture',
      count: 150,
      prepare: toCapture.prepare,
      once: () => post(`${PAYMENTS}/${toCapture.take()}/capture`),
    },
    {
      name: 'refund',
      count: 150,
      prepare: toRefund.prepare,
      once: () => post(`${PAYMENTS}/${toRefund.take()}/refund`),
    },
    { name: 'status read', count: 4_000, prepare: () => toRead.prepare(50), once: () => status(toRead.any()) },
    { name: 'list of 50 payments', count: 600, once: () => call(api, 'GET', `${PAYMENTS}?limit=50`, headers) },
    {
      name: 'callback about a captured payment',
      count: 200,
      prepare: told.prepare,
      once: () => postSigned(api, '/callbacks/processor_a', credentials.processorSecrets.a!, callback(told.take())),
    },
    {
      name: 'top-up',
      count: 150,
      once: async () => {
        const card = { number: VISA, holder: 'Bench', expiryMonth: '12', expiryYear: '2032', cvv: '123' };
        const body = { customerId: wallets.customerId, amount: '10.00', currency: 'EUR', card };
        await post('/wallet/1.0.0/topups', body, { ...admins, 'idempotency-key': randomUUID() });
      },
    },
    { name: 'transfer between customers', count: 400, once: () => wallets.send() },
    {
      name: 'payment by link',
      count: 150,
      prepare: async () => {
        const lines = [{ description: 'Two hours of consulting', amount: '60.00', quantity: 2 }];
        const body = { title: 'Consulting in November', currency: 'EUR', lines };
        link.url = JSON.parse((await post('/payment-links/1.0.0/links', body)).text).url;
      },
      once: async () => {
        const card = { number: VISA, expiry: '12/40', cvv: '123', holder: 'Bench', email: 'bench@example.com' };
        const typed = { ...card, method: '1', attempt: newUuid(), order: newUuid() };
        const { pathname } = new URL(link.url);
        const sent = await call(api, 'POST', pathname, FORM, new URLSearchParams(typed).toString());
        if (!/pay_[0-9a-z]{26}/.test(String(sent.headers.location))) fail('the form was refused');
      },
    },
  ];
}

/** Does it `count` times, `atOnce` at a time. Rejects with the first failure. */
export async function repeat(count: number, atOnce: number, once: () => Promise<unknown>): Promise<void> {
  let left = count;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

function callback(reference: string): object {
  return {
    eventId: randomUUID(),
    type: 'payment',
    reference,
    status: 'CAPTURED',
    amount: '10.00',
    currency: 'EUR',
  };
}

function fail(why: string): never {
  throw new Error(why);
}
