import type { Database } from '../../foundation/db/database';

const TABLES = [
  'customer_tokens',
  'customer_sessions',
  'customer_web_sessions',
  'password_resets',
  'user_tokens',
  'user_links',
  'passkey_challenges',
];

/** Removes tokens, codes and links that have expired and windows of wrong sign-ins that have ended. */
export async function sweepExpired({ system }: Database): Promise<void> {
  await system('oidc_payloads').where('expires_at', '<', system.fn.now()).delete();
  for (const table of TABLES) await system(table).where('expires_at', '<', system.fn.now()).delete();
  // What was used stays, as proof that the customer has confirmed it.
  await system('step_ups').whereNull('consumed_at').where('expires_at', '<', system.fn.now()).delete();
  await system('retired_secrets').where('valid_until', '<', system.fn.now()).delete();
  await system('sign_in_failures').where('expire', '<', Date.now()).delete();
}
