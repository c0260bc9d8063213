import { randomUUID } from 'node:crypto';
import type { Credentials } from '../setup/stack';
import { type Actors, CARDS, type Caller, type Json, Merchant, send, signIn, until } from './client';

export const PAYOUTS = '/payouts/1.0.0';

/** Account numbers by what becomes of a transfer to them at the simulated processor. */
export const ACCOUNTS = {
  settles: 'DE89370400440532013000',
  refused: ibanEnding('02'),
  comesBack: ibanEnding('04'),
  neverAnswers: ibanEnding('75'),
} as const;

function ibanEnding(ending: string): string {
  const bban = `5001051712345678${ending}`;
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${check.toString().padStart(2, '0')}${bban}`;
}

/** Of each seller's contact. */
export const SELLER_PASSWORD = 'plum-orbit-lantern-42';

/** A seller of its own, so that what others sell is not in its balance. */
export class Seller {
  private constructor(
    readonly merchant: Merchant,
    /** The person who runs it, signed in. */
    readonly contact: Merchant,
    readonly organizationId: string,
    readonly email: string,
    private readonly admin: Caller,
    private readonly credentials: Credentials,
  ) {}

  /** Brings a seller on board, as its contact would. `iban`: its account, verified; null: none yet. */
  static async create(
    credentials: Credentials,
    { tenantAdmin }: Actors,
    iban: string | null = ACCOUNTS.settles,
  ): Promise<Seller> {
    const { apiUrl } = credentials;
    const email = `seller-${randomUUID()}@shop.example`;
    const { body: invited } = await tenantAdmin.post('/onboarding/1.0.0/merchants', {
      businessName: 'A Seller',
      technicalContact: { name: 'Sal Seller', email },
    });
    const token = await until('the invitation', async () => {
      const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
      return body.data.flatMap(({ text }: Json) => /\?token=([\w-]+)/.exec(text)?.[1] ?? [])[0];
    });
    await send(`${apiUrl}/onboarding/1.0.0/password`, { method: 'POST', body: { token, password: SELLER_PASSWORD } });
    const { body: user } = await send(`${apiUrl}/auth/1.0.0/users/token`, {
      method: 'POST',
      body: { email, password: SELLER_PASSWORD },
    });
    const { organizationId } = invited;
    const contact = new Merchant(apiUrl, {
      authorization: `Bearer ${user.access_token}`,
      organizationid: organizationId,
    });
    const { body: parameters } = await contact.get('/onboarding/1.0.0/parameters');
    const merchant = new Merchant(apiUrl, {
      authorization: `Bearer ${await signIn(apiUrl, parameters.clientId, parameters.clientSecret.value)}`,
      organizationid: organizationId,
    });
    const seller = new Seller(merchant, contact, organizationId, email, tenantAdmin, credentials);
    // Terms of its own: those of the tenant are everybody's, and other suites set them.
    await seller.terms({ schedule: 'on_demand' });
    if (iban) {
      await seller.name(iban);
      await tenantAdmin.post(`${PAYOUTS}/accounts/${organizationId}/verify`);
    }
    return seller;
  }

  name(iban: string, more: object = {}) {
    const body = { iban, holder: 'A Seller', ...more };
    return put(this.merchant, `${PAYOUTS}/account`, body);
  }

  /** Sets terms of its own. */
  terms(terms: object) {
    return put(this.admin, `${PAYOUTS}/terms`, { organizationId: this.organizationId, currency: 'EUR', ...terms });
  }

  /** Sells for an amount, and waits until it is settled. */
  async sold(amount = '10.00'): Promise<string> {
    const { paymentId } = await this.merchant.paid(CARDS.visa, { amount });
    await this.merchant.until(paymentId, 'settled');
    return paymentId;
  }

  /** Orders a payout and answers the reply. */
  payOut(order: object = {}, headers: Record<string, string> = {}) {
    return this.merchant.post(`${PAYOUTS}/payouts`, { currency: 'EUR', ...order }, headers);
  }

  async payout(id: string): Promise<Json> {
    return (await this.merchant.get(`${PAYOUTS}/payouts/${id}`)).body;
  }

  /** Waits until a payout has a status and answers it. */
  become(id: string, status: string): Promise<Json> {
    return until(`${id} is ${status}`, async () => {
      const payout = await this.payout(id);
      return payout.status === status && payout;
    }).catch(async (error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(await this.payout(id))}`);
    });
  }

  async balance(): Promise<Json> {
    return (await this.merchant.get(`${PAYOUTS}/balance?currency=EUR`)).body;
  }

  /** What the processor has really sent for a payout. */
  async sentFor(payoutId: string): Promise<Json[]> {
    const url = `${this.credentials.simulatorUrl}/sim/processors/b/payouts`;
    return (await send(`${url}?reference=${payoutId}`)).body.data;
  }
}

export function put(caller: Caller, path: string, body: object) {
  return send(caller.apiUrl + path, { method: 'PUT', headers: caller.headers, body });
}
