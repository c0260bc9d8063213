import type { Database } from '../../foundation/db/database';

/** Removes tokens, codes and links that have expired and windows of wrong sign-ins that have ended. */
export async function sweepExpired({ system }: Database): Promise<void> {
  await system('oidc_payloads').where('expires_at', '<', system.fn.now()).delete();
  for (const table of ['customer_tokens', 'customer_sessions', 'password_resets', 'user_tokens', 'user_links'])
    await system(table).where('expires_at', '<', system.fn.now()).delete();
  await system('retired_secrets').where('valid_until', '<', system.fn.now()).delete();
  await system('sign_in_failures').where('expire', '<', Date.now()).delete();
}
