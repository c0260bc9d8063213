import type { Knex } from 'knex';
import type { AliasName } from '../../domain/alias';
import { formatAmount } from '../../domain/money';
import type { Messenger } from '../../foundation/messages/messenger';
import type { ProfileSeal } from '../../people/customers/customer';
import type { TransferRow } from './transfer';

const LONGEST_NAME = 60;

/** Tells somebody who has not joined that money waits. */
export class Invitations {
  constructor(
    private readonly messenger: Pick<Messenger, 'send'>,
    private readonly profiles: ProfileSeal,
  ) {}

  /**
   * Queues the invitation with the transfer. It names the sender and the amount. It carries no text of the sender:
   * customers must not write messages to strangers.
   */
  async send(trx: Knex.Transaction, transfer: TransferRow, { type, value }: AliasName): Promise<void> {
    const { tenant_id, sender_id, amount_minor, currency, expires_at } = transfer;
    const [sender, tenant] = [
      await trx('customers').where({ id: sender_id }).first(),
      await trx('tenants').where({ id: tenant_id }).first('name'),
    ];
    const name = plain(String(this.profiles.open(sender).customerName ?? '')) || 'Somebody';
    const amount = `${formatAmount(amount_minor, currency)} ${currency}`;
    const until = expires_at!.toISOString().slice(0, 10);
    await this.messenger.send(trx, {
      tenantId: tenant_id,
      channel: type === 'email' ? 'email' : 'sms',
      to: value,
      subject: `${amount} waits for you`,
      text: `${name} has sent you ${amount} through ${plain(tenant.name)}. Join with this ${
        type === 'email' ? 'e-mail address' : 'telephone number'
      } by ${until} to receive it; after that it returns to the sender.`,
    });
  }
}

/** A name without what could pass for more than a name: control characters and links. */
function plain(name: string): string {
  return name
    .replace(/[^\p{L}\p{M}\p{N} .,'’&-]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/\.(?=\S)/g, ' ')
    .trim()
    .slice(0, LONGEST_NAME);
}
