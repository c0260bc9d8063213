import type {
  AuthorizeRequest,
  RefundRequest,
  SettlementLine,
  SettlementReport,
  StoredInstrument,
} from '../../../domain/connector';
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

export type Asset = Extract<StoredInstrument, { kind: 'crypto' }>['asset'];

/** Decimals of each asset, and how wallets are asked for it: BIP 21, and EIP-681 for what lives on Ethereum. */
const ASSETS: Record<Asset, { decimals: number; scheme: string }> = {
  BTC: { decimals: 8, scheme: 'bitcoin:' },
  ETH: { decimals: 18, scheme: 'ethereum:' },
  USDT: { decimals: 6, scheme: 'ethereum:' },
};

/** A payment as processor H describes it: an invoice. Its money is the price. */
export interface InvoiceWire extends Standing {
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

const entryKind = meanings<SettlementLine['kind']>({
  credit: 'capture',
  return: 'refund',
  clawback: 'chargeback',
  clawback_reversal: 'chargeback_reversal',
});

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
export function readInvoice(fields: Fields = {}): InvoiceWire | undefined {
  const { id, merchant_ref: reference, status } = fields;
  const invoice = readStanding({ id, reference, status, money: readAmount(fields.price) });
  return (
    invoice && {
      ...invoice,
      received: readAmount(fields.received),
      credited: readAmount(fields.credited),
      quote: readQuote(asObject(fields.quote)),
      confirmations: readConfirmations(asObject(fields.confirmations)),
      rejection: textOrNothing(fields.reason),
    }
  );
}

function readQuote(fields: Fields | undefined): Quote | undefined {
  if (!fields) return undefined;
  const { asset, asset_amount: assetAmount, rate, address, uri, page, valid_until: validUntil } = fields;
  if (!isAsset(asset) || !isDecimal(assetAmount, ASSETS[asset].decimals) || !isDecimal(rate, 18)) return undefined;
  if (!isText(address) || !isText(uri) || !isPageUrl(page) || !isTime(validUntil)) return undefined;
  // A code that pays somewhere else than what is written beside it must not reach a payer.
  if (!uri.startsWith(ASSETS[asset].scheme) || !uri.includes(address)) return undefined;
  return { asset, assetAmount, rate, address, uri, page, validUntil };
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

export function readReturn({ id, merchant_ref: reference, status, amount }: Fields = {}): Standing | undefined {
  return readStanding({ id, reference, status, money: readAmount(amount) });
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readPayout(text: string): SettlementReport | undefined {
  const { id: batchId, closed_at: closedAt, entries } = asObject(readObject(text)?.payout) ?? {};
  const lines = readEvery(entries, readEntry);
  return isText(batchId) && isTime(closedAt) && lines ? { batchId, closedAt, lines } : undefined;
}

function readEntry(value: unknown): SettlementLine | undefined {
  const { id, kind, merchant_ref, invoice_ref, amount, fee } = asObject(value) ?? {};
  return readSettlementLine({
    lineId: id,
    kind: entryKind(kind),
    reference: merchant_ref,
    paymentReference: invoice_ref,
    money: readAmount(amount),
    fee: readAmount(fee),
  });
}

/** A page of the list of payouts; undefined when it cannot be read. */
export function readPayouts(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { payouts, next } = readObject(text) ?? {};
  const batchIds = readEvery(payouts, textOrNothing);
  // `next` is null on the last page.
  return batchIds && (next === null || isText(next)) ? { batchIds, hasMore: next !== null } : undefined;
}

/** `{amount, currency}`; undefined when it is none. */
export function readAmount(value: unknown): Money | undefined {
  const { amount, currency } = asObject(value) ?? {};
  return readMoney(amount, currency);
}
