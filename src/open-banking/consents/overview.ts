import type { Knex } from 'knex';
import { CONSENT_STATUSES, isOverConsent } from '../../domain/states/consent';
import { type Page, paged } from '../../foundation/db/page';
import type { ConsentRow } from './consent';

const OVER = CONSENT_STATUSES.filter(isOverConsent);

/** A consent in a customer's list. */
export interface ConsentGlance extends ConsentRow {
  tpp_name: string;
  /** When something was last read or ordered under it. */
  last_read_at: Date | null;
}

export interface GlancePage extends Page {
  /** Those that have ended, or those that have not. */
  isOver: boolean;
}

/** A customer's consents, newest first: one more than the page holds. `trx`: of the tenant. */
export function consentsOf(
  trx: Knex.Transaction,
  customerId: string,
  { isOver, ...page }: GlancePage,
): Promise<ConsentGlance[]> {
  const rows = paged(trx('consents').where({ customer_id: customerId }), page).select(
    'consents.*',
    trx.raw('(SELECT name FROM tpps WHERE tpps.id = consents.tpp_id) AS tpp_name'),
    trx.raw(
      `(SELECT a.at FROM consent_accesses a WHERE a.consent_id = consents.id AND a.refusal IS NULL
          ORDER BY a.id DESC LIMIT 1) AS last_read_at`,
    ),
  );
  return isOver ? rows.whereIn('status', OVER) : rows.whereNotIn('status', OVER);
}
