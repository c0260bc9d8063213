import type { Exemption } from '../../domain/exemption';
import type { RiskLevel } from '../routing/rules';

/** What a request asks of 3-D Secure, and what is asked of the processor. */
export type ThreeDS = 'auto' | 'required' | 'none';

export const REQUIREMENTS = ['always', 'when', 'never'] as const;

/** When the payers of a tenant have to authenticate by 3-D Secure. */
export interface AuthenticationPolicy {
  require: (typeof REQUIREMENTS)[number];
  /** With `when`: for more than this, by currency, in minor units. A currency that is not named is above. */
  above?: { currency: string; amountMinor: bigint }[];
  /** With `when`: for these risks of the organization's business. */
  risk?: RiskLevel[];
  /** With `when`: for payers of these countries (ISO 3166-1 alpha-2), and for those whose country is not known. */
  countries?: string[];
  exemptions: Exemption[];
}

/** What the policy looks at. */
export interface AuthenticatedPayment {
  asked: ThreeDS;
  amountMinor: bigint;
  currency: string;
  country?: string;
  risk: RiskLevel;
  /** The first of a series, which its payer agrees to, or one that the merchant initiates later. */
  series?: 'first' | 'later';
  storesCard: boolean;
}

/** What the policy makes of a request. */
export interface Authentication {
  threeDS: ThreeDS;
  /** Of `low_value`: holds only if the card has not been let off too often. */
  exemption?: Exemption;
}

/** The most that one payment without authentication may be, in euro cents (RTS, article 16, letter a). */
export const LOW_VALUE_MINOR = 3_000n;
/** The most that such payments may be together since the last authentication, in euro cents (letter b). */
export const LOW_VALUES_MINOR = 10_000n;
/** How many of them there may be one after the other (letter c). */
export const LOW_VALUE_USES = 5;

/**
 * Applies the tenant's policy. To ask for more than it requires is always possible; to ask for less only within an
 * exemption that it allows. Pure.
 */
export function authenticationBy(policy: AuthenticationPolicy, payment: AuthenticatedPayment): Authentication {
  const { asked, series } = payment;
  if (policy.require === 'never') return { threeDS: asked === 'required' ? 'required' : 'none' };
  const required = isRequired(policy, payment);
  if (series === 'later' && (required || asked === 'none') && policy.exemptions.includes('merchant_initiated'))
    return { threeDS: 'none', exemption: 'merchant_initiated' };
  if (asked === 'none' && isLowValue(payment) && policy.exemptions.includes('low_value'))
    return { threeDS: 'none', exemption: 'low_value' };
  if (required) return { threeDS: 'required' };
  return { threeDS: asked === 'none' ? 'auto' : asked };
}

/** What holds when a card has been let off too often. */
export function withoutExemption(policy: AuthenticationPolicy, payment: AuthenticatedPayment): Authentication {
  return authenticationBy({ ...policy, exemptions: [] }, payment);
}

function isRequired(policy: AuthenticationPolicy, payment: AuthenticatedPayment): boolean {
  const { amountMinor, currency, country, risk, series } = payment;
  // A series begins with the payer's agreement (RTS, article 14).
  if (policy.require === 'always' || series === 'first') return true;
  const { above, risk: risks, countries } = policy;
  const bound = above?.find((one) => one.currency === currency);
  return (
    (above !== undefined && (bound === undefined || amountMinor > bound.amountMinor)) ||
    (risks?.includes(risk) ?? false) ||
    (countries !== undefined && (country === undefined || countries.includes(country)))
  );
}

/** Only euros are compared: there is no rate to convert by. A card that is kept, or a series, is no single payment. */
function isLowValue({ amountMinor, currency, series, storesCard }: AuthenticatedPayment): boolean {
  return currency === 'EUR' && amountMinor > 0n && amountMinor <= LOW_VALUE_MINOR && !series && !storesCard;
}
