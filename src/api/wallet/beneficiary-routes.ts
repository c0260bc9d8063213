import Joi from 'joi';
import { ALIAS_FORM, parseAlias } from '../../domain/alias';
import type { Beneficiaries } from '../../money/beneficiaries/beneficiaries';
import type { SavedRecipient } from '../../money/beneficiaries/beneficiary';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { beneficiarySchema, name, presentBeneficiary } from '../records/beneficiary';
import { common as acting, actingOf, requireCustomer } from '../server/acting';
import { id, listOf, pageOf, say } from '../server/conventions';
import { iban } from '../server/iban';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams, type PageQuery, pageQuery } from '../server/params';
import { type Route, route } from '../server/route';
import { TWO_FACTOR_TEXT } from '../server/second-factor';

const PATH = '/wallet/1.0.0/customers/{customerId}/beneficiaries';
const ONE = `${PATH}/{beneficiaryId}`;

interface NameBody {
  name: string;
}
interface BeneficiaryBody extends NameBody {
  alias?: string;
  customerId?: string;
  iban?: string;
}
interface BeneficiaryParams extends CustomerParams {
  beneficiaryId: string;
}

const nameBody = Joi.object<NameBody>({ name: name() });
const beneficiaryBody = Joi.object<BeneficiaryBody>({
  name: name(),
  alias: Joi.string()
    .max(254)
    .custom((value: string, helpers) => (parseAlias(value) ? value : say(helpers, ALIAS_FORM)))
    .example('@grace'),
  customerId: id('customer').description('A customer of the tenant'),
  iban: iban().description('IBAN of a wallet here or of an account elsewhere'),
}).xor('alias', 'customerId', 'iban');

const beneficiaryParams = Joi.object<BeneficiaryParams>({
  customerId: Joi.string().max(100).required(),
  beneficiaryId: Joi.string().max(100).required(),
});

export interface BeneficiaryDependencies {
  beneficiaries: Beneficiaries;
  identity: Pick<CustomerIdentity, 'secondFactor'>;
}

/** The recipients that a customer has saved. */
export function beneficiaryRoutes({ beneficiaries, identity }: BeneficiaryDependencies): Route[] {
  const common = { ...acting, area: 'Wallets' };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
  const asked = `Customers whose \`trading\` setting is on need the second factor. ${TWO_FACTOR_TEXT}`;

  return [
    route<BeneficiaryBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: PATH,
      summary: 'Save a recipient',
      description:
        'Name the recipient by alias, customer or IBAN. If the recipient is saved already, the answer is 200 with ' +
        `the saved one. We check whether the recipient can get money only when you send some. ${asked}`,
      params: customerParams,
      body: beneficiaryBody,
      idempotent: true,
      responses: {
        200: { description: 'The recipient was already saved', schema: beneficiarySchema },
        201: { description: 'The recipient is saved', schema: beneficiarySchema },
      },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        const recipient = recipientOf(ctx.body);
        const words = `to save ${recipient.value} as a recipient`;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading', words);
        const newId = ctx.resourceId('beneficiary');
        const saved = await beneficiaries.add(ctx.tenantId, customerId, newId, recipient, actingOf(ctx));
        return { status: saved.fresh ? 201 : 200, body: presentBeneficiary(saved.beneficiary) };
      },
    }),
    route<unknown, PageQuery, CustomerParams>({
      ...reading,
      path: PATH,
      summary: 'Saved recipients of a customer, newest first',
      params: customerParams,
      query: pageQuery,
      responses: { 200: { description: 'A page of saved recipients', schema: listOf(beneficiarySchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const found = await beneficiaries.list(ctx.tenantId, ctx.params.customerId, ctx.query);
        const page = pageOf(found, ctx.query.limit, ({ row }) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentBeneficiary) } };
      },
    }),
    route<unknown, unknown, BeneficiaryParams>({
      ...reading,
      path: ONE,
      summary: 'One saved recipient',
      params: beneficiaryParams,
      responses: { 200: { description: 'The recipient', schema: beneficiarySchema } },
      handler: async (ctx) => {
        const { customerId, beneficiaryId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const found = await beneficiaries.find(ctx.tenantId, customerId, beneficiaryId);
        return { status: 200, body: presentBeneficiary(found) };
      },
    }),
    route<NameBody, unknown, BeneficiaryParams>({
      ...common,
      method: 'PUT',
      path: ONE,
      summary: 'Rename a saved recipient',
      description: `You can change only the name. To use another recipient, save a new one. ${asked}`,
      params: beneficiaryParams,
      body: nameBody,
      responses: { 200: { description: 'The recipient is renamed', schema: beneficiarySchema } },
      handler: async (ctx) => {
        const { customerId, beneficiaryId } = ctx.params;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading');
        const { name } = ctx.body;
        const renamed = await beneficiaries.rename(ctx.tenantId, customerId, beneficiaryId, name, actingOf(ctx));
        return { status: 200, body: presentBeneficiary(renamed) };
      },
    }),
    route<unknown, unknown, BeneficiaryParams>({
      ...common,
      method: 'DELETE',
      path: ONE,
      summary: 'Remove a saved recipient. Standing orders to it continue',
      description: asked,
      params: beneficiaryParams,
      responses: {
        200: {
          description: 'The recipient is removed',
          schema: Joi.object({
            beneficiaryId: id('beneficiary').required(),
            deleted: Joi.boolean().required(),
          }),
        },
      },
      handler: async (ctx) => {
        const { customerId, beneficiaryId } = ctx.params;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading');
        await beneficiaries.remove(ctx.tenantId, customerId, beneficiaryId, actingOf(ctx));
        return { status: 200, body: { beneficiaryId, deleted: true } };
      },
    }),
  ];
}

function recipientOf({ name, alias, customerId, iban }: BeneficiaryBody): SavedRecipient {
  if (customerId) return { name, type: 'customer', value: customerId };
  if (iban) return { name, type: 'iban', value: iban };
  return { name, type: 'alias', value: parseAlias(alias!)!.value };
}
