import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ItemRow } from '../../../../src/commerce/inventory/item';
import { moveStock } from '../../../../src/commerce/inventory/stock';
import type { OrderRow } from '../../../../src/commerce/orders/order';
import { createOrder, type NewOrder } from '../../../../src/commerce/orders/steps';
import { newId } from '../../../../src/domain/ids';
import type { ResultCode } from '../../../../src/domain/result-codes';
import type { PaymentStatus } from '../../../../src/domain/states/payment';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Ledger } from '../../../../src/money/ledger/ledger';
import * as bookings from '../../../../src/money/payments/bookings';
import { lockPayment } from '../../../../src/money/payments/payment';
import { applyChange } from '../../../../src/money/payments/transition';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { claimed } from '../../money/payments/captured';

const HALF_AN_HOUR_MS = 1_800_000;
const PRICE_MINOR = 1_000n;

/** A database of its own with a merchant who sells something. */
export class Shop {
  readonly ledger = new Ledger();

  private constructor(
    readonly database: Database,
    readonly seller: SeededTenant & { other: SeededTenant },
    readonly adminUrl: string,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(name: string, connections = 4): Promise<Shop> {
    const own = await createTestDatabase(name);
    const database = openDatabase(own.logins, connections, `test-${name}`);
    await writeCatalogue(database.system);
    const secrets = new CallbackSecrets(`k1:${randomBytes(32).toString('base64')}`);
    return new Shop(database, await seedSandbox(database.system, secrets), own.adminUrl, own.drop);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.drop();
  }

  do<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.database.tenant(this.seller.tenantId, work);
  }

  /** An approved item at 10.00 EUR, with this many pieces. Answers its id. */
  stocked(pieces: number, overrides: Partial<ItemRow> = {}): Promise<string> {
    const id = newId('item');
    return this.do(async (trx) => {
      await trx('items').insert({
        id,
        tenant_id: this.seller.tenantId,
        organization_id: this.seller.organizationId,
        sku: id,
        name: 'A thing',
        currency: 'EUR',
        price_minor: PRICE_MINOR,
        status: 'approved',
        decided_by: 'an admin',
        decided_at: new Date(),
        created_by: 'a seller',
        ...overrides,
      });
      const movement = { tenant_id: this.seller.tenantId, item_id: id, actor: 'a seller' };
      if (pieces > 0) await moveStock(trx, [{ ...movement, kind: 'added', quantity: pieces, cause: 'added' }]);
      return id;
    });
  }

  adjust(itemId: string, delta: number): Promise<void> {
    const movement = { tenant_id: this.seller.tenantId, item_id: itemId, actor: 'a seller', reason: 'counted' };
    return this.do((trx) =>
      moveStock(trx, [{ ...movement, kind: 'adjusted', quantity: delta, cause: `adjusted/${randomUUID()}` }]),
    );
  }

  order(lines: NewOrder['lines'], overrides: Partial<NewOrder> = {}): Promise<OrderRow> {
    const { tenantId, organizationId } = this.seller;
    return this.do((trx) =>
      createOrder(trx, {
        id: newId('order'),
        tenantId,
        organizationId,
        currency: 'EUR',
        lines,
        reservedUntil: new Date(Date.now() + HALF_AN_HOUR_MS),
        createdBy: 'a seller',
        ...overrides,
      }),
    );
  }

  /** A payment for an order, which has only been accepted. Answers its id. */
  async begin(order: OrderRow, overrides: Record<string, unknown> = {}): Promise<string> {
    const id = newId('payment');
    await this.do((trx) =>
      trx('payments').insert({
        id,
        tenant_id: this.seller.tenantId,
        organization_id: this.seller.organizationId,
        terminal_id: this.seller.terminalId,
        merchant_transaction_id: randomUUID(),
        method_id: 1,
        kind: 'card',
        brand: 'VISA',
        processor: 'a',
        currency: order.currency,
        amount_minor: order.total_minor,
        capture_mode: 'automatic',
        status: 'initiated',
        result_code: 100,
        status_detail: '',
        request: '{}',
        order_id: order.id,
        ...overrides,
      }),
    );
    return id;
  }

  /** The payment ends as its flow ends it. */
  async end(paymentId: string, to: Extract<PaymentStatus, 'captured' | 'failed'>): Promise<void> {
    await this.do(async (trx) => {
      const payment = await claimed(trx, await lockPayment(trx, paymentId));
      const amount = payment.amount_minor;
      await applyChange(trx, this.ledger, payment, {
        to,
        resultCode: (to === 'captured' ? 0 : 200) satisfies ResultCode,
        detail: to,
        cause: 'inquiry',
        ...(to === 'captured' && {
          columns: { authorized_minor: amount, captured_minor: amount },
          movements: bookings.capture(payment, amount),
        }),
      });
    });
  }

  item(id: string): Promise<ItemRow> {
    return this.database.ops('items').where({ id }).first() as Promise<ItemRow>;
  }

  row(orderId: string): Promise<OrderRow> {
    return this.database.ops('orders').where({ id: orderId }).first() as Promise<OrderRow>;
  }

  /** Its time is up. */
  async age(orderId: string): Promise<void> {
    const past = new Date(Date.now() - 1_000);
    await this.database.system('orders').where({ id: orderId }).update({ reserved_until: past, look_at: past });
  }
}
