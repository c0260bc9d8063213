import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { RESULT } from '../../domain/result-codes';
import type { PaymentStatus } from '../../domain/states/payment';
import { violates } from '../../foundation/db/database';
import type { Ledger } from '../ledger/ledger';
import { withSellerFloat } from '../ledger/seller-float';
import * as bookings from './bookings';
import type { Noting } from './noting';
import { type PaymentRow, type RefundRow, untouchedMinor } from './payment';
import type { TimelineCause } from './timeline-causes';
import { planRefund } from './topup-steps';

export interface RefundOrder {
  refundId: string;
  tenantId: string;
  organizationId: string;
  paymentId: string;
  /** Minor units; absent: all that is left. */
  amountFor?: (payment: PaymentRow) => bigint;
  reason?: string;
  note?: Noting;
}

/**
 * Reserves a refund's amount, holds it in the ledger and writes the refund down, in one transaction: however many
 * arrive at once, what succeeded, is pending, was charged back or is contested never exceeds what was captured. The same refund id
 * again answers the row that is there. Throws `not_found`, `invalid_state` (409), `refund_exceeds_captured` and, out of a
 * wallet, `insufficient_funds` (422).
 */
export async function reserveRefund(
  tenant: <T>(tenantId: string, work: (trx: Knex.Transaction) => Promise<T>) => Promise<T>,
  ledger: Ledger,
  order: RefundOrder,
): Promise<RefundRow> {
  const find = (trx: Knex.Transaction) => trx('refunds').where({ id: order.refundId }).first();
  try {
    return await tenant(order.tenantId, async (trx) => {
      const payment: PaymentRow | undefined = await trx('payments')
        .where({ id: order.paymentId, organization_id: order.organizationId })
        .forUpdate()
        .first();
      if (!payment) throw notFound('payment');
      const known = await find(trx);
      if (known) return known;
      const amountMinor = refundable(payment, order);
      await trx('payments')
        .where({ id: payment.id })
        .update({
          refund_reserved_minor: payment.refund_reserved_minor + amountMinor,
          version: payment.version + 1,
        });
      const { plan, sellerId } =
        payment.beneficiary === 'wallet' ? await planRefund(trx, payment, amountMinor) : NO_WALLET;
      const [refund]: RefundRow[] = await trx('refunds')
        .insert({
          id: order.refundId,
          tenant_id: payment.tenant_id,
          organization_id: payment.organization_id,
          payment_id: payment.id,
          processor: payment.processor,
          currency: payment.currency,
          amount_minor: amountMinor,
          ...plan,
          reason: order.reason ?? null,
          status: 'pending',
          result_code: RESULT.pending,
          status_detail: 'On its way to the processor.',
          cause: 'requested' satisfies TimelineCause,
        })
        .returning('*');
      const movements = withSellerFloat(sellerId, bookings.refund(payment, refund!, 'pending'));
      await ledger.book(trx, payment.tenant_id, payment.currency, movements);
      await order.note?.(trx, payment, { refundId: order.refundId });
      return refund!;
    });
  } catch (error) {
    if (violates(error, 'ledger_balances_covered'))
      throw new DomainError('insufficient_funds', 'The wallet no longer holds what is to be refunded');
    if (!violates(error, 'refunds_pkey')) throw error;
    return tenant(order.tenantId, find);
  }
}

const NO_WALLET = { plan: {}, sellerId: null };

const REFUNDABLE: Record<PaymentStatus, boolean> = {
  initiated: false,
  pending: false,
  requires_action: false,
  authorized: false,
  captured: true,
  settled: true,
  partially_refunded: true,
  refunded: false,
  cancelled: false,
  failed: false,
  expired: false,
  charged_back: false,
};

/** Why nothing of a payment can be refunded now; undefined where something can: at most `untouchedMinor`. */
export function refusalOfRefund(payment: PaymentRow): DomainError | undefined {
  if (!REFUNDABLE[payment.status])
    return new DomainError('invalid_state', `a payment that is ${payment.status} cannot be refunded`);
  return untouchedMinor(payment) > 0n ? undefined : exceeds();
}

function refundable(payment: PaymentRow, order: RefundOrder): bigint {
  const refusal = refusalOfRefund(payment);
  if (refusal) throw refusal;
  const left = untouchedMinor(payment);
  const amountMinor = order.amountFor ? order.amountFor(payment) : left;
  if (amountMinor > left) throw exceeds();
  return amountMinor;
}

function exceeds(): DomainError {
  return new DomainError('refund_exceeds_captured', 'the refunds would exceed what was captured');
}
