import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { jsonOf } from '../../foundation/db/json';
import type { ConsentKind, ConsentRow } from './consent';
import { noteConsentEvent } from './move';

/** A validated request for a consent. */
export interface NewConsent {
  /** The same id again answers the consent that is there (a repeat after a crash). */
  id: string;
  tenantId: string;
  tppId: string;
  kind: ConsentKind;
  /** Of an account consent. */
  customerId?: string;
  permissions?: string[];
  /** As the third party sent it. */
  record: object;
  sharingFrom?: Date;
  sharingTo?: Date;
  expiresAt?: Date;
}

/** Writes a consent down, in the caller's transaction: it waits for its customer. */
export async function createConsent(
  trx: Knex.Transaction,
  order: NewConsent,
  authorisationTtlMs: number,
  by: Actor,
): Promise<ConsentRow> {
  const known: ConsentRow | undefined = await trx('consents').where({ id: order.id, tpp_id: order.tppId }).first();
  if (known) return known;
  const detail = 'Waits for the customer to authorise it.';
  const [created]: ConsentRow[] = await trx('consents')
    .insert({
      id: order.id,
      tenant_id: order.tenantId,
      tpp_id: order.tppId,
      kind: order.kind,
      status: 'AwaitingAuthorisation',
      status_detail: detail,
      customer_id: order.customerId ?? null,
      permissions: order.permissions ?? [],
      record: jsonOf(order.record),
      sharing_from: order.sharingFrom ?? null,
      sharing_to: order.sharingTo ?? null,
      expires_at: order.expiresAt ?? null,
      awaits_until: trx.raw("least(clock_timestamp() + ? * interval '1 millisecond', ?::timestamptz)", [
        authorisationTtlMs,
        order.expiresAt ?? null,
      ]),
      look_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  await noteConsentEvent(trx, created!, { cause: 'created', actor: order.tppId, detail });
  await noteDone(trx, order.tenantId, by, 'consent.create', order.id, { kind: order.kind });
  return created!;
}

/** Whom a request for a consent names. */
export interface Parties {
  tenantId: string;
  serviceProvider: string;
  customerId: string;
}

/**
 * Throws `invalid_request` unless the third party serves the tenant, has that name, and the customer is one of the tenant.
 * One message for all: the answer must not tell who is a customer of which bank. `system`: sees all tenants.
 */
export async function requireParties(
  system: Knex,
  tpp: { id: string; name: string },
  { tenantId, serviceProvider, customerId }: Parties,
): Promise<void> {
  const known = await system('tpp_tenants as t')
    .join('customers as c', 'c.tenant_id', 't.tenant_id')
    .where({ 't.tpp_id': tpp.id, 't.tenant_id': tenantId, 'c.id': customerId })
    .whereNull('c.deleted_at')
    .first('c.id');
  if (known && serviceProvider === tpp.name) return;
  const message = 'must name a bank that you serve, yourself and a customer of that bank';
  throw new DomainError('invalid_request', `tenantId, serviceProvider and customerId ${message}`, {
    details: ['tenantId', 'serviceProvider', 'customerId'].map((field) => ({ field, message })),
  });
}
