import type { Knex } from 'knex';
import type { PaymentKind, ProcessorId } from '../../domain/connector';

/** A payment method of the catalogue. A method is served where its processor has a connector, and refused as not enabled elsewhere. */
export interface CatalogueMethod {
  id: number;
  kind: PaymentKind;
  brand: string;
  name: string;
  /** Letter of the processor that serves it by default. */
  processor: ProcessorId;
  /** ISO 3166-1 alpha-2; empty: every country. */
  countries: string[];
  /** ISO 4217; empty: every currency. */
  currencies: string[];
}

const CARD_BRANDS: [string, string][] = [
  ['VISA', 'Visa'],
  ['MASTERCARD', 'Mastercard'],
  ['AMEX', 'American Express'],
  ['DISCOVER', 'Discover'],
  ['DINERS', 'Diners Club'],
  ['JCB', 'JCB'],
  ['UNIONPAY', 'UnionPay'],
  ['MAESTRO', 'Maestro'],
  ['ELO', 'Elo'],
];

function method(
  id: number,
  kind: PaymentKind,
  processor: ProcessorId,
  brand: string,
  name: string,
  currencies: string[] = [],
): CatalogueMethod {
  return { id, kind, brand, name, processor, countries: [], currencies };
}

const walletIds = (...firsts: number[]) => firsts.flatMap((first) => [first, first + 1, first + 2, first + 3]);

/** Contract, section 3: the numeric segments of the H2H paths. */
export const METHOD_CATALOGUE: readonly CatalogueMethod[] = [
  ...CARD_BRANDS.map(([brand, name], index) => method(index + 1, 'card', 'a', brand, name)),
  method(27, 'apm', 'f', 'APM_REDIRECT', 'Alternative method by redirect'),
  method(30, 'upi', 'f', 'UPI', 'UPI collect request', ['INR']),
  method(31, 'upi', 'f', 'UPI', 'UPI intent or QR', ['INR']),
  method(43, 'apm', 'f', 'APM_VOUCHER', 'Voucher or cash'),
  ...walletIds(44, 52).map((id) => method(id, 'wallet', 'e', 'WALLET_2', 'Wallet token, second kind')),
  ...walletIds(48, 56).map((id) => method(id, 'wallet', 'e', 'WALLET_1', 'Wallet token, first kind')),
  method(60, 'qr', 'f', 'EMV_QR', 'QR code payment'),
  method(61, 'bank_transfer', 'b', 'BANK_TRANSFER', 'Bank transfer'),
  method(62, 'direct_debit', 'e', 'SEPA_DIRECT_DEBIT', 'SEPA direct debit'),
  method(63, 'crypto', 'h', 'CRYPTO', 'Crypto currency'),
  method(64, 'hosted_page', 'c', 'HOSTED_PAGE_C', 'Hosted page of processor C'),
  method(65, 'hosted_page', 'd', 'HOSTED_PAGE_D', 'Hosted page of processor D'),
];

/** Writes the catalogue as it stands above; a tenant's choices (production_methods) are left alone. */
export async function writeCatalogue(system: Knex): Promise<void> {
  await system('payment_methods_catalogue')
    .insert([...METHOD_CATALOGUE])
    .onConflict('id')
    .merge();
}
