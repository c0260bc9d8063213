import type { Knex } from 'knex';
import type { PaymentKind, ProcessorId, StoredInstrument } from '../../domain/connector';
import { found } from '../../domain/errors';
import type { Exemption } from '../../domain/exemption';
import type { PayerAction } from '../../domain/processor-answers';
import type { ResultCode } from '../../domain/result-codes';
import type { PaymentStatus } from '../../domain/states/payment';
import type { RefundStatus } from '../../domain/states/refund';

import type { ThreeDS } from '../authentication/policy';

/** What the merchant sent along and the flow still needs; kept as it came, without card data. */
export interface PaymentRequestDetails {
  descriptor?: string;
  remark?: string;
  notificationUrl?: string;
  returnUrl?: string;
  threeDS: ThreeDS;
  /** Where the tenant has a policy on 3-D Secure, or the issuer wanted it. */
  authentication?: RequestedAuthentication;
  storeCard: boolean;
  recurring?: { initial?: boolean; originalPaymentId?: string };
  browser?: Record<string, unknown>;
  /** In which messages to the payer are written (BCP 47): `en`, `pt-PT`. */
  locale?: string;
  /** What the payer pays with, where that is no card. */
  instrument?: StoredInstrument;
  /** Which processors may serve the payment, in order, and the rule that says so. */
  route?: { processors: ProcessorId[]; reason: string };
  customer?: {
    customerId?: string;
    firstName?: string;
    lastName?: string;
    email?: string;
    phone?: string;
    ipAddress?: string;
    country?: string;
  };
}

/** What was asked for, and why the payer need not authenticate. */
export interface RequestedAuthentication {
  asked: ThreeDS;
  exemption?: Exemption;
  /** The issuer declined the payment without 3-D Secure: at which processor, its name of it, and the exemption then asked for. */
  softDeclined?: { processor: ProcessorId; processorReference?: string; exemption?: Exemption };
}

/** One row of `payments`. Amounts are minor units of `currency`. */
export interface PaymentRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  terminal_id: string;
  merchant_transaction_id: string;
  method_id: number;
  kind: PaymentKind;
  brand: string;
  processor: ProcessorId;
  currency: string;
  amount_minor: bigint;
  capture_mode: 'automatic' | 'manual';
  status: PaymentStatus;
  result_code: ResultCode;
  status_detail: string;
  authorized_minor: bigint;
  captured_minor: bigint;
  refunded_minor: bigint;
  refund_reserved_minor: bigint;
  charged_back_minor: bigint;
  /** Came back by a second presentment, for the time being: not refundable until the dispute has ended. */
  contested_minor: bigint;
  settled_at: Date | null;
  request: PaymentRequestDetails;
  customer_id: string | null;
  /** Who gets the money: the organization, or the wallet of the customer (a top-up). */
  beneficiary: 'merchant' | 'wallet';
  /** The payment link that it pays by. */
  link_id: string | null;
  /** The order that it pays: of its amount, and of no other payment that can take money. */
  order_id: string | null;
  card_id: string | null;
  card_bin: string | null;
  card_last4: string | null;
  card_holder: string | null;
  card_expiry_month: string | null;
  card_expiry_year: string | null;
  card_token: string | null;
  /** The hash of its device-wallet token: no other payment has the same. */
  wallet_token: string | null;
  action: PayerAction | null;
  waits_until: Date | null;
  /** How often it was sent, to whomever. */
  attempts: number;
  /** Goes up with every change: a change made from an older row is refused. */
  version: number;
  /** When the workers start its flow, unless it has ended by then. Null: it has one, or needs none. */
  flow_due_at: Date | null;
  /** False: no flow was started for it yet, and none is missing. */
  has_flow: boolean;
  unknown_since: Date | null;
  review_reason: string | null;
  review_since: Date | null;
  request_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** One row of `payment_operations`: a capture or void, one at a time per payment. */
export interface OperationRow {
  id: string;
  tenant_id: string;
  payment_id: string;
  kind: 'capture' | 'void';
  /** Whose attempt it is about. Null: nothing was ever sent, or it was written by the version before. */
  processor: ProcessorId | null;
  amount_minor: bigint;
  status: 'pending' | 'succeeded' | 'failed';
  /** Who wants it: whoever ordered it, or the end of the payment's time. */
  cause: 'capture' | 'void' | 'expiry';
  sent_at: Date;
  /** How often it was sent. */
  sends: number;
  /** Until when its last send may be on its way; null: it never left, or was certainly not taken. */
  in_flight_until: Date | null;
}

export interface RefundRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  payment_id: string;
  /** Whose attempt took the money. Null: written by the version before, for the processor that serves the payment. */
  processor: ProcessorId | null;
  currency: string;
  amount_minor: bigint;
  /** What of a top-up's fee goes back with it. */
  fee_minor: bigint;
  /** Which account of the customer it is taken from; null for a merchant's. */
  taken_from: 'customer_wallet' | 'customer_incoming' | null;
  reason: string | null;
  status: RefundStatus;
  result_code: ResultCode;
  status_detail: string;
  cause: string;
  attempts: number;
  submitted_at: Date | null;
  unknown_since: Date | null;
  settled_at: Date | null;
  review_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The payment, locked until the transaction ends. Throws DomainError `not_found`. */
export async function lockPayment(trx: Knex.Transaction, paymentId: string): Promise<PaymentRow> {
  return found(await trx('payments').where({ id: paymentId }).forUpdate().first(), 'payment');
}

/** What of a captured payment is neither refunded nor disputed, in minor units. */
export function untouchedMinor(payment: PaymentRow): bigint {
  return (
    payment.captured_minor -
    payment.refunded_minor -
    payment.refund_reserved_minor -
    payment.charged_back_minor -
    payment.contested_minor
  );
}
