import { type Answer, api } from '../server/api';

export const RULES = '/routing/1.0.0/rules';

export type Rule = Answer<typeof RULES>['rules'][number];
export type Kind = NonNullable<Rule['kinds']>[number];
export type Risk = NonNullable<Rule['risk']>[number];
export type Processor = Rule['processors'][number];

const KIND_ORDER: Record<Kind, number> = {
  card: 0,
  wallet: 1,
  upi: 2,
  qr: 3,
  apm: 4,
  bank_transfer: 5,
  direct_debit: 6,
  crypto: 7,
  hosted_page: 8,
};
const RISK_ORDER: Record<Risk, number> = { standard: 0, elevated: 1, high: 2 };
const PROCESSOR_ORDER: Record<Processor, number> = {
  a: 0,
  b: 1,
  c: 2,
  d: 3,
  e: 4,
  f: 5,
  g: 6,
  h: 7,
  stripe: 8,
  bank: 9,
};

/** Everything that a rule may name, in the order of its record: the compiler misses none. */
export const KINDS = Object.keys(KIND_ORDER) as Kind[];
export const RISKS = Object.keys(RISK_ORDER) as Risk[];
export const PROCESSORS = Object.keys(PROCESSOR_ORDER) as Processor[];

/** Somebody else has changed the rules since this page read them. */
export class ChangedMeanwhile extends Error {}

/**
 * Puts rules in the place of those that the page shows. The API takes the whole list, so nothing is sent when somebody
 * else has changed it: throws ChangedMeanwhile. It is safe to repeat after a lost answer.
 */
export async function replaceRules(shown: readonly Rule[], wanted: readonly Rule[]): Promise<Answer<typeof RULES>> {
  const now = await api.get(RULES);
  if (same(now.rules, wanted)) return now;
  if (!same(now.rules, shown)) throw new ChangedMeanwhile();
  return api.put(RULES, { body: { rules: [...wanted] } });
}

const same = (one: readonly Rule[], other: readonly Rule[]) => textOf(one) === textOf(other);

/** The same text for the same rules, whatever order their members have. */
function textOf(rules: readonly Rule[]): string {
  return JSON.stringify(rules.map((rule) => Object.entries(rule).sort(([one], [other]) => (one < other ? -1 : 1))));
}
