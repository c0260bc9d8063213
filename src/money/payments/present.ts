import { formatAmount } from '../../domain/money';
import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';
import type { PaymentRow, RefundRow } from './payment';

/** The payment status record of the service description, with what the contract adds to it. */
export function presentPayment(payment: PaymentRow): Record<string, unknown> {
  const amount = (minor: bigint) => formatAmount(minor, payment.currency);
  const { request } = payment;
  return {
    result: { code: payment.result_code, description: RESULT_DESCRIPTIONS[payment.result_code] },
    paymentId: payment.id,
    timestamp: payment.updated_at,
    paymentBrand: payment.brand,
    paymentMode: payment.kind,
    firstName: request.customer?.firstName,
    lastName: request.customer?.lastName,
    amount: amount(payment.amount_minor),
    descriptor: request.descriptor,
    currency: payment.currency,
    card: payment.card_last4 ? presentCard(payment) : undefined,
    transactionStatus: payment.status,
    merchantTransactionId: payment.merchant_transaction_id,
    remark: request.remark,
    status: { detail: payment.status_detail },
    amounts: {
      authorized: amount(payment.authorized_minor),
      captured: amount(payment.captured_minor),
      refunded: amount(payment.refunded_minor),
      chargedBack: amount(payment.charged_back_minor),
    },
    action: payment.action ?? undefined,
    authentication: presentAuthentication(payment),
    mandateId: request.instrument?.kind === 'direct_debit' ? request.instrument.mandateId : undefined,
    processor: payment.processor,
    cardToken: payment.request.storeCard && payment.card_token ? payment.card_token : undefined,
    methodId: payment.method_id,
    terminalId: payment.terminal_id,
    customerId: payment.customer_id ?? undefined,
    linkId: payment.link_id ?? undefined,
    orderId: payment.order_id ?? undefined,
    createdAt: payment.created_at,
  };
}

/** What was asked for by 3-D Secure, what the tenant's policy made of it, and by which exemption. */
export function presentAuthentication({ request }: PaymentRow) {
  const { authentication, threeDS: applied } = request;
  if (!authentication) return undefined;
  const { asked, exemption, softDeclined } = authentication;
  const refused = softDeclined && { softDeclined: true, refusedExemption: softDeclined.exemption };
  return { asked, applied, exemption, ...refused };
}

/** What is shown of the card that a payment was made with. */
export function presentCard(payment: PaymentRow) {
  return {
    bin: payment.card_bin,
    last4Digits: payment.card_last4,
    holder: payment.card_holder,
    expiryMonth: payment.card_expiry_month,
    expiryYear: payment.card_expiry_year,
  };
}

export function presentRefund(refund: RefundRow): Record<string, unknown> {
  return {
    refundId: refund.id,
    paymentId: refund.payment_id,
    amount: formatAmount(refund.amount_minor, refund.currency),
    currency: refund.currency,
    status: refund.status,
    result: { code: refund.result_code, description: RESULT_DESCRIPTIONS[refund.result_code] },
    detail: refund.status_detail,
    reason: refund.reason ?? undefined,
    createdAt: refund.created_at,
    updatedAt: refund.updated_at,
  };
}

/** 202 while there is something to wait for. */
export function isRunning(payment: PaymentRow): boolean {
  return payment.status === 'initiated' || payment.status === 'pending' || payment.status === 'requires_action';
}
