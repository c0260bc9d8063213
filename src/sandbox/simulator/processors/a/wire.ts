import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import { isCardNumber } from '../../cards';
import {
  type Batch,
  type CardChange,
  type Charge,
  type Dispute,
  type Line,
  type Refund,
  type Standing,
  standingOf,
} from '../../records';
import { REFUSAL_STATUS, type Refusal, type RefusalCode } from '../../refusal';
import * as request from '../../request';
import { type Fields, invalid, keyOf, membersOf, moneyOf } from '../../request';

/** It takes longer texts than others. */
export const LONGEST_TEXT = 8_192;

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'DO_NOT_HONOUR'],
  ['insufficient_funds', 'INSUFFICIENT_FUNDS'],
  ['expired_card', 'EXPIRED_CARD'],
  ['cvv_mismatch', 'CVV_MISMATCH'],
  ['lost_card', 'LOST_CARD'],
  ['goods_not_received', 'GOODS_NOT_RECEIVED'],
  ['authentication_required', 'AUTHENTICATION_REQUIRED'],
]);

const STATUS: Record<RefusalCode, number> = { ...REFUSAL_STATUS, invalid_request: 422, invalid_card: 422 };

const STATUS_WORDS: Record<Standing, string> = {
  challenge: 'CHALLENGE',
  waiting: 'CHALLENGE',
  part_received: 'CHALLENGE',
  processing: 'PROCESSING',
  authorized: 'AUTHORISED',
  cancelled: 'CANCELLED',
  lapsed: 'CANCELLED',
  declined: 'REFUSED',
  authentication_failed: 'AUTHENTICATION_FAILED',
  captured: 'CAPTURED',
  settled: 'SETTLED',
  part_refunded: 'PARTIALLY_REFUNDED',
  refunded: 'REFUNDED',
  charged_back: 'CHARGEBACK',
};

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason.toUpperCase();
}

export function refuse({ code, message }: Refusal, stands?: Fields, what = 'payment'): Reply {
  const error = { code: code.toUpperCase(), message };
  return { status: STATUS[code], body: stands ? { error, [what]: stands } : { error } };
}

export function presentPayment(charge: Charge, pageUrl: string): Fields {
  const { challenge, currency } = charge;
  return {
    paymentId: charge.id,
    reference: charge.reference,
    status: STATUS_WORDS[standingOf(charge)],
    amount: formatAmount(charge.amountMinor, currency),
    currency,
    capturedAmount: charge.capturedMinor > 0n ? formatAmount(charge.capturedMinor, currency) : undefined,
    refundedAmount: charge.refundedMinor > 0n ? formatAmount(charge.refundedMinor, currency) : undefined,
    refusalReason: charge.reason && reasonWord(charge.reason),
    authentication: charge.frictionless ? 'FRICTIONLESS' : undefined,
    challenge:
      charge.status === 'challenge' && challenge ? { url: pageUrl, expiresAt: challenge.expiresAt } : undefined,
    card: charge.card && { brand: charge.card.brand, last4: charge.card.last4 },
    createdAt: charge.createdAt,
  };
}

export function presentRefund(refund: Refund): Fields {
  const status = { pending: 'REFUND_PENDING', refunded: 'REFUNDED', declined: 'REFUND_FAILED' }[refund.status];
  return {
    refundId: refund.id,
    reference: refund.reference,
    paymentReference: refund.paymentReference,
    status,
    amount: formatAmount(refund.amountMinor, refund.currency),
    currency: refund.currency,
    createdAt: refund.createdAt,
  };
}

const STAGE_WORDS: Record<Dispute['stage'], string> = {
  open: 'DISPUTE_OPEN',
  evidence_submitted: 'EVIDENCE_RECEIVED',
  presented: 'PRESENTMENT_RECEIVED',
  second_presentment: 'SECOND_PRESENTMENT',
  won: 'CHARGEBACK_REVERSED',
  lost: 'CHARGEBACK_CONFIRMED',
};

export function presentDispute(dispute: Dispute): Fields {
  return {
    caseId: dispute.id,
    reference: dispute.reference,
    status: STAGE_WORDS[dispute.stage],
    amount: formatAmount(dispute.amountMinor, dispute.currency),
    currency: dispute.currency,
    reason: reasonWord(dispute.reason),
    evidence: dispute.evidence.map(({ reference, documents }) => ({ reference, documents })),
  };
}

