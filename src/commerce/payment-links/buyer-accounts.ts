import type { OrderStatus } from '../../domain/states/order';
import type { PaymentStatus } from '../../domain/states/payment';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { SavedCardRow } from '../../money/payments/saved-card';
import { type PaymentMethods, savedCards } from '../../money/saved-cards/payment-methods';
import type { PaymentLinkRow } from './payment-link';

/** One payment of a customer to a seller. Amounts are minor units of `currency`. */
export interface PastPayment {
  id: string;
  created_at: Date;
  currency: string;
  amount_minor: bigint;
  captured_minor: bigint;
  status: PaymentStatus;
  link_id: string | null;
  /** What it was for, where a link says so. */
  title: string | null;
  order_id: string | null;
  order_status: OrderStatus | null;
}

/** What a customer who has signed in on the page of a link may see there. */
export class BuyerAccounts {
  constructor(
    private readonly database: Database,
    private readonly methods: PaymentMethods,
  ) {}

  /** The customer's cards that pay by the link, newest first: none that has expired, and into nobody else's wallet. */
  async cards(link: PaymentLinkRow, customerId: string, now = new Date()): Promise<SavedCardRow[]> {
    if (link.purpose === 'topup' && link.customer_id !== customerId) return [];
    const cards = await this.database.tenant(link.tenant_id, (trx) => savedCards(trx, customerId));
    const month = now.toISOString().slice(0, 7);
    return cards.filter(({ expiry_year, expiry_month }) => `${expiry_year}-${expiry_month}` >= month);
  }

  /** Forgets a card of the customer. Throws `not_found`, also for another customer's. */
  removeCard({ tenant_id }: PaymentLinkRow, customerId: string, cardId: string, by: Actor): Promise<void> {
    return this.methods.remove(tenant_id, customerId, cardId, by);
  }

  /**
   * What the customer has paid to the seller of the link, into the customer's wallet too, newest first; one more than the
   * page holds. `cursor`: the payment after which the page starts.
   */
  payments(
    { tenant_id, organization_id }: PaymentLinkRow,
    customerId: string,
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<PastPayment[]> {
    return this.database.tenant(tenant_id, async (trx) => {
      const rows = trx('payments as p')
        .leftJoin('payment_links as l', 'l.id', 'p.link_id')
        .leftJoin('orders as o', 'o.id', 'p.order_id')
        .leftJoin('topups as t', 't.payment_id', 'p.id')
        .where({ 'p.customer_id': customerId })
        .where((own) => own.where({ 'p.organization_id': organization_id }).orWhere({ 't.seller_id': organization_id }))
        .orderBy('p.id', 'desc')
        .limit(limit + 1)
        .select('p.id', 'p.created_at', 'p.currency', 'p.amount_minor', 'p.captured_minor', 'p.status', 'p.link_id', {
          title: 'l.title',
          order_id: 'o.id',
          order_status: 'o.status',
        });
      if (cursor) rows.where('p.id', '<', cursor);
      return rows;
    });
  }
}
