import type { Knex } from 'knex';

/** Removes everything a customer signs in with, passwords apart; open sessions, tokens and links end. */
export async function eraseSignIn(trx: Knex.Transaction, customerId: string): Promise<void> {
  for (const table of [
    'customer_tokens',
    'customer_sessions',
    'customer_web_sessions',
    'customer_authenticators',
    'customer_recovery_codes',
    'password_resets',
    'two_factor_settings',
  ])
    await trx(table).where({ customer_id: customerId }).delete();
  // What was used is proof of a payment, and stays with it.
  await trx('step_ups').where({ customer_id: customerId }).whereNull('consumed_at').delete();
}
