import { currencyNumber } from './currency-number';
import { formatAmount, type Money } from './money';

/**
 * QR codes that a merchant shows and a payer's app scans: EMV QR Code Specification for Payment Systems,
 * Merchant-Presented Mode, version 1.1. Data objects are two digits of id, two digits of length in characters, and the
 * value; the last one is the check sum.
 */

/** What the code of one payment says. */
export interface MerchantCode {
  /** Whose merchant it is (template 26, id 00: globally unique identifier), and its id there. */
  account: { guid: string; merchantId: string };
  /** ISO 18245, four digits. */
  categoryCode: string;
  merchantName: string;
  merchantCity: string;
  /** ISO 3166-1 alpha-2 */
  countryCode: string;
  money: Money;
  /** Tells this payment from others of the merchant (template 62, id 05: reference label). */
  reference: string;
}

/** A data object: templates hold further ones, which are read with `readObjects` again. */
export type DataObjects = ReadonlyMap<string, string>;

const ACCOUNT_TEMPLATE = '26';
const CHECK_SUM = '6304';

/** The payload of a code for one payment of a fixed amount. Throws RangeError when a value does not fit the standard. */
export function encodeMerchantCode(code: MerchantCode): string {
  const { money } = code;
  const number = currencyNumber(money.currency);
  if (!number) throw new RangeError(`${money.currency} has no ISO 4217 number`);
  const content = [
    write('00', '01', 2),
    // Good for one payment.
    write('01', '12', 2),
    write(ACCOUNT_TEMPLATE, write('00', code.account.guid, 32) + write('01', code.account.merchantId, 32), 99),
    write('52', code.categoryCode, 4),
    write('53', number, 3),
    write('54', formatAmount(money.amountMinor, money.currency), 13),
    write('58', code.countryCode, 2),
    write('59', code.merchantName, 25),
    write('60', code.merchantCity, 15),
    write('62', write('05', code.reference, 25), 99),
    CHECK_SUM,
  ].join('');
  return content + checkSum(content);
}

/**
 * The data objects of a payload by id, the check sum left out. Undefined when it is no such code: wrong check sum, cut
 * short, an object twice, or not beginning with the payload format.
 */
export function parseMerchantCode(payload: string): DataObjects | undefined {
  const content = payload.slice(0, -4);
  if (!content.endsWith(CHECK_SUM) || checkSum(content) !== payload.slice(-4).toUpperCase()) return undefined;
  const objects = readObjects(content.slice(0, -CHECK_SUM.length));
  return objects?.get('00') === '01' && objects.keys().next().value === '00' ? objects : undefined;
}

/** The data objects of a payload or of a template's value; undefined when it is cut short or has one twice. */
export function readObjects(text: string): DataObjects | undefined {
  const objects = new Map<string, string>();
  // Lengths count characters, which need not be single units of UTF-16.
  const characters = [...text];
  for (let at = 0; at < characters.length; ) {
    const head = characters.slice(at, at + 4).join('');
    if (!/^[0-9]{4}$/.test(head)) return undefined;
    const [id, length] = [head.slice(0, 2), Number(head.slice(2))];
    const value = characters.slice(at + 4, at + 4 + length);
    if (length === 0 || value.length !== length || objects.has(id)) return undefined;
    objects.set(id, value.join(''));
    at += 4 + length;
  }
  return objects;
}

/** CRC-16 of ISO/IEC 13239 with polynomial 0x1021 and initial value 0xFFFF over the UTF-8 bytes, in hexadecimal. */
export function checkSum(content: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(content)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function write(id: string, value: string, longest: number): string {
  const { length } = [...value];
  if (length === 0 || length > longest) throw new RangeError(`data object ${id} takes 1 to ${longest} characters`);
  return `${id}${length.toString().padStart(2, '0')}${value}`;
}
