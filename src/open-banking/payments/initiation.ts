import { exponentOf, isCurrency, MAX_MINOR, type Money } from '../../domain/money';
import type { Act } from '../../people/customer-access/step-ups';
import type { ConsentRow } from '../consents/consent';
import { refuseByStandard } from '../obie-error';

/** An account as the standard names it (OBCashAccount). */
export interface NamedAccount {
  SchemeName: string;
  Identification: string;
  Name?: string;
  SecondaryIdentification?: string;
}

/** What is to be paid (OBDomestic2). Members that mean nothing here are kept and compared, not read. */
export interface Initiation {
  InstructionIdentification: string;
  /** Required of a payment that is made at once. */
  EndToEndIdentification?: string;
  /** Of a scheduled payment: when it is to be made. */
  RequestedExecutionDateTime?: string;
  LocalInstrument?: string;
  InstructedAmount: { Amount: string; Currency: string };
  DebtorAccount?: NamedAccount;
  CreditorAccount: NamedAccount & { Name: string };
  RemittanceInformation?: { Unstructured?: string; Reference?: string };
  [more: string]: unknown;
}

/** The body of a request for a consent to pay (OBWriteDomesticConsent4), and the record of that consent. */
export interface PaymentRecord {
  Data: {
    Initiation: Initiation;
    /** Of a scheduled payment. */
    Permission?: 'Create';
    ReadRefundAccount?: 'Yes' | 'No';
    Authorisation?: { AuthorisationType: 'Any' | 'Single'; CompletionDateTime?: string };
    SCASupportData?: Record<string, unknown>;
  };
  Risk: Record<string, unknown>;
}

export const INITIATION_PATH = 'Data.Initiation';

/** A payment that is made at once (OBDomestic2), or when it is due (OBDomesticScheduled2). */
export type PaymentKind = 'domestic' | 'scheduled';

export function kindOf({ Data }: PaymentRecord): PaymentKind {
  return Data.Permission ? 'scheduled' : 'domestic';
}

/** What a consent to pay says. */
export function recordOf({ record }: Pick<ConsentRow, 'record'>): PaymentRecord {
  return record as unknown as PaymentRecord;
}

/**
 * The amount in minor units. The standard lets an amount have up to five decimals whatever its currency: those beyond the
 * currency's own must be zeros. Throws `ObieError` for any other, for nothing, and for an unknown currency.
 */
export function moneyOf({ InstructedAmount: { Amount, Currency } }: Initiation): Money {
  const path = `${INITIATION_PATH}.InstructedAmount`;
  if (!isCurrency(Currency)) refuseByStandard('UK.OBIE.Field.Invalid', 'This is no currency', `${path}.Currency`);
  const exponent = exponentOf(Currency);
  const [, whole, decimals = ''] = /^(\d{1,13})(?:\.(\d{1,5}))?$/.exec(Amount) ?? [];
  const amountMinor = whole ? BigInt(whole + decimals.slice(0, exponent).padEnd(exponent, '0')) : 0n;
  if (amountMinor === 0n || amountMinor > MAX_MINOR || /[1-9]/.test(decimals.slice(exponent)))
    refuseByStandard('UK.OBIE.Field.Invalid', `This is no amount of ${Currency} that can be paid`, `${path}.Amount`);
  return { amountMinor, currency: Currency };
}

/**
 * What the customer confirms before this is paid: amount and payee, and nothing but these (RTS, article 5). The page asks
 * about exactly this act, and the payment uses exactly this confirmation up.
 */
export function actOf(consent: Pick<ConsentRow, 'tenant_id' | 'record'>, customerId: string): Act {
  const { Initiation: initiation } = recordOf(consent).Data;
  const { Identification: id, Name: name } = initiation.CreditorAccount;
  return {
    tenantId: consent.tenant_id,
    customerId,
    purpose: 'bank_payment',
    ...moneyOf(initiation),
    payee: { id, name },
  };
}

/** Whether the third party is told the account that pays, to pay back to. The customer reads so before the confirmation. */
export function sharesRefundAccount({ Data }: PaymentRecord): boolean {
  return Data.ReadRefundAccount === 'Yes';
}

/** What the payee reads about the payment. */
export function noteOf({ RemittanceInformation: info }: Initiation): string | undefined {
  return info?.Unstructured ?? info?.Reference;
}

/** The path of the first member in which two JSON values differ; undefined where they are equal. */
export function differenceOf(one: unknown, other: unknown, path: string): string | undefined {
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other))
    return Object.is(one, other) ? undefined : path;
  // Sorted: the database keeps members in an order of its own.
  for (const name of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()) {
    const own = (value: Record<string, unknown>) => (Object.hasOwn(value, name) ? value[name] : undefined);
    const difference = differenceOf(own(one), own(other), `${path}.${name}`);
    if (difference) return difference;
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
