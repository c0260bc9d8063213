import type { Money } from '../../../domain/money';
import { asObject, type Fields, isText } from '../reading';
import { readAmount } from './amounts';

/** Stripe's objects as far as they matter here. Whatever cannot be read is undefined, as a whole. */

export interface Refusal {
  code?: string;
  declineCode?: string;
}

export interface PaymentIntent {
  id: string;
  /** Our payment id, out of the metadata; absent on payments that are not ours. */
  reference?: string;
  status: string;
  money: Money;
  capturable?: Money;
  received?: Money;
  /** Why the last attempt to pay it failed. */
  refusal?: Refusal;
  /** Where the payer has to authenticate. */
  redirectUrl?: string;
}

export interface Refund {
  id: string;
  /** Our refund id, out of the metadata; absent on refunds made elsewhere, such as Stripe's dashboard. */
  reference?: string;
  /** Our id of the payment, out of the metadata. */
  paymentReference?: string;
  paymentIntent?: string;
  status: string;
  money: Money;
}

export interface Dispute {
  id: string;
  paymentIntent?: string;
  status: string;
  reason?: string;
  money: Money;
}

export function readPaymentIntent(value: unknown): PaymentIntent | undefined {
  const fields = asObject(value);
  if (fields?.object !== 'payment_intent' || !isText(fields.id) || !isText(fields.status)) return undefined;
  const { id, status, currency } = fields;
  const money = readAmount(fields.amount, currency);
  if (!money) return undefined;
  return {
    id,
    reference: metadataOf(fields, 'reference'),
    status,
    money,
    capturable: readAmount(fields.amount_capturable, currency),
    received: readAmount(fields.amount_received, currency),
    refusal: readRefusal(fields.last_payment_error),
    redirectUrl: redirectOf(fields.next_action),
  };
}

export function readRefund(value: unknown): Refund | undefined {
  const fields = asObject(value);
  if (fields?.object !== 'refund' || !isText(fields.id) || !isText(fields.status)) return undefined;
  const money = readAmount(fields.amount, fields.currency);
  if (!money) return undefined;
  return {
    id: fields.id,
    reference: metadataOf(fields, 'reference'),
    paymentReference: metadataOf(fields, 'payment_reference'),
    paymentIntent: idOf(fields.payment_intent),
    status: fields.status,
    money,
  };
}

export function readDispute(value: unknown): Dispute | undefined {
  const fields = asObject(value);
  if (fields?.object !== 'dispute' || !isText(fields.id) || !isText(fields.status)) return undefined;
  const money = readAmount(fields.amount, fields.currency);
  if (!money) return undefined;
  return {
    id: fields.id,
    paymentIntent: idOf(fields.payment_intent),
    status: fields.status,
    reason: isText(fields.reason) ? fields.reason : undefined,
    money,
  };
}

/** The id of another object, whether it is expanded or not. */
export function idOf(value: unknown): string | undefined {
  const id = asObject(value)?.id ?? value;
  return isText(id) ? id : undefined;
}

export function metadataOf(fields: Fields, name: string): string | undefined {
  const value = asObject(fields.metadata)?.[name];
  return isText(value) ? value : undefined;
}

function readRefusal(value: unknown): Refusal | undefined {
  const fields = asObject(value);
  if (!fields) return undefined;
  return {
    code: isText(fields.code) ? fields.code : undefined,
    declineCode: isText(fields.decline_code) ? fields.decline_code : undefined,
  };
}

function redirectOf(nextAction: unknown): string | undefined {
  const url = asObject(asObject(nextAction)?.redirect_to_url)?.url;
  return isText(url) && /^https?:\/\//.test(url) ? url : undefined;
}
