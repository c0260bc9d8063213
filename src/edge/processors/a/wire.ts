import type { AuthorizeRequest, EvidenceRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import type { Money } from '../../../domain/money';
import { meanings } from '../meanings';
import {
  amountFields,
  asObject,
  type Fields,
  isPageUrl,
  isText,
  isTime,
  readEvery,
  readMoney,
  readObject,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor A describes it. Amounts are decimal strings on its wire. */
export interface PaymentWire extends Standing {
  /** Absent until something was captured. */
  captured?: Money;
  refusalReason?: string;
  challenge?: { url: string; expiresAt: string };
}

/** A dispute as processor A describes it. */
export interface DisputeWire {
  caseId: string;
  status: string;
  money: Money;
}

const lineKind = meanings<SettlementLine['kind']>({
  CAPTURE: 'capture',
  REFUND: 'refund',
  CHARGEBACK: 'chargeback',
  CHARGEBACK_REVERSAL: 'chargeback_reversal',
});

/** Body of `POST /v1/payments`. Holds the card number: never log it. */
export function authorizeBody(request: AuthorizeRequest): object {
  return {
    reference: request.reference,
    ...amountFields(request.money),
    capture: request.capture,
    card: request.instrument.kind === 'card' ? request.instrument.card : undefined,
    threeDS: request.threeDS.toUpperCase(),
    scaExemption: request.exemption?.toUpperCase(),
    recurring: request.recurring,
    browser: request.browser,
    returnUrl: request.returnUrl,
    descriptor: request.descriptor,
    payer: request.payer,
  };
}

/** Body of `POST /v1/disputes/{caseId}/evidence`. */
export function evidenceBody({ evidenceReference, text, documents }: EvidenceRequest): object {
  return {
    reference: evidenceReference,
    text,
    documents: documents.map(({ name, contentType, content }) => ({
      name,
      contentType,
      content: content.toString('base64'),
    })),
  };
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(fields: Fields = {}): PaymentWire | undefined {
  const { paymentId: id, reference, status, currency } = fields;
  const payment = readStanding({ id, reference, status, money: readMoney(fields.amount, currency) });
  return (
    payment && {
      ...payment,
      captured: readMoney(fields.capturedAmount, currency),
      refusalReason: textOrNothing(fields.refusalReason),
      challenge: readChallenge(asObject(fields.challenge)),
    }
  );
}

export function readRefund({ refundId: id, reference, status, amount, currency }: Fields = {}): Standing | undefined {
  return readStanding({ id, reference, status, money: readMoney(amount, currency) });
}

export function readDispute(fields: Fields | undefined): DisputeWire | undefined {
  if (!fields) return undefined;
  const { caseId, status } = fields;
  const money = readMoney(fields.amount, fields.currency);
  if (!isText(caseId) || !isText(status) || !money) return undefined;
  return { caseId, status, money };
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readSettlement(text: string): SettlementReport | undefined {
  const { batchId, closedAt, ...fields } = readObject(text) ?? {};
  const lines = readEvery(fields.lines, readLine);
  return isText(batchId) && isTime(closedAt) && lines ? { batchId, closedAt, lines } : undefined;
}

/** One page of closed batches, oldest first. */
export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { batches, hasMore } = readObject(text) ?? {};
  const batchIds = readEvery(batches, (batch) => textOrNothing(asObject(batch)?.batchId));
  return batchIds && typeof hasMore === 'boolean' ? { batchIds, hasMore } : undefined;
}

function readLine(value: unknown): SettlementLine | undefined {
  const { lineId, kind, reference, paymentReference, feeMinor, ...fields } = asObject(value) ?? {};
  const money = readMoney(fields.amount, fields.currency);
  const isFee = isText(feeMinor) && /^[0-9]{1,18}$/.test(feeMinor);
  const fee = isFee && money ? { ...money, amountMinor: BigInt(feeMinor) } : undefined;
  return readSettlementLine({ lineId, kind: lineKind(kind), reference, paymentReference, money, fee });
}

function readChallenge({ url, expiresAt }: Fields = {}): PaymentWire['challenge'] {
  return isPageUrl(url) && isTime(expiresAt) ? { url, expiresAt } : undefined;
}
