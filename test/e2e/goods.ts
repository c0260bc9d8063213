import { randomUUID } from 'node:crypto';
import { type Actors, type Json, type Reply, send } from './client';

export const ITEMS = '/inventory/1.0.0/items';
export const IMAGES = '/inventory/1.0.0/images';
export const ORDERS = '/orders/1.0.0/orders';

/** What a seller and the tenant admin do about goods, over HTTP. */
export class Goods {
  constructor(private readonly actors: Pick<Actors, 'merchant' | 'tenantAdmin'>) {}

  /** 12.50 EUR and 10 pieces, unless overridden. Throws unless it is added. */
  async added(overrides: Json = {}): Promise<Json> {
    const item = { sku: `sku-${randomUUID()}`, name: 'Blue mug', price: '12.50', currency: 'EUR', quantity: 10 };
    const { status, body } = await this.actors.merchant.post(ITEMS, { ...item, ...overrides });
    if (status !== 201) throw new Error(`not added: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** The same, approved. */
  async approved(overrides: Json = {}): Promise<Json> {
    const { itemId } = await this.added(overrides);
    const { status, body } = await this.actors.tenantAdmin.post(`${ITEMS}/${itemId}/approve`);
    if (status !== 200) throw new Error(`not approved: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async item(itemId: string): Promise<Json> {
    return (await this.actors.merchant.get(`${ITEMS}/${itemId}`)).body;
  }

  change(itemId: string, body: Json): Promise<Reply> {
    const { apiUrl, headers } = this.actors.merchant;
    return send(`${apiUrl}${ITEMS}/${itemId}`, { method: 'PUT', headers, body });
  }

  async upload(content: Buffer, contentType: string): Promise<{ status: number; body: Json }> {
    const { apiUrl, headers } = this.actors.merchant;
    const response = await fetch(apiUrl + IMAGES, {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body: new Uint8Array(content),
    });
    return { status: response.status, body: await response.json() };
  }

  order(lines: Json[], overrides: Json = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.actors.merchant.post(ORDERS, { currency: 'EUR', lines, ...overrides }, headers);
  }

  /** Throws unless it is made. */
  async ordered(lines: Json[], overrides: Json = {}): Promise<Json> {
    const { status, body } = await this.order(lines, overrides);
    if (status !== 201) throw new Error(`not ordered: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}
