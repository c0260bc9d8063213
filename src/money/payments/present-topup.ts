import { formatAmount } from '../../domain/money';
import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';
import { endedWithoutMoney } from '../../domain/states/payment';
import { topupStatusOf } from '../../domain/states/topup';
import type { RefundRow } from './payment';
import { presentAuthentication, presentCard, presentRefund } from './present';
import { netMinor, type Topup } from './topup';

/** The top-up record. */
export function presentTopup({ topup, payment }: Topup): Record<string, unknown> {
  const amount = (minor: bigint) => formatAmount(minor, payment.currency);
  return {
    topupId: topup.id,
    customerId: topup.customer_id,
    status: topupStatusOf(payment.status),
    amount: amount(payment.amount_minor),
    currency: payment.currency,
    fee: amount(endedWithoutMoney(payment.status) ? 0n : topup.fee_minor),
    netAmount: amount(netMinor({ topup, payment })),
    result: { code: payment.result_code, description: RESULT_DESCRIPTIONS[payment.result_code] },
    detail: payment.status_detail,
    amounts: {
      authorized: amount(payment.authorized_minor),
      captured: amount(payment.captured_minor),
      refunded: amount(payment.refunded_minor),
      chargedBack: amount(payment.charged_back_minor),
      feeReturned: amount(topup.fee_returned_minor),
    },
    action: payment.action ?? undefined,
    authentication: presentAuthentication(payment),
    paymentBrand: payment.brand,
    card: presentCard(payment),
    savedCardId: payment.card_token ?? undefined,
    paymentId: payment.id,
    organizationId: payment.organization_id,
    linkId: payment.link_id ?? undefined,
    sellerId: topup.seller_id ?? undefined,
    processor: payment.processor,
    createdAt: topup.created_at,
    updatedAt: payment.updated_at,
    settledAt: payment.settled_at ?? undefined,
  };
}

/** A refund out of the wallet: what went to the card, and what of it was the fee. */
export function presentTopupRefund(refund: RefundRow): Record<string, unknown> {
  return { ...presentRefund(refund), feeReturned: formatAmount(refund.fee_minor, refund.currency) };
}
