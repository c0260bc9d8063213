import { formatAmount, isCurrency, parseAmount } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Batch, Charge, Dispute, Line, Refund } from '../../books';
import { Refusal, type RefusalCode } from '../../refusal';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Fields = Record<string, unknown>;

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'DO_NOT_HONOUR'],
  ['insufficient_funds', 'INSUFFICIENT_FUNDS'],
  ['expired_card', 'EXPIRED_CARD'],
  ['cvv_mismatch', 'CVV_MISMATCH'],
  ['lost_card', 'LOST_CARD'],
  ['goods_not_received', 'GOODS_NOT_RECEIVED'],
]);

const REFUSAL_STATUS: Record<RefusalCode, number> = {
  invalid_request: 422,
  invalid_card: 422,
  unauthorized: 401,
  not_found: 404,
  invalid_state: 409,
  amount_exceeded: 422,
  duplicate_reference: 409,
  idempotency_conflict: 409,
  too_large: 413,
};

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason.toUpperCase();
}

export function refusalReply(refusal: Refusal): { status: number; body: { error: { code: string; message: string } } } {
  return {
    status: REFUSAL_STATUS[refusal.code],
    body: { error: { code: refusal.code.toUpperCase(), message: refusal.message } },
  };
}

export function statusWord(charge: Charge): string {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return 'CHALLENGE';
    case 'processing':
      return 'PROCESSING';
    case 'authorized':
      return 'AUTHORISED';
    case 'cancelled':
      return 'CANCELLED';
    case 'declined':
      return 'REFUSED';
    case 'authentication_failed':
      return 'AUTHENTICATION_FAILED';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return 'CHARGEBACK';
      if (charge.refundedMinor >= charge.capturedMinor) return 'REFUNDED';
      if (charge.refundedMinor > 0n) return 'PARTIALLY_REFUNDED';
      return charge.settled ? 'SETTLED' : 'CAPTURED';
  }
}

export function presentCharge(charge: Charge, challengeUrl: (id: string) => string): Fields {
  const { challenge, currency } = charge;
  return {
    paymentId: charge.id,
    reference: charge.reference,
    status: statusWord(charge),
    amount: formatAmount(charge.amountMinor, currency),
    currency,
    capturedAmount: charge.capturedMinor > 0n ? formatAmount(charge.capturedMinor, currency) : undefined,
    refundedAmount: charge.refundedMinor > 0n ? formatAmount(charge.refundedMinor, currency) : undefined,
    refusalReason: charge.reason && reasonWord(charge.reason),
    authentication: charge.frictionless ? 'FRICTIONLESS' : undefined,
    challenge:
      charge.status === 'challenge' && challenge
        ? { url: challengeUrl(challenge.id), expiresAt: challenge.expiresAt }
        : undefined,
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
export function readOrder(fields: Fields, idempotencyKey: string): Order {
  const card = objectOf(fields, 'card');
  const recurring = fields.recurring === undefined ? undefined : objectOf(fields, 'recurring');
  const threeDS = THREE_DS.get(fields.threeDS === undefined ? 'AUTO' : textOf(fields, 'threeDS'));
  if (!threeDS) throw invalid('threeDS');
  if (typeof fields.capture !== 'boolean') throw invalid('capture');
  const expiryMonth = textOf(card, 'expiryMonth');
  const expiryYear = textOf(card, 'expiryYear');
  if (!/^(0[1-9]|1[0-2])$/.test(expiryMonth)) throw invalid('card.expiryMonth');
  if (!/^[0-9]{4}$/.test(expiryYear)) throw invalid('card.expiryYear');
  return {
    reference: textOf(fields, 'reference'),
    idempotencyKey,
    ...readAmount(fields),
    capture: fields.capture,
    kind: 'card',
    card: { number: textOf(card, 'number'), expiryMonth, expiryYear },
    threeDS,
    merchantInitiated: recurring?.initial === false,
    returnUrl: optionalTextOf(fields, 'returnUrl'),
    descriptor: optionalTextOf(fields, 'descriptor'),
  };
}

const THREE_DS: ReadonlyMap<string, Order['threeDS']> = new Map([
  ['AUTO', 'auto'],
  ['REQUIRED', 'required'],
  ['NONE', 'none'],
]);

export function readAmount(fields: Fields): { amountMinor: bigint; currency: string } {
  const currency = textOf(fields, 'currency');
  if (!isCurrency(currency)) throw invalid('currency');
  try {
    return { amountMinor: parseAmount(textOf(fields, 'amount'), currency), currency };
  } catch {
    throw invalid('amount');
  }
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
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 8_192) throw invalid(name);
  return value;
}

function optionalTextOf(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === '' ? undefined : textOf(fields, name);
}

function objectOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return value as Fields;
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
