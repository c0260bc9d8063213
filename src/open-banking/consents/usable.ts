import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { type CustomerStatus, isBlocked } from '../../domain/states/customer';
import { tenantSuspended } from '../../people/identity/tenants';
import type { ConsentAccount, ConsentRow } from './consent';

const DAY_MS = 24 * 3_600_000;
/** Article 10A of the United Kingdom: how often a third party has its customer confirm that it may go on. */
const RECONFIRMATION_DAYS = 90;

/** A consent with the accounts that the customer chose. */
export type UsableConsent = ConsentRow & { accounts: ConsentAccount[] };

type Found = ConsentRow & {
  customer_status: CustomerStatus | null;
  customer_deleted_at: Date | null;
  is_served: boolean;
  is_shut: boolean;
};

/**
 * The consent behind a third party's token, as it stands in the database now: nothing of it may be cached. A payment that
 * was made keeps its consent usable, for a repeat of the request: `consume` says whether it may still be made.
 *
 * Throws `not_found` (also for another third party's), `consent_not_usable` (not authorised, ended, expired, the customer
 * was erased or is blocked, the third party no longer serves the tenant), `tenant_suspended` and
 * `reauthentication_required`.
 *
 * `reauthenticationDays`: see `reauthenticationDue`. Undefined: it may be long ago.
 */
export async function usableConsent(
  system: Knex,
  tppId: string,
  consentId: string,
  reauthenticationDays: number | undefined,
  at: Date,
): Promise<UsableConsent> {
  const found: Found | undefined = await system('consents as c')
    .leftJoin('customers as u', 'u.id', 'c.customer_id')
    .where({ 'c.id': consentId, 'c.tpp_id': tppId })
    .first(
      'c.*',
      'u.status as customer_status',
      'u.deleted_at as customer_deleted_at',
      system.raw(
        'EXISTS (SELECT FROM tpp_tenants t WHERE t.tpp_id = c.tpp_id AND t.tenant_id = c.tenant_id) AS is_served',
      ),
      system.raw("EXISTS (SELECT FROM tenants n WHERE n.id = c.tenant_id AND n.status <> 'active') AS is_shut"),
    );
  if (!found) throw notFound('consent');
  const { customer_status, customer_deleted_at, is_served, is_shut, ...consent } = found;
  if (is_shut) throw tenantSuspended();
  requireStanding(consent, at);
  if (!is_served) throw notUsable('The third party does not serve this bank any more');
  if (customer_deleted_at || !customer_status || isBlocked(customer_status))
    throw notUsable('The account holder does not allow access at the moment');
  if (reauthenticationDays !== undefined) requireRecent(consent, reauthenticationDays, at);
  const accounts: ConsentAccount[] = await system('consent_accounts')
    .where({ consent_id: consentId })
    .orderBy('account_id');
  return { ...consent, accounts };
}

function requireStanding({ kind, status, expires_at }: ConsentRow, at: Date): void {
  if (status !== 'Authorised' && !(kind === 'payment' && status === 'Consumed'))
    throw notUsable(`This consent is ${status}`);
  // The flow may be a moment late.
  if (expires_at && expires_at <= at) throw notUsable('This consent is Expired');
}

/**
 * When the customer has to authenticate again, at the latest. `reauthenticationDays`: REAUTHENTICATION_DAYS. It holds for
 * reading accounts alone (RTS article 10). 0: the duty is the third party's, which has to reconfirm by then (article 10A
 * of the UK). Undefined: never.
 */
export function reauthenticationDue(
  { kind, authenticated_at }: Pick<ConsentRow, 'kind' | 'authenticated_at'>,
  reauthenticationDays: number,
): Date | undefined {
  if (kind !== 'account' || !authenticated_at) return undefined;
  return new Date(authenticated_at.getTime() + (reauthenticationDays || RECONFIRMATION_DAYS) * DAY_MS);
}

function requireRecent(consent: ConsentRow, reauthenticationDays: number, at: Date): void {
  const due = reauthenticationDue(consent, reauthenticationDays);
  if (!due || due > at) return;
  throw new DomainError(
    'reauthentication_required',
    reauthenticationDays > 0
      ? 'The customer has to authenticate again for this consent'
      : `You have not reconfirmed this consent with your customer within ${RECONFIRMATION_DAYS} days`,
  );
}

const notUsable = (message: string) => new DomainError('consent_not_usable', message);
