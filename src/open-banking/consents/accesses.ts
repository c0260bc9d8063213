import type { Knex } from 'knex';
import type { DomainErrorCode } from '../../domain/errors';
import { newId } from '../../domain/ids';

/** What a third party read or ordered, or was refused, under a consent. */
export interface Access {
  tppId: string;
  consentId: string;
  /** Of the standard: `accounts`, `balances`, `transactions`, `funds-confirmation`, `domestic-payments` … */
  resource: string;
  /** Of the ledger. Written down if the consent shares it. Absent: of no account in particular. */
  accountId?: bigint;
  /** The customer asked for it just now (`x-fapi-customer-ip-address`). */
  isCustomerPresent: boolean;
  /** `x-fapi-interaction-id`. */
  interactionId: string;
  /** Absent: it was answered. */
  refusal?: DomainErrorCode;
}

/** One row of `consent_accesses`. Nobody changes it. */
export interface AccessRow {
  id: string;
  consent_id: string;
  tenant_id: string;
  tpp_id: string;
  resource: string;
  account_id: bigint | null;
  is_customer_present: boolean;
  refusal: DomainErrorCode | null;
  interaction_id: string;
  at: Date;
}

/**
 * Writes down who read what, in one statement. Nothing is written of a consent that is not the third party's, and nobody
 * learns that. `system`: sees all tenants.
 */
export async function noteAccess(system: Knex, access: Access): Promise<void> {
  await system.raw(
    `INSERT INTO consent_accesses
       (id, consent_id, tenant_id, tpp_id, resource, account_id, is_customer_present, refusal, interaction_id)
     SELECT ?, c.id, c.tenant_id, c.tpp_id, ?, a.account_id, ?, ?, ? FROM consents c
       LEFT JOIN consent_accounts a ON a.consent_id = c.id AND a.account_id = ?
       WHERE c.id = ? AND c.tpp_id = ?`,
    [
      newId('consentAccess'),
      access.resource,
      access.isCustomerPresent,
      access.refusal ?? null,
      access.interactionId,
      access.accountId === undefined ? null : `${access.accountId}`,
      access.consentId,
      access.tppId,
    ],
  );
}
