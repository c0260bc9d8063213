import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { Operation } from '../../domain/operation';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Page } from '../../foundation/db/page';
import { type Fee, type FeeTerms, feeBy, type Payer } from './fee';

/** One row of `fee_versions`. */
export interface FeeVersionRow {
  id: bigint;
  tenant_id: string;
  operation: Operation;
  currency: string;
  fixed_minor: bigint;
  basis_points: number;
  minimum_minor: bigint;
  maximum_minor: bigint | null;
  payer: Payer;
  effective_from: Date;
  created_by: string;
  created_at: Date;
}

export interface FeeQuestion {
  tenantId: string;
  operation: Operation;
  currency: string;
  amountMinor: bigint;
  /** The version in effect then counts; default now. */
  at?: Date;
}

/**
 * What an operation costs, by the tenant's fees in effect. Moves nothing: the caller books `feeMinor`, and keeps `terms`
 * where a part is to be given back later. Throws `fee_exceeds_amount` when nothing would be left for the recipient.
 */
export async function applyFee(trx: Knex.Transaction, question: FeeQuestion): Promise<Fee> {
  const { tenantId, operation, currency, amountMinor, at } = question;
  const version: FeeVersionRow | undefined = await trx('fee_versions')
    .where({ tenant_id: tenantId, operation, currency })
    .where('effective_from', '<=', at ?? trx.raw('clock_timestamp()'))
    .orderBy([
      { column: 'effective_from', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first();
  return chargeableFee(operation, version ? termsOf(version) : null, amountMinor);
}

/** What an operation would cost by these terms. Throws `fee_exceeds_amount` when nothing would be left for the recipient. */
export function chargeableFee(operation: Operation, terms: FeeTerms | null, amountMinor: bigint): Fee {
  const fee = feeBy(operation, terms, amountMinor);
  if (fee.netMinor <= 0n)
    throw new DomainError('fee_exceeds_amount', 'The fee would leave nothing of this amount for its recipient');
  return fee;
}

/** A fee as a tenant sets it. */
export interface NewFeeVersion extends FeeTerms {
  operation: Operation;
  currency: string;
  /** Absent: from now on. One for the same time as an earlier one takes its place. */
  effectiveFrom?: Date;
}

/** Writes down another version of a fee, and in the audit log who did. */
export async function addFeeVersion(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  fee: NewFeeVersion,
): Promise<FeeVersionRow> {
  const [row]: FeeVersionRow[] = await trx('fee_versions')
    .insert({
      tenant_id: tenantId,
      operation: fee.operation,
      currency: fee.currency,
      fixed_minor: String(fee.fixedMinor),
      basis_points: fee.basisPoints,
      minimum_minor: String(fee.minimumMinor),
      maximum_minor: fee.maximumMinor === undefined ? null : String(fee.maximumMinor),
      payer: fee.payer,
      // Cut, not rounded: in effect at once.
      effective_from: fee.effectiveFrom ?? trx.raw("date_trunc('milliseconds', clock_timestamp())"),
      created_by: actor.id,
    })
    .returning('*');
  await noteDone(trx, tenantId, actor, 'fees.set', `${fee.operation} ${fee.currency}`, { ...fee });
  return row!;
}

export interface FeeFilter extends Page {
  operation?: Operation;
  currency?: string;
}

/** Up to `limit + 1` versions, newest first, and of each whether it is the one in effect now. */
export async function feeVersions(
  trx: Knex.Transaction,
  { limit, cursor, operation, currency }: FeeFilter,
): Promise<(FeeVersionRow & { in_effect: boolean })[]> {
  const query = trx('fee_versions as f')
    .orderBy('f.id', 'desc')
    .limit(limit + 1)
    .select(
      'f.*',
      trx.raw(`f.id = (SELECT c.id FROM fee_versions c WHERE c.tenant_id = f.tenant_id AND c.operation = f.operation
        AND c.currency = f.currency AND c.effective_from <= clock_timestamp()
        ORDER BY c.effective_from DESC, c.id DESC LIMIT 1) IS TRUE AS in_effect`),
    );
  if (cursor) query.where('f.id', '<', cursor);
  if (operation) query.where({ operation });
  if (currency) query.where({ currency });
  return query;
}

export function termsOf(version: FeeVersionRow): FeeTerms {
  return {
    fixedMinor: version.fixed_minor,
    basisPoints: version.basis_points,
    minimumMinor: version.minimum_minor,
    ...(version.maximum_minor !== null && { maximumMinor: version.maximum_minor }),
    payer: version.payer,
  };
}
