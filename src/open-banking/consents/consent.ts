import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { ConsentStatus } from '../../domain/states/consent';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';

/** What a third party may do with it: read accounts, make one payment, or ask whether there is enough money. */
export const CONSENT_KINDS = ['account', 'payment', 'funds'] as const;

export type ConsentKind = (typeof CONSENT_KINDS)[number];

/** One row of `consents`. */
export interface ConsentRow {
  id: string;
  tenant_id: string;
  tpp_id: string;
  kind: ConsentKind;
  status: ConsentStatus;
  /** A sentence for people. */
  status_detail: string;
  /** Of an account consent: named when it is made. Of the others: known once somebody has authorised it. */
  customer_id: string | null;
  /** Names of permissions; none of a consent to pay or to ask for funds. */
  permissions: string[];
  /** As the third party sent it. Of a consent to pay or to ask for funds: `{ Data, Risk }`. */
  record: Record<string, unknown>;
  sharing_from: Date | null;
  sharing_to: Date | null;
  expires_at: Date | null;
  /** Until when somebody has to authorise it. */
  awaits_until: Date;
  /** The last time. */
  authorised_at: Date | null;
  /** The customer's last strong authentication for it, or the third party's last reconfirmation (RTS articles 10, 10A). */
  authenticated_at: Date | null;
  /** There was an error while it was being authorised: it still waits, and deleting it rejects it. */
  failed_at: Date | null;
  /** What the authorization server's tokens for it hang on. They go with it. */
  grant_id: string | null;
  /** The customer's confirmation of amount and payee: used up by the payment. */
  step_up_id: string | null;
  expiry_told_at: Date | null;
  reauthentication_told_at: Date | null;
  /** When the flow is to look at it, at the latest. Null: nothing will become of it by itself. */
  look_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** An account that the customer chose: one row of `consent_accounts`. `account_id`: of the ledger. */
export interface ConsentAccount {
  consent_id: string;
  tenant_id: string;
  account_id: bigint;
  iban: string;
  currency: string;
}

/** Why a consent has an event. */
export type ConsentCause =
  | 'created'
  | 'authorised'
  | 'reauthorised'
  | 'failed'
  | 'rejected'
  | 'revoked'
  | 'expired'
  | 'consumed'
  | 'reconfirmed'
  | 'expiry_told'
  | 'reauthentication_told';

/** One line of a consent's history. Nobody changes it. */
export interface ConsentEventRow {
  id: bigint;
  consent_id: string;
  tenant_id: string;
  cause: ConsentCause;
  status: ConsentStatus;
  /** Third party, customer, client or user; `platform` where nobody did it. */
  actor: string;
  detail: string;
  /** Those that the customer chose by this event. */
  ibans: string[] | null;
  at: Date;
}

/** Where the customers of a tenant see and end what they have allowed: from the root of the entrance. */
export const OWN_CONSENTS_PATH = '/consents';
export const ownConsentsPath = (tenantId: string) => `${OWN_CONSENTS_PATH}/${tenantId}`;

/** Locked where `lock`. `trx`: of its tenant. Throws `not_found`. */
export async function findConsent(
  trx: Knex.Transaction,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<ConsentRow> {
  const rows = trx('consents').where({ id });
  return found<ConsentRow>(await (lock ? rows.forUpdate() : rows).first(), 'consent');
}

/**
 * One of a third party's own, in whatever tenant; another's does not exist, and whoever names one is written into the audit
 * log of its tenant. `system`: sees all tenants. Throws `not_found`.
 */
export async function findConsentOfTpp(system: Knex, tppId: string, id: string): Promise<ConsentRow> {
  const consent: ConsentRow | undefined = await system('consents').where({ id }).first();
  if (consent && consent.tpp_id !== tppId)
    await appendAuditLine(system, {
      tenantId: consent.tenant_id,
      actor: tppId,
      action: 'consent.access',
      target: id,
      result: 'refused',
      detail: { tpp: consent.tpp_id },
    });
  return found<ConsentRow>(consent?.tpp_id === tppId ? consent : undefined, 'consent');
}
