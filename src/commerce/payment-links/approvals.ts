import type { Knex } from 'knex';
import { DomainError, notFound, refuse } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type DelegationRow, findPaymentLink, type LinkTokens, type PaymentLinkRow } from './payment-link';
import { advancePaymentLink } from './steps';

/** Who decides: a tenant admin, or somebody of one organization, who needs a delegation. */
export interface Approver {
  tenantId: string;
  organizationId?: string;
  isAdmin: boolean;
  by: Actor;
}

export interface Decision {
  decision: 'approve' | 'reject';
  /** Required of a rejection. */
  reason?: string;
}

/**
 * Writes down what somebody decided about a link that waits for it; the last of the approvals that it needs makes it
 * active. Throws `not_found`, `invalid_state` (409: nothing waits, or decided already) and `forbidden` (whoever made the
 * link, or a delegate beyond the delegation).
 */
export function decideOnLink(
  { database, tokens }: { database: Database; tokens: LinkTokens },
  approver: Approver,
  linkId: string,
  { decision, reason }: Decision,
): Promise<PaymentLinkRow> {
  const { tenantId, organizationId, by } = approver;
  return database.tenant(tenantId, async (trx) => {
    const link = await findPaymentLink(trx, linkId, { lock: true });
    if (organizationId && link.organization_id !== organizationId) throw notFound('payment link');
    if (link.status !== 'pending_approval')
      throw new DomainError('invalid_state', `This payment link is ${link.status}: nobody waits for an approval`);
    if (link.created_by === by.id) throw new DomainError('forbidden', 'Somebody else has to approve your payment link');
    const row = {
      link_id: link.id,
      tenant_id: tenantId,
      decided_by: by.id,
      decision,
      on_behalf_of: approver.isAdmin ? null : await principalOf(trx, link, by),
      reason: reason ?? null,
    };
    // A failed statement would end the transaction.
    const [written] = await trx('payment_link_decisions').insert(row).onConflict().ignore().returning('link_id');
    if (!written) throw new DomainError('invalid_state', 'You have decided already; somebody else has to approve too');
    const detail = { onBehalfOf: row.on_behalf_of ?? undefined, reason };
    await noteDone(trx, tenantId, by, `payment_link.${decision}`, link.id, detail);
    return advancePaymentLink(trx, tokens, link);
  });
}

/** In whose place somebody may decide about a link. Throws `forbidden`. */
async function principalOf(trx: Knex.Transaction, link: PaymentLinkRow, by: Actor): Promise<string> {
  const delegation: DelegationRow | undefined = await trx('payment_link_delegations')
    .where({ to_id: by.id, currency: link.currency })
    .whereNull('revoked_at')
    .where('ends_at', '>', trx.raw('clock_timestamp()'))
    .whereRaw('most_minor >= ?', [`${link.most_minor}`])
    .whereNot({ from_id: link.created_by })
    .orderBy('id')
    .first();
  if (!delegation) throw new DomainError('forbidden', 'Nobody has let you approve a payment link of this amount');
  return delegation.from_id;
}

export interface NewDelegation {
  to: string;
  currency: string;
  mostMinor: bigint;
  endsAt: Date;
}

/** Lets somebody of the tenant, a user or a client, decide in the place of `by`. Throws `invalid_request`. */
export async function delegate(
  database: Database,
  tenantId: string,
  { to, currency, mostMinor, endsAt }: NewDelegation,
  by: Actor,
): Promise<DelegationRow> {
  if (to === by.id) refuse('to', 'must be somebody else');
  if (endsAt.getTime() <= Date.now()) refuse('endsAt', 'must be in the future');
  if (!(await belongs(database, tenantId, to))) refuse('to', 'is no user or client of this tenant');
  return database.tenant(tenantId, async (trx) => {
    const [row]: DelegationRow[] = await trx('payment_link_delegations')
      .insert({
        id: newId('linkDelegation'),
        tenant_id: tenantId,
        from_id: by.id,
        to_id: to,
        currency,
        most_minor: mostMinor,
        ends_at: endsAt,
      })
      .returning('*');
    await noteDone(trx, tenantId, by, 'payment_link_delegation.create', row!.id, { to });
    return row!;
  });
}

async function belongs({ system }: Database, tenantId: string, id: string): Promise<boolean> {
  const find = (table: 'users' | 'clients') =>
    system(table).where({ id, tenant_id: tenantId }).whereNull('disabled_at').first('id');
  return ((await find('users')) ?? (await find('clients'))) !== undefined;
}

/** Those that hold now, newest first. */
export function listDelegations(database: Database, tenantId: string): Promise<DelegationRow[]> {
  return database.tenant(tenantId, async (trx) =>
    trx('payment_link_delegations')
      .whereNull('revoked_at')
      .where('ends_at', '>', trx.raw('clock_timestamp()'))
      .orderBy('id', 'desc'),
  );
}

/** Ends a delegation at once. Throws `not_found`. */
export async function revokeDelegation(database: Database, tenantId: string, id: string, by: Actor): Promise<void> {
  await database.tenant(tenantId, async (trx) => {
    const revoked = await trx('payment_link_delegations')
      .where({ id })
      .whereNull('revoked_at')
      .update({ revoked_at: trx.raw('clock_timestamp()') });
    if (revoked === 0) throw notFound('delegation');
    await noteDone(trx, tenantId, by, 'payment_link_delegation.revoke', id);
  });
}
