import type {
  AuthorizeRequest,
  RefundRequest,
  SettlementLine,
  SettlementReport,
  StoredInstrument,
} from '../../../domain/connector';
import type { Money } from '../../../domain/money';
import { amountFields, asObject, type Fields, isText, isTime, readMoney } from '../reading';

export type Asset = Extract<StoredInstrument, { kind: 'crypto' }>['asset'];

/** Decimals of each asset, and how wallets are asked for it: BIP 21, and EIP-681 for what lives on Ethereum. */
const ASSETS: Record<Asset, { decimals: number; scheme: string }> = {
  BTC: { decimals: 8, scheme: 'bitcoin:' },
  ETH: { decimals: 18, scheme: 'ethereum:' },
  USDT: { decimals: 6, scheme: 'ethereum:' },
};

/** A payment as processor H describes it: an invoice. */
export interface InvoiceWire {
  id: string;
  reference: string;
  status: string;
  price: Money;
  /** All that has arrived, at the rate of the quote. Absent while nothing has. */
  received?: Money;
  /** What of it is the merchant's. Absent until it is. */
  credited?: Money;
  quote?: Quote;
  confirmations?: Confirmations;
  rejection?: string;
}

/** What the payer still has to send, and where. Asset amount and rate hold until the quote ends. */
export interface Quote {
  asset: Asset;
  /** Decimal, with no more decimals than the asset has. */
  assetAmount: string;
  /** What one whole asset costs in the currency of the invoice, decimal. */
  rate: string;
  address: string;
  uri: string;
  page: string;
  /** RFC 3339 UTC */
  validUntil: string;
}

export interface Confirmations {
  seen: number;
  needed: number;
  /** When the processor expects the last, RFC 3339 UTC. */
  expectedBy?: string;
}

/** A refund as processor H describes it: a return. */
export interface ReturnWire {
  id: string;
  reference: string;
  status: string;
  money: Money;
}

const ENTRY_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['credit', 'capture'],
  ['return', 'refund'],
  ['clawback', 'chargeback'],
  ['clawback_reversal', 'chargeback_reversal'],
]);

/** Body of `POST /api/invoices`; undefined for an instrument that is no crypto asset. */
export function invoiceBody({ idempotencyKey, reference, money, instrument, ...request }: AuthorizeRequest) {
  if (instrument.kind !== 'crypto') return undefined;
  return {
    request_id: idempotencyKey,
    merchant_ref: reference,
    price: amountFields(money),
    asset: instrument.asset,
    payer_email: request.payer?.email,
    return_url: request.returnUrl,
    memo: request.descriptor,
  };
}

/** Body of `POST /api/invoices/<reference>/returns`. */
export function returnBody({ idempotencyKey, refundReference, money }: RefundRequest) {
  return { request_id: idempotencyKey, merchant_ref: refundReference, amount: amountFields(money) };
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readInvoice(fields: Fields | undefined): InvoiceWire | undefined {
  if (!fields) return undefined;
  const { id, merchant_ref: reference, status, reason } = fields;
  const price = readAmount(fields.price);
  if (!isText(id) || !isText(reference) || !isText(status) || !price) return undefined;
  return {
    id,
    reference,
    status,
    price,
    received: readAmount(fields.received),
    credited: readAmount(fields.credited),
    quote: readQuote(asObject(fields.quote)),
    confirmations: readConfirmations(asObject(fields.confirmations)),
    rejection: isText(reason) ? reason : undefined,
  };
}

function readQuote(fields: Fields | undefined): Quote | undefined {
  if (!fields) return undefined;
  const { asset, asset_amount: assetAmount, rate, address, uri, page, valid_until: validUntil } = fields;
  if (!isAsset(asset) || !isDecimal(assetAmount, ASSETS[asset].decimals) || !isDecimal(rate, 18)) return undefined;
  if (!isText(address) || !isText(uri) || !isText(page) || !isTime(validUntil)) return undefined;
  // A code that pays somewhere else than what is written beside it must not reach a payer.
  if (!uri.startsWith(ASSETS[asset].scheme) || !uri.includes(address)) return undefined;
  return /^https?:\/\//.test(page) ? { asset, assetAmount, rate, address, uri, page, validUntil } : undefined;
}

function isAsset(value: unknown): value is Asset {
  return typeof value === 'string' && Object.hasOwn(ASSETS, value);
}

function isDecimal(value: unknown, decimals: number): value is string {
  if (typeof value !== 'string' || !/^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/.test(value)) return false;
  return (value.split('.')[1] ?? '').length <= decimals;
}

export function readConfirmations(fields: Fields | undefined): Confirmations | undefined {
  const { seen, needed, expected_by: expectedBy } = fields ?? {};
  if (!isCount(seen) || !isCount(needed)) return undefined;
  return { seen, needed, expectedBy: isTime(expectedBy) ? expectedBy : undefined };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function readReturn(fields: Fields | undefined): ReturnWire | undefined {
  if (!fields) return undefined;
  const { id, merchant_ref: reference, status } = fields;
  const money = readAmount(fields.amount);
  return isText(id) && isText(reference) && isText(status) && money ? { id, reference, status, money } : undefined;
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readPayout(fields: Fields | undefined): SettlementReport | undefined {
  if (!fields) return undefined;
  const { id, closed_at: closedAt, entries } = fields;
  if (!isText(id) || !isTime(closedAt) || !Array.isArray(entries)) return undefined;
  const lines = entries.map((entry) => readEntry(asObject(entry)));
  return lines.every((line) => line !== undefined) ? { batchId: id, closedAt, lines } : undefined;
}

function readEntry(fields: Fields | undefined): SettlementLine | undefined {
  if (!fields) return undefined;
  const { id: lineId, kind: word, merchant_ref: reference, invoice_ref: paymentReference } = fields;
  const kind = isText(word) ? ENTRY_KINDS.get(word) : undefined;
  const [money, fee] = [readAmount(fields.amount), readAmount(fields.fee)];
  if (!kind || !money || fee?.currency !== money.currency) return undefined;
  if (!isText(lineId) || !isText(reference) || !isText(paymentReference)) return undefined;
  return { lineId, kind, reference, paymentReference, money, feeMinor: fee.amountMinor };
}

/** A page of the list of payouts; undefined when it cannot be read. */
export function readPayouts(fields: Fields | undefined): { batchIds: string[]; hasMore: boolean } | undefined {
  const { payouts, next } = fields ?? {};
  if (!Array.isArray(payouts) || !payouts.every(isText)) return undefined;
  // `next` is null on the last page.
  return next === null || isText(next) ? { batchIds: payouts, hasMore: next !== null } : undefined;
}

/** `{amount, currency}`; undefined when it is none. */
export function readAmount(value: unknown): Money | undefined {
  const { amount, currency } = asObject(value) ?? {};
  return readMoney(amount, currency);
}
