import type { Knex } from 'knex';
import type { Messenger } from '../../foundation/messages/messenger';
import type { CustomerRow, ProfileSeal } from './customer';

/** What e-mails to customers are written with. */
export interface CustomerLetters {
  messenger: Pick<Messenger, 'send'>;
  profiles: ProfileSeal;
}

/** Queues an e-mail to the address in a customer's record. Nothing where there is none, or the customer was erased. */
export async function writeTo(
  trx: Knex.Transaction,
  { messenger, profiles }: CustomerLetters,
  customer: CustomerRow | undefined,
  letter: { subject: string; text: string },
): Promise<void> {
  if (!customer || customer.deleted_at) return;
  const { person } = profiles.open(customer) as { person?: { email?: string } };
  if (!person?.email) return;
  await messenger.send(trx, { tenantId: customer.tenant_id, channel: 'email', to: person.email, ...letter });
}
