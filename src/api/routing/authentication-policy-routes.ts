import Joi from 'joi';
import { EXEMPTIONS } from '../../domain/exemption';
import { formatAmount, parseAmount } from '../../domain/money';
import type { AuthenticationPolicies } from '../../money/authentication/policies';
import { type AuthenticationPolicy, REQUIREMENTS } from '../../money/authentication/policy';
import { RISK_LEVELS } from '../../money/routing/rules';
import { actorOf } from '../server/actor';
import { amount, country, currency, say } from '../server/conventions';
import { type Route, route } from '../server/route';

type PolicyBody = Omit<AuthenticationPolicy, 'above'> & { above?: { currency: string; amount: string }[] };

interface PolicyAnswer {
  policy?: PolicyBody;
}

const list = (item: Joi.Schema) => Joi.array().items(item).min(1).max(300).unique();

/** Conditions are for `when` alone. */
const OF_WHEN = { is: 'when', otherwise: Joi.forbidden() };

const conditions = {
  above: Joi.array()
    .items(Joi.object({ currency: currency().required(), amount: amount({ zero: true }).required() }))
    .min(1)
    .max(200)
    .unique('currency')
    .when('require', OF_WHEN)
    .description('For more than this amount. For a currency that is not listed: for every amount'),
  risk: list(Joi.string().valid(...RISK_LEVELS))
    .when('require', OF_WHEN)
    .description('For these risks of the organization’s business'),
  countries: list(country())
    .when('require', OF_WHEN)
    .description('For payers of these countries, and for payers whose country is not known'),
};

const policySchema = Joi.object<PolicyBody>({
  require: Joi.string()
    .valid(...REQUIREMENTS)
    .required()
    .description('`when`: when one of `above`, `risk` and `countries` fits'),
  ...conditions,
  exemptions: Joi.array()
    .items(Joi.string().valid(...EXEMPTIONS))
    .unique()
    .default([])
    .description(
      'When payers need not authenticate although the policy requires it: `low_value` (RTS article 16) where the ' +
        'request asks for none, `merchant_initiated` for later payments of a series',
    ),
}).custom((policy: PolicyBody, helpers) =>
  policy.require !== 'when' || policy.above || policy.risk || policy.countries
    ? policy
    : say(helpers, 'needs one of above, risk, countries'),
);

const answerSchema = Joi.object<PolicyAnswer>({
  policy: policySchema.description('If absent, each request decides for itself'),
});

/** When the payers of a tenant have to authenticate by 3-D Secure. */
export function authenticationPolicyRoutes({ authentication }: { authentication: AuthenticationPolicies }): Route[] {
  const common = { path: '/routing/1.0.0/authentication-policy', area: 'Routing', identity: 'tenantId' as const };
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The tenant’s policy on 3-D Secure',
      roles: ['tenant_admin', 'ops'],
      responses: { 200: { description: 'The policy', schema: answerSchema } },
      handler: async (ctx) => {
        const policy = await authentication.of(ctx.tenantId);
        return { status: 200, body: policy ? { policy: present(policy) } : {} };
      },
    }),
    route<PolicyAnswer>({
      ...common,
      method: 'PUT',
      summary: 'Set the tenant’s policy on 3-D Secure, or none',
      description:
        'The policy decides for card payments, top-ups and card checks that we accept from now on, whatever `threeDS` ' +
        'they ask for. A request may ask for more than the policy; it gets `threeDS: none` only within an exemption of ' +
        'the policy. The payment and its attempts show the exemption. Without `policy`, each request decides.',
      roles: ['tenant_admin'],
      body: answerSchema,
      responses: { 200: { description: 'The current policy', schema: answerSchema } },
      handler: async (ctx) => {
        const { policy } = ctx.body;
        await authentication.replace(ctx.tenantId, actorOf(ctx), policy && readPolicy(policy));
        return { status: 200, body: ctx.body };
      },
    }),
  ];
}

function readPolicy({ above, ...rest }: PolicyBody): AuthenticationPolicy {
  const minor = above?.map((one) => ({ currency: one.currency, amountMinor: parseAmount(one.amount, one.currency) }));
  return { ...rest, ...(minor && { above: minor }) };
}

function present({ above, ...rest }: AuthenticationPolicy): PolicyBody {
  const shown = above?.map((one) => ({ currency: one.currency, amount: formatAmount(one.amountMinor, one.currency) }));
  return { ...rest, ...(shown && { above: shown }) };
}
