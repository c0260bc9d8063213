import type { Knex } from 'knex';
import type { ConsentStatus } from '../../domain/states/consent';

/**
 * What a customer lets third parties do. These are tables of open banking, which stands above this shelf: they are read as
 * they are, and nothing is decided from them.
 */
export interface HeldConsent {
  id: string;
  kind: string;
  status: ConsentStatus;
  status_detail: string;
  tpp_id: string;
  tpp_name: string;
  permissions: string[];
  /** As the third party sent it. */
  record: object;
  ibans: string[];
  sharing_from: Date | null;
  sharing_to: Date | null;
  expires_at: Date | null;
  authorised_at: Date | null;
  created_at: Date;
  events: HeldConsentEvent[];
}

interface HeldConsentEvent {
  consent_id: string;
  cause: string;
  status: ConsentStatus;
  actor: string;
  detail: string;
  at: Date;
}

/** What a third party read or ordered under a consent, or was refused. */
export interface HeldAccess {
  id: string;
  consent_id: string;
  resource: string;
  iban: string | null;
  is_customer_present: boolean;
  refusal: string | null;
  at: Date;
}

/** All consents of a customer with their history, oldest first. */
export async function consentsOf(trx: Knex.Transaction, customerId: string): Promise<HeldConsent[]> {
  const consents: Omit<HeldConsent, 'events'>[] = await trx('consents as c')
    .join('tpps as t', 't.id', 'c.tpp_id')
    .where({ 'c.customer_id': customerId })
    .orderBy('c.id')
    .select(
      'c.*',
      't.name as tpp_name',
      trx.raw('ARRAY(SELECT a.iban FROM consent_accounts a WHERE a.consent_id = c.id ORDER BY a.account_id) AS ibans'),
    );
  const events: HeldConsentEvent[] = await trx('consent_events')
    .whereIn('consent_id', idsOf(trx, customerId))
    .orderBy('id');
  return consents.map((consent) => ({
    ...consent,
    events: events.filter(({ consent_id }) => consent_id === consent.id),
  }));
}

/** The latest accesses under all consents of a customer, newest first. */
export async function accessesOf(trx: Knex.Transaction, customerId: string, limit: number): Promise<HeldAccess[]> {
  return trx('consent_accesses as a')
    .whereIn('a.consent_id', idsOf(trx, customerId))
    .orderBy('a.id', 'desc')
    .limit(limit)
    .select('a.*', trx.raw('(SELECT iban FROM ledger_accounts l WHERE l.id = a.account_id) AS iban'));
}

function idsOf(trx: Knex.Transaction, customerId: string): Knex.QueryBuilder {
  return trx('consents').where({ customer_id: customerId }).select('id');
}
