import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import type { PaymentLinkStatus } from '../../domain/states/payment-link';

/** One row of `payment_links`. */
export interface PaymentLinkRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  status: PaymentLinkStatus;
  note: string | null;
  /** Written down by whoever approves it; the flow acts on it. */
  approved_by: string | null;
  approved_at: Date | null;
  expires_at: Date;
  /** When the flow is to look at it, at the latest. Null: it has ended. */
  look_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** Locked where `lock`. Throws `not_found`. */
export async function findPaymentLink(
  trx: Knex.Transaction,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<PaymentLinkRow> {
  const rows = trx('payment_links').where({ id });
  const row: PaymentLinkRow | undefined = await (lock ? rows.forUpdate() : rows).first();
  if (!row) throw notFound('payment link');
  return row;
}
