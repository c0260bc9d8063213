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
  'A customer’s own e-mail address or telephone number has to be verified (422 `alias_not_verified`); an admin ' +
  'vouches for it. 409 `alias_taken` when it is another customer’s.';

/** Customers join, and say what they can be sent money by. */
export function memberRoutes({ membership, transfers }: P2pDependencies): Route[] {
  /** What waited for the customer is paid out with whatever made that possible. */
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
      description: `${VERIFIED} What was sent to the alias before is paid out. One who has joined gets another alias.`,
      params: customerParams,
      body: enrollBody,
      responses: {
        ...answer('Had joined already'),
        201: { description: 'Has joined', schema: memberSchema },
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
      summary: 'How a customer can be sent money',
      params: customerParams,
      responses: answer('404 for one who has not joined'),
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        return { status: 200, body: presentMember(await membership.member(ctx.tenantId, ctx.params.customerId)) };
      },
    }),
    route<PreferencesBody, unknown, CustomerParams>({
      ...common,
      method: 'PUT',
      path: `${MEMBER}/preferences`,
      summary: 'Say whether transfers wait to be accepted',
      params: customerParams,
      body: preferencesBody,
      responses: answer('As it is now; what waits already, waits on'),
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
      responses: { 201: { description: 'With the new one', schema: memberSchema } },
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
      responses: answer('With the new one'),
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
      summary: 'Remove an alias; the customer is still found by its id',
      params: aliasParams,
      responses: answer('Without it'),
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
      description: 'The customer neither sends nor receives; what is held, waits on.',
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
      description: '403 for a customer whom the tenant has suspended.',
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
