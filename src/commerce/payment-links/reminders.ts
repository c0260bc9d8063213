import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import type { UserRow, Users } from '../../people/identity/users/user';
import type { PaymentLinkRow } from './payment-link';

/** Tells a tenant's admins of links that wait for them. */
export class Reminders {
  constructor(private readonly parts: { database: Database; users: Users; messenger: Messenger }) {}

  /** Once for each link, however often it is called. */
  async remind(link: PaymentLinkRow): Promise<void> {
    const { database, users, messenger } = this.parts;
    await database.system.transaction(async (trx) => {
      const [due]: PaymentLinkRow[] = await trx('payment_links')
        .where({ id: link.id, status: 'pending_approval' })
        .whereNotNull('remind_at')
        .update({ remind_at: null, look_at: trx.raw('least(request_expires_at, expires_at)') })
        .returning('*');
      if (!due) return;
      const admins: UserRow[] = await trx('users')
        .where({ tenant_id: due.tenant_id, role: 'tenant_admin' })
        .whereNull('disabled_at')
        .orderBy('id');
      const amount = `${formatAmount(due.most_minor, due.currency)} ${due.currency}`;
      for (const admin of admins)
        await messenger.send(trx, {
          tenantId: due.tenant_id,
          channel: 'email',
          to: users.contactOf(admin).email,
          subject: 'A payment link waits for your approval',
          text:
            `Hello,\n\nthe payment link "${due.title}" (${due.id}) over up to ${amount} waits for an approval. ` +
            `If nobody approves it, it expires on ${due.request_expires_at!.toISOString()}.`,
        });
    });
  }
}
