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
  iban: iban().description('Of a wallet, or of an account elsewhere'),
}).xor('alias', 'customerId', 'iban');

const beneficiaryParams = Joi.object<BeneficiaryParams>({
  customerId: Joi.string().max(100).required(),
  beneficiaryId: Joi.string().max(100).required(),
});

export interface BeneficiaryDependencies {
  beneficiaries: Beneficiaries;
  identity: Pick<CustomerIdentity, 'secondFactor'>;
}

/** The recipients a customer has saved. */
export function beneficiaryRoutes({ beneficiaries, identity }: BeneficiaryDependencies): Route[] {
  const common = { ...acting, area: 'Wallets' };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
  const asked = `A customer gives the second factor where \`trading\` is on: ${TWO_FACTOR_TEXT}`;

  return [
    route<BeneficiaryBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: PATH,
      summary: 'Save a recipient',
      description:
        'By alias, customer or IBAN. The same recipient again answers 200 and what is there. Whether it can be sent money ' +
        `shows when some is sent. ${asked}`,
      params: customerParams,
      body: beneficiaryBody,
      idempotent: true,
      responses: {
        200: { description: 'Was there already', schema: beneficiarySchema },
        201: { description: 'Saved', schema: beneficiarySchema },
      },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading');
        const recipient = recipientOf(ctx.body);
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
      responses: { 200: { description: 'A page of them', schema: listOf(beneficiarySchema) } },
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
      description: `Another recipient is another beneficiary. ${asked}`,
      params: beneficiaryParams,
      body: nameBody,
      responses: { 200: { description: 'Renamed', schema: beneficiarySchema } },
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
      summary: 'Remove a saved recipient; standing orders to it go on',
      description: asked,
      params: beneficiaryParams,
      responses: {
        200: {
          description: 'Removed',
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
