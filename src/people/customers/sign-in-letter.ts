import type { Knex } from 'knex';
import type { Messenger } from '../../foundation/messages/messenger';
import type { Address } from './identifiers';

/** What of a customer's way to sign in has changed, in words. */
const CHANGED = {
  address: 'Your e-mail address or telephone number was changed',
  password: 'Your password was changed',
  authenticator: 'Your authenticator app was changed',
} as const;

/**
 * Tells a customer that the way to sign in has changed, at addresses of before: whoever changed it cannot keep the customer
 * from hearing of it. In the caller's transaction. To the e-mail addresses, and to telephone numbers that have left the record
 * (`gone`) or where there is nothing else.
 */
export async function tellOfSignInChange(
  trx: Knex.Transaction,
  messenger: Pick<Messenger, 'send'>,
  tenantId: string,
  part: keyof typeof CHANGED,
  before: readonly Address[],
  gone: readonly Address[] = [],
): Promise<void> {
  const hasEmail = before.some(({ type }) => type === 'email');
  const subject = CHANGED[part];
  const text = `${subject}, and your other sessions have ended. If it was not you, tell us at once.`;
  for (const address of before) {
    const { type, value: to } = address;
    if (type === 'email') await messenger.send(trx, { tenantId, channel: 'email', to, subject, text });
    else if (!hasEmail || gone.includes(address)) await messenger.send(trx, { tenantId, channel: 'sms', to, text });
  }
}

/** What of the addresses of before is not there any more. */
export function goneFrom(before: readonly Address[], after: readonly Address[]): Address[] {
  return before.filter(({ type, mac }) => !after.some((one) => one.type === type && one.mac.equals(mac)));
}
