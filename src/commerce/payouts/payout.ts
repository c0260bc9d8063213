import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { notFound } from '../../domain/errors';
import type { PayoutStatus } from '../../domain/states/payout';

export const ORIGINS = ['on_demand', 'schedule'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The sums of a statement, in minor units: signed, what lowers the balance is negative. */
export interface StatementSums {
  gross_minor: bigint;
  fees_minor: bigint;
  refunds_minor: bigint;
  disputes_minor: bigint;
  /** Of earlier payouts that were cancelled, refused or returned. */
  returned_minor: bigint;
  other_minor: bigint;
}

/** One row of `payouts`. Amounts are minor units of `currency`. */
export interface PayoutRow extends StatementSums {
  id: string;
  tenant_id: string;
  organization_id: string;
  currency: string;
  /** Counts the payouts of the organization in the currency. */
  number: number;
  origin: Origin;
  status: PayoutStatus;
  status_detail: string;
  opening_minor: bigint;
  reserve_held_minor: bigint;
  reserve_released_minor: bigint;
  /** What is paid out. */
  amount_minor: bigint;
  closing_minor: bigint;
  unsettled_minor: bigint;
  refunding_minor: bigint;
  /** When the first entry of the statement was booked; null where it has none but its own. */
  period_from: Date | null;
  period_to: Date;
  reserve_until: Date | null;
  reserve_released_by: string | null;
  /** Chosen when it is sent. */
  account_id: string | null;
  processor: ProcessorId;
  processor_reference: string | null;
  send_at: Date;
  sends: number;
  sent_at: Date | null;
  /** Since when an operator has to look at it. */
  review_since: Date | null;
  /** An operator says that it came back; above a limit another one has to confirm it. */
  return_reason: string | null;
  return_proposed_by: string | null;
  return_proposed_at: Date | null;
  return_confirmed_by: string | null;
  look_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** Locked where `lock`. Throws `not_found`. */
export async function findPayout(
  trx: Knex.Transaction,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<PayoutRow> {
  const rows = trx('payouts').where({ id });
  const row: PayoutRow | undefined = await (lock ? rows.forUpdate() : rows).first();
  if (!row) throw notFound('payout');
  return row;
}
