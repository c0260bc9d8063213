import type { PaymentKind, ProcessorId } from '../../domain/connector';

export const RISK_LEVELS = ['standard', 'elevated', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/**
 * One routing rule. It fits a payment that fits every condition it has; a condition that is absent always fits.
 * The first rule that fits decides.
 */
export interface RoutingRule {
  name: string;
  /** Ids of the method catalogue. */
  methods?: number[];
  kinds?: PaymentKind[];
  /** ISO 3166-1 alpha-2, of the payer. */
  countries?: string[];
  currencies?: string[];
  /** Minor units of the one currency in `currencies`. */
  minAmountMinor?: bigint;
  maxAmountMinor?: bigint;
  risk?: RiskLevel[];
  /** In this order; a later one only after every earlier one has charged nothing for certain. */
  processors: ProcessorId[];
}

/** What a rule looks at. */
export interface RoutedPayment {
  methodId: number;
  kind: PaymentKind;
  country?: string;
  currency: string;
  amountMinor: bigint;
  risk: RiskLevel;
}

/** Which processors may serve a payment, in order, and in words why. */
export interface RouteChoice {
  processors: ProcessorId[];
  reason: string;
}

/** Countries of the Iberian processor (contract, section 4). */
const IBERIA = ['ES', 'PT'];

/** What holds for every tenant after its own rules. */
const STANDARD_RULES: readonly RoutingRule[] = [
  { name: 'local methods of Iberia', kinds: ['apm'], countries: IBERIA, processors: ['b'] },
];

/**
 * Chooses by the tenant's rules, then by the standard ones, then by the method catalogue. Processors that do not serve
 * the payment's kind (`serves`) are left out; a rule that leaves none does not fit.
 */
export function chooseRoute(
  payment: RoutedPayment,
  rules: readonly RoutingRule[],
  catalogueProcessor: ProcessorId,
  serves: (processor: ProcessorId, kind: PaymentKind) => boolean,
): RouteChoice {
  for (const rule of [...rules, ...STANDARD_RULES]) {
    if (!fits(rule, payment)) continue;
    const processors = rule.processors.filter((processor) => serves(processor, payment.kind));
    if (processors.length > 0) return { processors, reason: `rule "${rule.name}"` };
  }
  return { processors: [catalogueProcessor], reason: `the catalogue's choice for method ${payment.methodId}` };
}

function fits(rule: RoutingRule, payment: RoutedPayment): boolean {
  const among = <T>(allowed: readonly T[] | undefined, value: T | undefined) =>
    allowed === undefined || (value !== undefined && allowed.includes(value));
  return (
    among(rule.methods, payment.methodId) &&
    among(rule.kinds, payment.kind) &&
    among(rule.countries, payment.country) &&
    among(rule.currencies, payment.currency) &&
    among(rule.risk, payment.risk) &&
    (rule.minAmountMinor === undefined || payment.amountMinor >= rule.minAmountMinor) &&
    (rule.maxAmountMinor === undefined || payment.amountMinor <= rule.maxAmountMinor)
  );
}
