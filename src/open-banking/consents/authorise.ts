import type { Knex } from 'knex';
import { DomainError, notFound, refuse } from '../../domain/errors';
import { noteDone } from '../../foundation/audit-log/audit-log';
import { requireUnblocked } from '../../people/customers/customer';
import { accountsToChoose } from './accounts';
import { type ConsentAccount, type ConsentRow, findConsent } from './consent';
import { moveConsent } from './move';

/** What the customer has decided on the page. */
export interface Authorisation {
  customerId: string;
  /** Ids of the ledger's accounts. To pay or to ask for funds: exactly one. */
  accountIds: readonly string[];
  /** What the authorization server's tokens for this consent hang on. */
  grantId: string;
  /** The confirmation of amount and payee. Required of a payment, which uses it up. */
  stepUpId?: string;
  /** Of the customer's browser. */
  source?: string;
  requestId?: string;
}

/**
 * The customer has authenticated and agrees, for the first time or again. In the caller's transaction. The same again
 * changes nothing but the time. Throws `not_found` (also for a consent that names another customer), `invalid_state` (it
 * has ended, or its time is up), `consent_not_usable` (see `requireServing`), `customer_blocked`, `step_up_refused` and
 * `invalid_request` (accounts).
 */
export async function authoriseConsent(
  trx: Knex.Transaction,
  consentId: string,
  by: Authorisation,
  now = new Date(),
): Promise<ConsentRow> {
  // A change of the customer's status locks the customer before its consents. So do we.
  await requireUnblocked(trx, by.customerId);
  const consent = await findConsent(trx, consentId, { lock: true });
  if (consent.customer_id && consent.customer_id !== by.customerId) throw notFound('consent');
  requireOpen(consent, now);
  await requireServing(trx, consent);
  if (consent.kind === 'payment' && !by.stepUpId)
    throw new DomainError('step_up_refused', 'The customer has not confirmed amount and payee');
  const accounts = await chosenAccounts(trx, consent, by);
  const isAgain = consent.status === 'Authorised';
  const ibans = accounts.map(({ iban }) => iban);
  await trx('consent_accounts').where({ consent_id: consentId }).delete();
  await trx('consent_accounts').insert(accounts);
  const moved = await moveConsent(trx, consent, {
    to: 'Authorised',
    cause: isAgain ? 'reauthorised' : 'authorised',
    actor: by.customerId,
    detail: isAgain ? 'The customer has authenticated again.' : 'The customer has authorised it.',
    ibans,
    changed: {
      customer_id: by.customerId,
      authorised_at: now,
      authenticated_at: now,
      failed_at: null,
      grant_id: by.grantId,
      step_up_id: by.stepUpId ?? null,
      expiry_told_at: null,
      reauthentication_told_at: null,
    },
  });
  const actor = { id: by.customerId, source: by.source ?? '', requestId: by.requestId ?? '' };
  const action = isAgain ? 'consent.reauthorise' : 'consent.authorise';
  await noteDone(trx, consent.tenant_id, actor, action, consentId, { tpp: consent.tpp_id, accounts: ibans.length });
  return moved;
}

/** Throws `invalid_state` for a consent that nobody can authorise, for the first time or again. */
export function requireOpen(consent: ConsentRow, now: Date): void {
  const { status, awaits_until, expires_at } = consent;
  if (status !== 'AwaitingAuthorisation' && status !== 'Authorised')
    throw new DomainError('invalid_state', `This consent is ${status}`);
  const isLate = (status === 'AwaitingAuthorisation' && awaits_until <= now) || (expires_at && expires_at <= now);
  if (isLate) throw new DomainError('invalid_state', 'The time of this consent is up');
}

/**
 * Throws `consent_not_usable` where the third party of a consent is disabled, or does not serve the bank any more.
 * `connection`: of the tenant, or one that sees all.
 */
export async function requireServing(connection: Knex, { tpp_id, tenant_id }: ConsentRow): Promise<void> {
  const serving = await connection('tpps as t')
    .join('tpp_tenants as s', 's.tpp_id', 't.id')
    .where({ 't.id': tpp_id, 's.tenant_id': tenant_id })
    .whereNull('t.disabled_at')
    .first('t.id');
  if (!serving) throw new DomainError('consent_not_usable', 'The third party may not act for customers of this bank');
}

async function chosenAccounts(
  trx: Knex.Transaction,
  consent: ConsentRow,
  { customerId, accountIds }: Authorisation,
): Promise<ConsentAccount[]> {
  const ids = [...new Set(accountIds)];
  if (ids.length === 0) refuse('accountIds', 'must name an account');
  if (consent.kind !== 'account' && ids.length > 1) refuse('accountIds', 'must name one account');
  const accounts = (await accountsToChoose(trx, consent, customerId)).filter(({ id }) => ids.includes(String(id)));
  if (accounts.length < ids.length)
    refuse('accountIds', 'must be accounts of the customer that the consent can be given for');
  return accounts.map(({ id, iban, currency }) => ({
    consent_id: consent.id,
    tenant_id: consent.tenant_id,
    account_id: id,
    iban,
    currency,
  }));
}
