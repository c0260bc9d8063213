import type { Knex } from 'knex';
import { newSecret } from './clients';
import { tokenDigest } from './tokens';

/** Issues access tokens for customers; `Tokens` recognizes them. Ended, they stop at once: they are never cached. */
export class CustomerTokens {
  constructor(readonly ttlMs: number) {}

  async issue(trx: Knex.Transaction, tenantId: string, customerId: string): Promise<string> {
    const token = newSecret();
    await trx('customer_tokens').insert({
      digest: tokenDigest(token),
      tenant_id: tenantId,
      customer_id: customerId,
      expires_at: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [this.ttlMs]),
    });
    return token;
  }
}

/**
 * Ends every token of a customer, and signs it out of every page; answers how many there were. `but`: the digest of the
 * token by which the customer asks for it, which stays.
 */
export async function endTokens(trx: Knex.Transaction, customerId: string, but?: string): Promise<number> {
  const ended = trx('customer_tokens').where({ customer_id: customerId });
  if (but !== undefined) ended.whereNot({ digest: but });
  const tokens: number = await ended.delete();
  return tokens + (await trx('customer_web_sessions').where({ customer_id: customerId }).delete());
}
