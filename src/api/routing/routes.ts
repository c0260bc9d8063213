import Joi from 'joi';
import { PAYMENT_KINDS, type PaymentKind, PROCESSORS, type ProcessorId } from '../../domain/connector';
import { DomainError, type FieldError, notFound } from '../../domain/errors';
import { formatAmount, parseAmount } from '../../domain/money';
import type { PaymentRouter } from '../../money/routing/router';
import { RISK_LEVELS, type RiskLevel, type RoutingRule } from '../../money/routing/rules';
import { amount, country, currency, methodId, nameText } from '../server/conventions';
import { type Route, route } from '../server/route';

interface RuleBody {
  name?: string;
  methods?: number[];
  kinds?: PaymentKind[];
  countries?: string[];
  currencies?: string[];
  minAmount?: string;
  maxAmount?: string;
  risk?: RiskLevel[];
  processors: ProcessorId[];
}

interface RulesBody {
  rules: RuleBody[];
}

interface RiskBody {
  risk: RiskLevel;
}

const riskSchema = Joi.object<RiskBody>({
  risk: Joi.string()
    .valid(...RISK_LEVELS)
    .required(),
});

const list = (item: Joi.Schema) => Joi.array().items(item).min(1).max(300).unique();

const ruleSchema = Joi.object<RuleBody>({
  name: nameText(100).min(1).description('Name of the rule in the timeline of the payments that it routes'),
  methods: list(methodId()).description('Ids of the method catalogue'),
  kinds: list(Joi.string().valid(...PAYMENT_KINDS)),
  countries: list(country()).description('Country of the payer, ISO 3166-1 alpha-2'),
  currencies: list(currency()),
  minAmount: amount({ zero: true }).description('In the only currency of `currencies`'),
  maxAmount: amount(),
  risk: list(Joi.string().valid(...RISK_LEVELS)).description('Risk of the organization’s business'),
  processors: list(Joi.string().valid(...PROCESSORS))
    .required()
    .description(
      'We try them in this order. We try the next one only if it is certain that the earlier ones charged nothing',
    ),
});

const rulesSchema = Joi.object<RulesBody>({
  rules: Joi.array().items(ruleSchema).max(200).required().description('The first rule that fits is used'),
});

/** The rules that choose the processor of a tenant's payments. */
export function routingRoutes({ router }: { router: PaymentRouter }): Route[] {
  const common = { path: '/routing/1.0.0/rules', area: 'Routing', identity: 'tenantId' as const };
  const answer = (rules: readonly RoutingRule[]) => ({ status: 200, body: { rules: rules.map(present) } });
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The routing rules of the tenant, in their order',
      roles: ['tenant_admin', 'ops'],
      responses: { 200: { description: 'The rules', schema: rulesSchema } },
      handler: async (ctx) => answer(await router.rulesOf(ctx.tenantId)),
    }),
    route<RulesBody>({
      ...common,
      method: 'PUT',
      summary: 'Replace the routing rules of the tenant',
      description:
        'The list replaces all rules. If no rule fits a payment, the payment goes to the processor of its method in ' +
        'the catalogue. Alternative methods of payers in Spain and Portugal go to processor B. The rules apply to ' +
        'payments that we accept from now on.',
      roles: ['tenant_admin', 'ops'],
      body: rulesSchema,
      responses: { 200: { description: 'The current rules', schema: rulesSchema } },
      handler: async (ctx) => {
        const rules = readRules(ctx.body.rules, (processor, kind) => router.serves(processor, kind));
        await router.replace(ctx.tenantId, rules, ctx.principal.clientId);
        return answer(rules);
      },
    }),
    route<RiskBody, unknown, { organizationId: string }>({
      method: 'PUT',
      path: '/routing/1.0.0/organizations/{organizationId}/risk',
      area: 'Routing',
      identity: 'tenantId',
      summary: 'Set the risk of an organization’s business, for use in routing rules',
      roles: ['tenant_admin', 'ops'],
      params: Joi.object({ organizationId: Joi.string().max(64).required() }),
      body: riskSchema,
      responses: { 200: { description: 'The current risk', schema: riskSchema } },
      handler: async (ctx) => {
        const { organizationId } = ctx.params;
        const known = await router.setRisk(ctx.tenantId, organizationId, ctx.body.risk, ctx.principal.clientId);
        if (!known) throw notFound('organization');
        return { status: 200, body: ctx.body };
      },
    }),
  ];
}

/** The rules in the form of the router. Throws `invalid_request` that names every rule that could never apply. */
function readRules(
  bodies: readonly RuleBody[],
  serves: (processor: ProcessorId, kind: PaymentKind) => boolean,
): RoutingRule[] {
  const details: FieldError[] = [];
  const rules = bodies.map((body, index) => readRule(body, index, serves, details));
  if (details.length > 0) throw new DomainError('invalid_request', `${details.length} fields are invalid`, { details });
  return rules;
}

function readRule(
  { minAmount, maxAmount, ...rest }: RuleBody,
  index: number,
  serves: (processor: ProcessorId, kind: PaymentKind) => boolean,
  details: FieldError[],
): RoutingRule {
  const minor = (field: 'minAmount' | 'maxAmount', text: string | undefined) => {
    const [code, ...others] = rest.currencies ?? [];
    if (text === undefined) return undefined;
    try {
      if (code !== undefined && others.length === 0) return parseAmount(text, code);
      details.push({ field: `rules[${index}].${field}`, message: 'needs exactly one currency in `currencies`' });
    } catch (error) {
      details.push({ field: `rules[${index}].${field}`, message: (error as Error).message });
    }
    return undefined;
  };
  const kinds = rest.kinds ?? PAYMENT_KINDS;
  for (const [place, processor] of rest.processors.entries())
    if (!kinds.some((kind) => serves(processor, kind)))
      details.push({
        field: `rules[${index}].processors[${place}]`,
        message: 'serves none of the payment kinds of this rule',
      });
  return {
    ...rest,
    name: rest.name ?? `rule ${index + 1}`,
    minAmountMinor: minor('minAmount', minAmount),
    maxAmountMinor: minor('maxAmount', maxAmount),
  };
}

function present({ minAmountMinor, maxAmountMinor, ...rule }: RoutingRule): RuleBody {
  const code = rule.currencies?.[0] ?? '';
  return {
    ...rule,
    ...(minAmountMinor === undefined ? {} : { minAmount: formatAmount(minAmountMinor, code) }),
    ...(maxAmountMinor === undefined ? {} : { maxAmount: formatAmount(maxAmountMinor, code) }),
  };
}
