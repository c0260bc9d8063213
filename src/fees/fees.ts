import type { Knex } from 'knex';
import { DomainError } from '../domain/errors';
import type { Operation } from '../domain/operation';
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
  const fee = feeBy(operation, version ? termsOf(version) : null, amountMinor);
  if (fee.netMinor <= 0n)
    throw new DomainError('fee_exceeds_amount', 'The fee would leave nothing of this amount for its recipient');
  return fee;
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
