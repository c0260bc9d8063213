import { TypeID, typeid } from 'typeid-js';

/** Prefixes of identifiers by kind. Identifiers are opaque and sort by creation (UUIDv7 inside). */
export const ID_PREFIXES = {
  payment: 'pay',
  refund: 'ref',
  topup: 'top',
  receipt: 'rcp',
  intervention: 'itv',
  booksAudit: 'bka',
  unmatchedTransfer: 'utr',
  dispute: 'dsp',
  disputeOperation: 'dop',
  difference: 'dif',
  reconciliationRun: 'rec',
  card: 'crd',
  paymentMethod: 'pm',
  cardVerification: 'cvf',
  beneficiary: 'bnf',
  callback: 'cbk',
  notification: 'ntf',
  notificationEndpoint: 'nte',
  message: 'msg',
  session: 'ses',
  twoFactorSettings: 'tfa',
  mandate: 'mnd',
  capture: 'cap',
  cancellation: 'can',
  request: 'req',
  customer: 'cus',
  document: 'doc',
  file: 'fil',
  tenant: 'ten',
  organization: 'org',
  merchantAccount: 'mac',
  user: 'usr',
  client: 'cli',
  activation: 'act',
  transfer: 'trf',
  moneyRequest: 'mrq',
  transferSchedule: 'tsc',
  alias: 'als',
  paymentLink: 'lnk',
  linkShare: 'lsh',
  ticket: 'tkt',
  linkDelegation: 'ldg',
  item: 'itm',
  order: 'ord',
  stockMovement: 'stm',
  payout: 'pot',
  payoutAccount: 'pac',
  bankAccount: 'bac',
  bankStatement: 'bst',
  bankLine: 'bln',
  bankEntry: 'ben',
  bankReturn: 'btr',
  stepUp: 'stu',
  webSession: 'wse',
  passkey: 'psk',
  tpp: 'tpp',
  consent: 'con',
  domesticPayment: 'obp',
  consentAccess: 'cac',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

export function newId(kind: IdKind): string {
  return typeid(ID_PREFIXES[kind]).toString();
}

/** The identifier of `kind` that carries this UUID: the same at every repeat. */
export function idFromUuid(kind: IdKind, uuid: string): string {
  return TypeID.fromUUID(ID_PREFIXES[kind], uuid).toString();
}

/** A UUIDv7 (RFC 9562): what `idFromUuid` makes of it sorts by the time at which this was made. */
export function newUuid(): string {
  return typeid('').toUUID();
}

/** When a UUIDv7 was made, in milliseconds since the epoch; undefined for anything else. */
export function madeAt(uuid: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(uuid) ?? [];
  return high && low ? Number.parseInt(high + low, 16) : undefined;
}

/** Times that a UUIDv7 can hold, in milliseconds since the epoch. */
const LATEST_MS = 2 ** 48 - 1;

/** The smallest identifier of `kind` that can be made at this time (milliseconds since the epoch): ids sort by their time. */
export function idAt(kind: IdKind, ms: number): string {
  const hex = Math.min(Math.max(Math.trunc(ms), 0), LATEST_MS)
    .toString(16)
    .padStart(12, '0');
  return idFromUuid(kind, `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`);
}
