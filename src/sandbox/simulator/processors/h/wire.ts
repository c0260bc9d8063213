import type { Context } from 'koa';
import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import type { PayerView } from '../../payer-pages/view';
import { type Batch, type Charge, type Line, type Refund, type Standing, standingOf } from '../../records';
import { REFUSAL_STATUS, type Refusal } from '../../refusal';
import { type Fields, invalid, membersOf, moneyOf, optionalTextOf, textOf } from '../../request';
import { assetDue, newQuote } from './quote';

/** Confirmations until the money is the merchant's, and the sandbox's time for one. */
export const CONFIRMATIONS = { steps: 2, everyMs: 1_000 };

const STATUSES: Record<Standing, string> = {
  challenge: 'open',
  waiting: 'open',
  part_received: 'underpaid',
  processing: 'confirming',
  authorized: 'accepted',
  cancelled: 'closed',
  lapsed: 'expired',
  declined: 'rejected',
  authentication_failed: 'rejected',
  captured: 'confirmed',
  settled: 'paid_out',
  part_refunded: 'partly_returned',
  refunded: 'returned',
  charged_back: 'clawed_back',
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'declined'],
  ['insufficient_funds', 'no_funds'],
  ['payer_refused', 'payer'],
  ['goods_not_received', 'not_delivered'],
]);

const ENTRY_KINDS: Record<Line['kind'], string> = {
  capture: 'credit',
  refund: 'return',
  chargeback: 'clawback',
  chargeback_reversal: 'clawback_reversal',
};

export function refuse({ code, message }: Refusal, stands: Fields = {}): Reply {
  return { status: REFUSAL_STATUS[code], body: { error: code.toUpperCase(), message, ...stands } };
}

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

export function presentPayment(charge: Charge, page: string): Fields {
  const { currency, capturedMinor, receivedMinor = 0n } = charge;
  return {
    invoice: {
      id: charge.id,
      merchant_ref: charge.reference,
      status: STATUSES[standingOf(charge)],
      price: amount(charge.amountMinor, currency),
      received: receivedMinor > 0n ? amount(receivedMinor, currency) : undefined,
      credited: capturedMinor > 0n ? amount(capturedMinor, currency) : undefined,
      quote: charge.status === 'waiting' ? presentQuote(charge, page) : undefined,
      confirmations: charge.status === 'processing' ? presentConfirmations(charge) : undefined,
      reason: charge.reason && reasonWord(charge.reason),
      created_at: charge.createdAt,
    },
  };
}

function presentQuote(charge: Charge, page: string): Fields {
  const { asset, rate, address, assetAmount, uri } = quoteOf(charge);
  return { asset, asset_amount: assetAmount, rate, address, uri, page, valid_until: charge.challenge?.expiresAt };
}

/** What is still to be paid, at the rate of the invoice. */
function quoteOf({ details, amountMinor, receivedMinor = 0n }: Charge) {
  const { asset = '', address = '', rate = '' } = details ?? {};
  return { asset, address, rate, ...assetDue({ asset, address, rate }, amountMinor - receivedMinor) };
}

export function viewOf(charge: Charge): PayerView {
  const { asset, address, rate, assetAmount, uri } = quoteOf(charge);
  return {
    facts: [
      ['assetAmount', { decimal: assetAmount, unit: asset }],
      ['rate', { decimal: rate, unit: charge.currency, per: asset }],
      ['address', address],
    ],
    code: uri,
  };
}

function presentConfirmations({ steps }: Charge): Fields {
  const { done, of } = steps ?? { done: 0, of: CONFIRMATIONS.steps };
  const expectedBy = new Date(Date.now() + (of - done) * CONFIRMATIONS.everyMs);
  return { seen: done, needed: of, expected_by: expectedBy.toISOString() };
}

export function presentRefund(refund: Refund): Fields {
  return {
    return: {
      id: refund.id,
      merchant_ref: refund.reference,
      invoice_ref: refund.paymentReference,
      status: { pending: 'queued', refunded: 'sent', declined: 'refused' }[refund.status],
      amount: amount(refund.amountMinor, refund.currency),
    },
  };
}

export function presentBatches({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Fields {
  return { payouts: batches.map(({ id }) => id), next: hasMore ? batches.at(-1)?.id : null };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Fields {
  return {
    payout: {
      id: batch.id,
      closed_at: batch.closedAt,
      entries: lines.map(({ id, kind, reference, paymentReference, amountMinor, feeMinor, currency }) => ({
        id,
        kind: ENTRY_KINDS[kind],
        merchant_ref: reference,
        invoice_ref: paymentReference,
        amount: amount(amountMinor, currency),
        fee: amount(feeMinor, currency),
      })),
    },
  };
}

export function amount(amountMinor: bigint, currency: string): Fields {
  return { amount: formatAmount(amountMinor, currency), currency };
}

export function keyOf(_ctx: Context, fields: Fields): string {
  return textOf(fields, 'request_id');
}

/** Reads `POST /h/api/invoices`, and quotes. Throws Refusal. */
export function readOrder(fields: Fields): Order {
  const price = readAmount(fields, 'price');
  const quote = newQuote(textOf(fields, 'asset'), price.currency);
  if (!quote) throw invalid('asset');
  return {
    reference: textOf(fields, 'merchant_ref'),
    idempotencyKey: textOf(fields, 'request_id'),
    ...price,
    capture: true,
    kind: 'crypto',
    threeDS: 'none',
    merchantInitiated: false,
    returnUrl: optionalTextOf(fields, 'return_url'),
    descriptor: optionalTextOf(fields, 'memo'),
    details: { ...quote, assetAmount: assetDue(quote, price.amountMinor).assetAmount },
  };
}

export function readAmount(fields: Fields, name = 'amount'): Money {
  const { amount: text, currency } = membersOf(fields, name);
  return moneyOf(text, currency, { amount: name });
}