/** `GET /a/v1/card-updates/{updateId}`. */
export function presentCardChange(change: CardChange, charge: Charge | undefined): Record<string, unknown> {
  const { id, reference, kind, expiryMonth, expiryYear } = change;
  if (kind === 'closed') return { updateId: id, reference, status: 'CLOSED' };
  const number = kind === 'replaced' ? newNumber(id, charge?.card?.brand) : undefined;
  return { updateId: id, reference, status: 'UPDATED', card: { number, expiryMonth, expiryYear } };
}

const BEGINNINGS: Record<string, string> = { MASTERCARD: '55555555', AMEX: '3782822' };

/** A number of the brand, the same for an update whenever it is asked for. */
function newNumber(id: string, brand = 'VISA'): string {
  const beginning = BEGINNINGS[brand] ?? '41111111';
  const digits = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString();
  const body = beginning + digits.slice(0, 7);
  return [...'0123456789'].map((check) => body + check).find(isCardNumber)!;
}

export function presentBatches({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Fields {
  return { batches: batches.map(({ id, closedAt }) => ({ batchId: id, closedAt })), hasMore };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Fields {
  return {
    batchId: batch.id,
    closedAt: batch.closedAt,
    lines: lines.map((line) => ({
      lineId: line.id,
      kind: line.kind.toUpperCase(),
      reference: line.reference,
      paymentReference: line.paymentReference,
      amount: formatAmount(line.amountMinor, line.currency),
      currency: line.currency,
      feeMinor: line.feeMinor.toString(),
    })),
  };
}

/** Reads `POST /a/v1/payments`. Throws Refusal. */
export function readOrder(fields: Fields, ctx: Context): Order {
  const card = membersOf(fields, 'card');
  const recurring = fields.recurring === undefined ? undefined : membersOf(fields, 'recurring');
  const threeDS = THREE_DS.get(fields.threeDS === undefined ? 'AUTO' : textOf(fields, 'threeDS'));
  if (!threeDS) throw invalid('threeDS');
  if (typeof fields.capture !== 'boolean') throw invalid('capture');
  const expiryMonth = textOf(card, 'expiryMonth');
  const expiryYear = textOf(card, 'expiryYear');
  if (!/^(0[1-9]|1[0-2])$/.test(expiryMonth)) throw invalid('card.expiryMonth');
  if (!/^[0-9]{4}$/.test(expiryYear)) throw invalid('card.expiryYear');
  return {
    reference: textOf(fields, 'reference'),
    idempotencyKey: keyOf(ctx),
    ...readAmount(fields),
    capture: fields.capture,
    kind: 'card',
    card: { number: textOf(card, 'number'), expiryMonth, expiryYear },
    threeDS,
    exemption: exemptionOf(optionalTextOf(fields, 'scaExemption')),
    merchantInitiated: recurring?.initial === false,
    returnUrl: optionalTextOf(fields, 'returnUrl'),
    descriptor: optionalTextOf(fields, 'descriptor'),
  };
}

function exemptionOf(word: string | undefined): Order['exemption'] {
  if (word === undefined) return undefined;
  const exemption = EXEMPTIONS.get(word);
  if (!exemption) throw invalid('scaExemption');
  return exemption;
}

const EXEMPTIONS: ReadonlyMap<string, Order['exemption']> = new Map([
  ['LOW_VALUE', 'low_value'],
  ['MERCHANT_INITIATED', 'merchant_initiated'],
]);

const THREE_DS: ReadonlyMap<string, Order['threeDS']> = new Map([
  ['AUTO', 'auto'],
  ['REQUIRED', 'required'],
  ['NONE', 'none'],
]);

export function readAmount({ amount, currency }: Fields): Money {
  return moneyOf(amount, currency, { amount: 'amount', currency: 'currency' });
}

/** Reads `POST /a/v1/disputes/{caseId}/evidence`. Throws Refusal. */
export function readEvidence(fields: Fields): Dispute['evidence'][number] {
  const { text, documents } = fields;
  if (typeof text !== 'string' || text === '' || text.length > 20_000) throw invalid('text');
  if (!Array.isArray(documents) || documents.length > 10) throw invalid('documents');
  for (const document of documents) {
    const { name, contentType, content } = (document ?? {}) as Fields;
    if (![name, contentType, content].every((member) => typeof member === 'string' && member !== ''))
      throw invalid('documents');
  }
  return { reference: textOf(fields, 'reference'), text, documents: documents.length };
}

export function textOf(fields: Fields, name: string): string {
  return request.textOf(fields, name, LONGEST_TEXT);
}

function optionalTextOf(fields: Fields, name: string): string | undefined {
  return request.optionalTextOf(fields, name, LONGEST_TEXT);
}
