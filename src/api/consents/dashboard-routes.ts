import type { ConsentScope, Consents } from '../../open-banking/consents/service';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, type Paging, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { presentAccess, presentConsent, presentWhole } from './present';
import {
  accessRecord,
  type ConsentParams,
  type ConsentQuery,
  consentParams,
  consentQuery,
  pageQuery,
  type RevokeBody,
  revokeBody,
  shownConsent,
  wholeConsent,
} from './schema';

const BASE = '/consents/1.0.0/consents';
const ONE = `${BASE}/{consentId}`;

export interface DashboardDependencies {
  consents: Consents;
}

/** What customers have allowed third parties: for the customer, and for the people of its bank. */
export function consentDashboardRoutes({ consents }: DashboardDependencies): Route[] {
  const common = { area: 'Consents', identity: 'tenantId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
  const one = { params: consentParams };
  const whole = { description: 'The consent', schema: wholeConsent };
  const shown = async (ctx: Context, consentId: string) => {
    const found = await consents.find(scopeOf(ctx), consentId);
    return { status: 200, body: presentWhole(found, consents.authenticateBy(found.consent)) };
  };

  return [
    route<unknown, ConsentQuery>({
      ...reading,
      path: BASE,
      summary: 'List consents, newest first',
      description:
        'A customer sees its own. Consents are made by third parties: see `POST /open-banking/2.0.0/consent`.',
      query: consentQuery,
      responses: { 200: { description: 'A page of consents', schema: listOf(shownConsent) } },
      handler: async (ctx) => {
        const page = pageOf(await consents.list(scopeOf(ctx), ctx.query), ctx.query.limit, ({ id }) => id);
        const data = page.data.map((row) => presentConsent(row, consents.authenticateBy(row)));
        return { status: 200, body: { ...page, data } };
      },
    }),
    route<unknown, unknown, ConsentParams>({
      ...reading,
      ...one,
      path: ONE,
      summary: 'One consent, with its accounts and its history',
      responses: { 200: whole },
      handler: (ctx) => shown(ctx, ctx.params.consentId),
    }),
    route<RevokeBody, unknown, ConsentParams>({
      ...common,
      ...one,
      method: 'POST',
      path: `${ONE}/revoke`,
      roles: ['tenant_admin', 'customer'],
      summary: 'End a consent',
      description:
        'One that is authorised becomes `Revoked`, one that waits `Rejected`. The third party can read nothing with ' +
        'it from now on, and its tokens are gone. 409: it has ended already.',
      body: revokeBody,
      idempotent: true,
      responses: { 200: whole },
      handler: async (ctx) => {
        await consents.revoke(scopeOf(ctx), ctx.params.consentId, ctx.body.reason, actorOf(ctx));
        return shown(ctx, ctx.params.consentId);
      },
    }),
    route<unknown, Paging, ConsentParams>({
      ...reading,
      ...one,
      path: `${ONE}/accesses`,
      summary: 'Who read what under a consent, newest first',
      description: 'Refusals are listed too.',
      query: pageQuery,
      responses: { 200: { description: 'A page of accesses', schema: listOf(accessRecord) } },
      handler: async (ctx) => {
        const rows = await consents.accesses(scopeOf(ctx), ctx.params.consentId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentAccess) } };
      },
    }),
  ];
}

type Context = RequestContext<unknown, unknown, unknown>;

function scopeOf(ctx: Context): ConsentScope {
  const { customerId } = ctx.principal;
  return { tenantId: ctx.tenantId, ...(customerId && { customerId }) };
}
