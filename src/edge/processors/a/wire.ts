import type { AuthorizeRequest, EvidenceRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import type { Money } from '../../../domain/money';
import { amountFields, asObject, type Fields, isText, isTime, readMoney } from '../reading';

/** A payment as processor A describes it. Amounts are decimal strings on its wire. */
export interface PaymentWire {
  paymentId: string;
  reference: string;
  status: string;
  money: Money;
  /** Absent until something was captured. */
  captured?: Money;
  refusalReason?: string;
  challenge?: { url: string; expiresAt: string };
}

/** A refund as processor A describes it. */
export interface RefundWire {
  refundId: string;
  reference: string;
  status: string;
  money: Money;
}

/** A dispute as processor A describes it. */
export interface DisputeWire {
  caseId: string;
  status: string;
  money: Money;
}

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['CAPTURE', 'capture'],
  ['REFUND', 'refund'],
  ['CHARGEBACK', 'chargeback'],
  ['CHARGEBACK_REVERSAL', 'chargeback_reversal'],
]);

/** Body of `POST /v1/payments`. Holds the card number: never log it. */
export function authorizeBody(request: AuthorizeRequest): string {
  return JSON.stringify({
    reference: request.reference,
    ...amountFields(request.money),
    capture: request.capture,
    card: request.instrument.kind === 'card' ? request.instrument.card : undefined,
    threeDS: request.threeDS.toUpperCase(),
    recurring: request.recurring,
    browser: request.browser,
    returnUrl: request.returnUrl,
    descriptor: request.descriptor,
    payer: request.payer,
  });
}

/** Body of `POST /v1/disputes/{caseId}/evidence`. */
export function evidenceBody({ evidenceReference, text, documents }: EvidenceRequest): string {
  return JSON.stringify({
    reference: evidenceReference,
    text,
    documents: documents.map(({ name, contentType, content }) => ({
      name,
      contentType,
      content: content.toString('base64'),
    })),
  });
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(fields: Fields | undefined): PaymentWire | undefined {
  if (!fields) return undefined;
  const { paymentId, reference, status } = fields;
  const money = readMoney(fields.amount, fields.currency);
  if (!isText(paymentId) || !isText(reference) || !isText(status) || !money) return undefined;
  return {
    paymentId,
    reference,
    status,
    money,
    captured: readMoney(fields.capturedAmount, fields.currency),
    refusalReason: isText(fields.refusalReason) ? fields.refusalReason : undefined,
    challenge: readChallenge(fields.challenge),
  };
}

export function readRefund(fields: Fields | undefined): RefundWire | undefined {
  if (!fields) return undefined;
  const { refundId, reference, status } = fields;
  const money = readMoney(fields.amount, fields.currency);
  if (!isText(refundId) || !isText(reference) || !isText(status) || !money) return undefined;
  return { refundId, reference, status, money };
}

export function readDispute(fields: Fields | undefined): DisputeWire | undefined {
  if (!fields) return undefined;
  const { caseId, status } = fields;
  const money = readMoney(fields.amount, fields.currency);
  if (!isText(caseId) || !isText(status) || !money) return undefined;
  return { caseId, status, money };
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readSettlement(fields: Fields | undefined): SettlementReport | undefined {
  if (!fields || !isText(fields.batchId) || !isTime(fields.closedAt) || !Array.isArray(fields.lines)) return undefined;
  const lines: SettlementLine[] = [];
  for (const entry of fields.lines) {
    const line = readLine(asObject(entry));
    if (!line) return undefined;
    lines.push(line);
  }
  return { batchId: fields.batchId, closedAt: fields.closedAt, lines };
}

/** One page of closed batches, oldest first. */
export function readBatches(fields: Fields | undefined): { batchIds: string[]; hasMore: boolean } | undefined {
  if (!fields || !Array.isArray(fields.batches) || typeof fields.hasMore !== 'boolean') return undefined;
  const batchIds = fields.batches.map((entry) => asObject(entry)?.batchId);
  return batchIds.every(isText) ? { batchIds, hasMore: fields.hasMore } : undefined;
}

function readLine(fields: Fields | undefined): SettlementLine | undefined {
  if (!fields) return undefined;
  const { lineId, reference, paymentReference, feeMinor } = fields;
  const kind = isText(fields.kind) ? LINE_KINDS.get(fields.kind) : undefined;
  const money = readMoney(fields.amount, fields.currency);
  if (!kind || !money || !isText(lineId) || !isText(reference) || !isText(paymentReference)) return undefined;
  if (!isText(feeMinor) || !/^[0-9]{1,18}$/.test(feeMinor)) return undefined;
  return { lineId, kind, reference, paymentReference, money, feeMinor: BigInt(feeMinor) };
}

function readChallenge(value: unknown): PaymentWire['challenge'] {
  const fields = asObject(value);
  if (!fields || !isText(fields.url) || !/^https?:\/\//.test(fields.url) || !isTime(fields.expiresAt)) return undefined;
  return { url: fields.url, expiresAt: fields.expiresAt };
}
