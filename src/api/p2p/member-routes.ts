import { parseAlias } from '../../domain/alias';
import type { Member } from '../../money/p2p/membership';
import { memberSchema, presentMember } from '../records/member';
import { actingOf, common } from '../server/acting';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import { BASE, posting, reading } from './acting';
import type { P2pDependencies } from './dependencies';
import {
  type AliasBody,
  type AliasParams,
  aliasBody,
  aliasParams,
  type EnrollBody,
  enrollBody,
  type PreferencesBody,
  preferencesBody,
  type ReasonBody,
  reasonBody,
} from './schema';

const MEMBER = `${BASE}/customers/{customerId}`;
const VERIFIED =
  'Customers must verify their e-mail address or telephone number first (422 `alias_not_verified`). A tenant admin can ' +
  'use one that is not verified. The answer is 409 `alias_taken` if another customer has the alias.';

/** Customers join transfers and choose the aliases by which others can send them money. */
export function memberRoutes({ membership, transfers }: P2pDependencies): Route[] {
  /** Pays out the transfers that waited for the customer. Every route that may make this possible calls it. */
  async function welcomed(tenantId: string, member: Member): Promise<Record<string, unknown>> {
    await transfers.welcome(tenantId, member.row.customer_id);
    return presentMember(member);
  }
  const answer = (description: string) => ({ 200: { description, schema: memberSchema } });

  return [
    route<EnrollBody, unknown, CustomerParams>({
      ...posting,
      path: `${MEMBER}/enroll`,
      summary: 'Join transfers with an alias',
      description: `${VERIFIED} We pay out transfers that were sent to the alias before. Customers who have joined already get a further alias.`,
      params: customerParams,
      body: enrollBody,
      responses: {
        ...answer('The customer had already joined'),
        201: { description: 'The customer has joined', schema: memberSchema },
      },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const order = { alias: parseAlias(ctx.body.alias)!, acceptEach: ctx.body.acceptEach };
        const { member, isNew } = await membership.enroll(ctx.tenantId, customerId, order, actingOf(ctx));
        return { status: isNew ? 201 : 200, body: await welcomed(ctx.tenantId, member) };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: MEMBER,
      summary: 'The aliases and settings of a customer for transfers',
      params: customerParams,
      responses: answer('The membership. The answer is 404 if the customer has not joined'),
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        return { status: 200, body: presentMember(await membership.member(ctx.tenantId, ctx.params.customerId)) };
      },
    }),
    route<PreferencesBody, unknown, CustomerParams>({
      ...common,
      method: 'PUT',
      path: `${MEMBER}/preferences`,
      summary: 'Set whether the customer accepts each transfer',
      params: customerParams,
      body: preferencesBody,
      responses: answer('The new setting. Transfers that already wait still wait'),
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const member = await membership.setPreferences(ctx.tenantId, customerId, ctx.body, actingOf(ctx));
        return { status: 200, body: presentMember(member) };
      },
    }),
    route<AliasBody, unknown, CustomerParams>({
      ...posting,
      path: `${MEMBER}/aliases`,
      summary: 'Add an alias',
      description: VERIFIED,
      params: customerParams,
      body: aliasBody,
      responses: { 201: { description: 'The membership with the new alias', schema: memberSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const member = await membership.addAlias(ctx.tenantId, customerId, parseAlias(ctx.body.alias)!, actingOf(ctx));
        return { status: 201, body: await welcomed(ctx.tenantId, member) };
      },
    }),
    route<AliasBody, unknown, AliasParams>({
      ...common,
      method: 'PUT',
      path: `${MEMBER}/aliases/{aliasId}`,
      summary: 'Change an alias',
      description: VERIFIED,
      params: aliasParams,
      body: aliasBody,
      responses: answer('The membership with the new alias'),
      handler: async (ctx) => {
        const { customerId, aliasId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const alias = parseAlias(ctx.body.alias)!;
        const member = await membership.changeAlias(ctx.tenantId, customerId, aliasId, alias, actingOf(ctx));
        return { status: 200, body: await welcomed(ctx.tenantId, member) };
      },
    }),
    route<unknown, unknown, AliasParams>({
      ...common,
      method: 'DELETE',
      path: `${MEMBER}/aliases/{aliasId}`,
      summary: 'Remove an alias. Others can still send money to the customer’s id',
      params: aliasParams,
      responses: answer('The membership without the alias'),
      handler: async (ctx) => {
        const { customerId, aliasId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const member = await membership.removeAlias(ctx.tenantId, customerId, aliasId, actingOf(ctx));
        return { status: 200, body: presentMember(member) };
      },
    }),
    route<ReasonBody, unknown, CustomerParams>({
      ...posting,
      path: `${MEMBER}/suspend`,
      summary: 'Suspend the transfers of a customer',
      description: 'The customer can neither send nor receive. Held transfers stay held.',
      params: customerParams,
      body: reasonBody,
      optionalBody: true,
      responses: answer('Suspended'),
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const member = await membership.suspend(ctx.tenantId, customerId, ctx.body.reason, actingOf(ctx));
        return { status: 200, body: presentMember(member) };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...posting,
      path: `${MEMBER}/resume`,
      summary: 'Resume the transfers of a customer',
      description: 'The answer is 403 to a customer whom the tenant has suspended.',
      params: customerParams,
      responses: answer('Active'),
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const member = await membership.resume(ctx.tenantId, customerId, actingOf(ctx));
        return { status: 200, body: await welcomed(ctx.tenantId, member) };
      },
    }),
  ];
}
