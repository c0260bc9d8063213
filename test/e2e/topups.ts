import { randomUUID } from 'node:crypto';
import { type Actors, CARDS, type Caller, type Json, type Overrides, type Reply, until } from './client';

export const TOPUPS = '/wallet/1.0.0/topups';

/** A customer of the tenant, verified unless it says otherwise. */
export async function newCustomer({ tenantAdmin }: Pick<Actors, 'tenantAdmin'>, more: object = {}): Promise<string> {
  const { status, body } = await tenantAdmin.post('/customer/1.0.0/create', {
    customerType: 'Person',
    customerName: 'Wallet Owner',
    customerStatus: 'verified',
    person: { firstName: { name: 'A' }, lastName: { name: 'Owner' }, email: `owner-${randomUUID()}@example.com` },
    ...more,
  });
  if (status !== 201) throw new Error(`no customer: ${status} ${JSON.stringify(body)}`);
  return body.customerId;
}

/** Top-ups as one caller makes them: a tenant admin for customers, or a customer for itself. */
export class Topups {
  constructor(readonly caller: Caller) {}

  /** By card, 10.00 EUR unless overridden; without one by what the overrides say. */
  create(
    customerId: string,
    { card, ...overrides }: Overrides = {},
    number: string | null = CARDS.visa,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const whole = { number, holder: 'A Owner', expiryMonth: '12', expiryYear: '2030', cvv: '123', ...card };
    const body = { customerId, amount: '10.00', currency: 'EUR', ...(number ? { card: whole } : {}), ...overrides };
    return this.caller.post(TOPUPS, body, headers);
  }

  /** Creates and waits for one of these states. Answers the record. */
  async made(customerId: string, overrides: Overrides = {}, states = ['settled'], number?: string): Promise<Json> {
    const { status, body } = await this.create(customerId, overrides, number);
    if (!body.topupId) throw new Error(`no top-up: ${status} ${JSON.stringify(body)}`);
    return this.until(body.topupId, ...states);
  }

  async read(topupId: string): Promise<Json> {
    return (await this.caller.get(`${TOPUPS}/${topupId}`)).body;
  }

  act(topupId: string, what: 'capture' | 'cancel' | 'refund', body?: object, key?: string): Promise<Reply> {
    return this.caller.post(`${TOPUPS}/${topupId}/${what}`, body, key ? { 'idempotency-key': key } : {});
  }

  /** Waits until the top-up is in one of these states and answers its record. */
  async until(topupId: string, ...states: readonly string[]): Promise<Json> {
    const found = await until(`${topupId} ${states}`, async () => {
      const record = await this.read(topupId);
      return states.includes(record.status) && record;
    }).catch(async (error: Error) => error);
    if (found instanceof Error) throw new Error(`${found.message}: ${JSON.stringify(await this.read(topupId))}`);
    return found;
  }
}
