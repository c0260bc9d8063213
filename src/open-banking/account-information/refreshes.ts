import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { Access, Resource } from './access';

/**
 * How often a third party may read each resource of each account in 24 hours without its customer: four times (RTS on
 * strong customer authentication, article 36, paragraph 5, point b).
 */
export const UNATTENDED_READINGS = 4;
const PERIOD_MS = 24 * 60 * 60 * 1_000;

/** In the place of an account id: all that a consent shares, read as one list. */
export const ALL_ACCOUNTS = '0';

/**
 * Counts one reading. Nothing is counted while the customer is present. The row of a resource holds the times of its last
 * readings, never more than are allowed: readings at once wait for each other, and the table refuses a fifth. Throws
 * `rate_limited` with the time to wait.
 */
export async function countReading(
  trx: Knex.Transaction,
  { consentId, tenantId, customerPresent }: Pick<Access, 'consentId' | 'tenantId' | 'customerPresent'>,
  resource: Resource,
  accountId: string,
  at: Date,
): Promise<void> {
  if (customerPresent) return;
  const since = new Date(at.getTime() - PERIOD_MS);
  const place = { consent_id: consentId, account_id: accountId, resource };
  const { rowCount } = await trx.raw(
    `INSERT INTO unattended_readings AS r (consent_id, tenant_id, account_id, resource, read_at)
      VALUES (:consent, :tenant, :account, :resource, ARRAY[:at::timestamptz])
      ON CONFLICT (consent_id, account_id, resource) DO UPDATE SET
        read_at = ARRAY(SELECT one FROM unnest(r.read_at) one WHERE one > :since) || :at::timestamptz
      WHERE (SELECT count(*) FROM unnest(r.read_at) one WHERE one > :since) < :allowed`,
    { consent: consentId, tenant: tenantId, account: accountId, resource, at, since, allowed: UNATTENDED_READINGS },
  );
  if (rowCount === 1) return;
  const { read_at } = await trx('unattended_readings').where(place).first();
  const oldest = Math.min(...(read_at as Date[]).map((one) => one.getTime()).filter((one) => one > since.getTime()));
  throw new DomainError(
    'rate_limited',
    `Without the customer, ${resource} may be read ${UNATTENDED_READINGS} times in 24 hours`,
    { retryAfterSeconds: Math.max(1, Math.ceil((oldest + PERIOD_MS - at.getTime()) / 1_000)) },
  );
}
