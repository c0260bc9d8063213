import type { AuthorizeRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { meanings } from '../meanings';
import {
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

/** A payment as processor G describes it. Amount and currency are one text: `10.00 EUR`. */
export interface PaymentWire extends Standing {
  /** Absent until something was captured. */
  paid?: Money;
  reason?: string;
  page?: { url: string; expiresAt: string };
  /** The latest dispute. */
  dispute?: { caseId: string; state: string; total: Money; reason?: string };
}

/** What G says of a call: HTTP tells nothing, its own code does. */
export interface Answer {
  code: string;
  payment?: PaymentWire;
  refund?: Standing;
  batch?: Fields;
}

const lineKind = meanings<SettlementLine['kind']>({
  '30': 'capture',
  '81': 'refund',
  '40': 'chargeback',
  '41': 'chargeback_reversal',
});

const SECURE = { auto: '1', required: '2', none: '0' } as const;

const EXEMPT = { low_value: 'low', merchant_initiated: 'merchant' } as const;

/** Holds the card number: never log it. Undefined for what is no card. */
export function payForm(request: AuthorizeRequest): Record<string, string | undefined> | undefined {
  const { instrument, payer = {}, recurring } = request;
  if (instrument.kind !== 'card') return undefined;
  const { card } = instrument;
  return {
    op: request.capture ? 'PAY' : 'HOLD',
    nonce: request.idempotencyKey,
    order: request.reference,
    total: totalOf(request.money),
    cc: card.number,
    cc_name: card.holder,
    cc_till: `${card.expiryMonth}/${card.expiryYear}`,
    cc_code: card.cvv,
    secure: SECURE[request.threeDS],
    exempt: request.exemption && EXEMPT[request.exemption],
    repeat: recurring && (recurring.initial ? 'first' : 'next'),
    repeat_of: recurring?.originalReference,
    browser: request.browser && JSON.stringify(request.browser),
    back: request.returnUrl,
    label: request.descriptor,
    buyer: `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim(),
    buyer_email: payer.email,
    buyer_country: payer.country,
    buyer_ip: payer.ipAddress,
  };
}

export function totalOf({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** Undefined when it is not an amount, one space, and its currency. */
export function readTotal(value: unknown): Money | undefined {
  const [amount, currency, ...rest] = isText(value) ? value.split(' ') : [];
  return rest.length === 0 ? readMoney(amount, currency) : undefined;
}

/** Undefined when it cannot be read. */
export function readAnswer(text: string): Answer | undefined {
  const fields = readObject(text);
  if (!fields || !isText(fields.code)) return undefined;
  return {
    code: fields.code,
    payment: readPayment(asObject(fields.payment)),
    refund: readRefund(asObject(fields.refund)),
    batch: asObject(fields.batch),
  };
}

function readPayment(fields: Fields = {}): PaymentWire | undefined {
  const { id, order: reference, state: status } = fields;
  const payment = readStanding({ id, reference, status, money: readTotal(fields.total) });
  return (
    payment && {
      ...payment,
      paid: readTotal(fields.paid),
      reason: textOrNothing(fields.reason),
      page: readPage(asObject(fields.page)),
      dispute: readDispute(asObject(fields.dispute)),
    }
  );
}

function readPage({ url, until: expiresAt }: Fields = {}): PaymentWire['page'] {
  return isPageUrl(url) && isTime(expiresAt) ? { url, expiresAt } : undefined;
}

function readDispute({ case: caseId, state, total: text, reason }: Fields = {}): PaymentWire['dispute'] {
  const total = readTotal(text);
  return isText(caseId) && isText(state) && total ? { caseId, state, total, reason: textOrNothing(reason) } : undefined;
}

function readRefund({ id, refund: reference, state: status, total }: Fields = {}): Standing | undefined {
  return readStanding({ id, reference, status, money: readTotal(total) });
}

/** A report is taken whole or not at all. */
export function readSettlement(text: string): SettlementReport | undefined {
  const { id: batchId, closed: closedAt, rows } = readAnswer(text)?.batch ?? {};
  const lines = readEvery(rows, readLine);
  return isText(batchId) && isTime(closedAt) && lines ? { batchId, closedAt, lines } : undefined;
}

/** `[line, state, order, order or refund, total, fee]` */
function readLine(row: unknown): SettlementLine | undefined {
  if (!Array.isArray(row) || row.length !== 6) return undefined;
  const [lineId, state, paymentReference, reference, total, fee] = row as unknown[];
  const money = readTotal(total);
  return readSettlementLine({ lineId, kind: lineKind(state), reference, paymentReference, money, fee: readTotal(fee) });
}

export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { code, batches, more } = readObject(text) ?? {};
  const batchIds = readEvery(batches, textOrNothing);
  return code === '00' && batchIds && typeof more === 'boolean' ? { batchIds, hasMore: more } : undefined;
}
