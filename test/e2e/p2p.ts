import { randomUUID } from 'node:crypto';
import { type Actors, type Caller, type Json, type Reply, send, until } from './client';
import { newCustomer, Topups } from './topups';

export const P2P = '/p2p/1.0.0';

/** A handle that no other test uses. */
export const newHandle = () => `h${randomUUID().replaceAll('-', '').slice(0, 20)}`;
export const newPhone = () => `+4479${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
export const newEmail = () => `p-${randomUUID()}@example.com`;

export interface Member {
  customerId: string;
  handle: string;
}

/** Transfers as one caller makes them: a tenant admin for customers, or a customer for itself. */
export class Transfers {
  constructor(
    readonly caller: Caller,
    private readonly actors: Actors,
  ) {}

  enroll(customerId: string, alias: string, more: object = {}): Promise<Reply> {
    return this.caller.post(`${P2P}/customers/${customerId}/enroll`, { alias, ...more });
  }

  /** A customer who has joined by a handle, with so much in the wallet. */
  async member(balance?: string, { currency = 'EUR', ...more }: Json = {}): Promise<Member> {
    const customerId = await newCustomer(this.actors);
    const handle = newHandle();
    const { status, body } = await this.enroll(customerId, `@${handle}`, more);
    if (status !== 201) throw new Error(`not enrolled: ${status} ${JSON.stringify(body)}`);
    if (balance) await new Topups(this.actors.tenantAdmin).made(customerId, { amount: balance, currency });
    return { customerId, handle };
  }

  /** 1.00 EUR unless overridden. */
  send(senderId: string, recipient: string, overrides: object = {}, key?: string): Promise<Reply> {
    const body = { senderId, recipient, amount: '1.00', currency: 'EUR', ...overrides };
    return this.caller.post(`${P2P}/transfers`, body, key ? { 'idempotency-key': key } : {});
  }

  act(transferId: string, what: 'accept' | 'decline' | 'cancel' | 'reverse', body?: object): Promise<Reply> {
    return this.caller.post(`${P2P}/transfers/${transferId}/${what}`, body);
  }

  async read(transferId: string): Promise<Json> {
    return (await this.caller.get(`${P2P}/transfers/${transferId}`)).body;
  }

  until(transferId: string, status: string): Promise<Json> {
    return until(`${transferId} ${status}`, async () => {
      const record = await this.read(transferId);
      return record.status === status && record;
    });
  }

  /** What is available and held of a wallet, in EUR unless overridden. */
  async balance(customer: { customerId: string }, currency = 'EUR'): Promise<string[]> {
    const found = await this.wallet(customer, currency);
    return found ? [found.available, found.held] : ['0.00', '0.00'];
  }

  /** Of a wallet in EUR that has had money. */
  async ibanOf(customer: { customerId: string }): Promise<string> {
    return (await this.wallet(customer, 'EUR')).iban;
  }

  private async wallet({ customerId }: { customerId: string }, currency: string): Promise<Json> {
    const { body } = await this.caller.get(`/wallet/1.0.0/customers/${customerId}/balances`);
    return (body.data ?? body).find((one: Json) => one.currency === currency);
  }
}

/** Messages to an address, newest first. */
export async function mailbox(apiUrl: string, to: string): Promise<Json[]> {
  return (await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;
}
