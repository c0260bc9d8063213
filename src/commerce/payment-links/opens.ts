import type { Database } from '../../foundation/db/database';
import type { PaymentLinkRow } from './payment-link';

const WRITE_AFTER_MS = 1_000;

/**
 * Counts how often links are opened. Many openings are written at once, a second later: buyers of a link that everybody
 * opens do not wait for each other. A process that dies loses the openings of its last second, which are nobody's money.
 */
export class LinkOpens {
  private readonly waiting = new Map<string, { tenantId: string; opened: number }>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly database: Pick<Database, 'system'>) {}

  count({ id, tenant_id }: Pick<PaymentLinkRow, 'id' | 'tenant_id'>): void {
    this.add(id, tenant_id, 1);
    this.timer ??= setTimeout(() => this.write().catch(() => undefined), WRITE_AFTER_MS);
  }

  /** Writes what is not written yet. What cannot be written now waits for the next time. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const counts = [...this.waiting];
    this.waiting.clear();
    if (counts.length === 0) return;
    try {
      await this.database.system.raw(
        `INSERT INTO payment_link_opens (link_id, tenant_id, day, opened)
         SELECT link_id, tenant_id, current_date, opened
         FROM unnest(?::text[], ?::text[], ?::int[]) AS counted (link_id, tenant_id, opened)
         -- Two processes that write the same links lock them in the same order.
         ORDER BY link_id
         ON CONFLICT (link_id, day) DO UPDATE SET opened = payment_link_opens.opened + excluded.opened`,
        [counts.map(([id]) => id), counts.map(([, { tenantId }]) => tenantId), counts.map(([, { opened }]) => opened)],
      );
    } catch (error) {
      for (const [id, { tenantId, opened }] of counts) this.add(id, tenantId, opened);
      throw error;
    }
  }

  private add(id: string, tenantId: string, opened: number): void {
    const known = this.waiting.get(id);
    if (known) known.opened += opened;
    else this.waiting.set(id, { tenantId, opened });
  }
}
