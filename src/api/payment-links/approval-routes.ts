import Joi from 'joi';
import type { Approver, Decision } from '../../commerce/payment-links/approvals';
import { delegate, listDelegations, revokeDelegation } from '../../commerce/payment-links/approvals';
import { presentDelegation, presentLinkSettings, presentPaymentLink } from '../../commerce/payment-links/present';
import type { PaymentLinks } from '../../commerce/payment-links/service';
import { readLinkSettings, writeLinkSettings } from '../../commerce/payment-links/settings';
import { parseAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { paymentLinkSchema } from '../records/payment-link';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { type Answer, type Route, route } from '../server/route';
import {
  approvalBody,
  type DelegationBody,
  delegationBody,
  delegationParams,
  delegationSchema,
  type PaymentLinkParams,
  paymentLinkParams,
  rejectionBody,
  type SettingsBody,
  settingsBody,
  settingsSchema,
} from './schema';
import { scopeOf } from './scope';

const BASE = '/payment-links/1.0.0';
const HOUR = 3_600_000;

/** Who approves payment links, and what the tenant has settled about it. */
export function paymentLinkApprovalRoutes({
  paymentLinks,
  database,
}: {
  paymentLinks: PaymentLinks;
  database: Database;
}): Route[] {
  const admin = { area: 'Payment links', roles: ['tenant_admin'] as const };
  const deciding = {
    area: 'Payment links',
    // A merchant's user or client needs a delegation.
    roles: ['tenant_admin', 'merchant'] as const,
    method: 'POST' as const,
    params: paymentLinkParams,
    idempotent: true,
    responses: { 200: { description: 'The payment link', schema: paymentLinkSchema } },
  };
  const decide = async (
    ctx: RequestContext<unknown, unknown, PaymentLinkParams>,
    decision: Decision,
  ): Promise<Answer> => {
    const { linkId } = ctx.params;
    await paymentLinks.decide(approverOf(ctx), linkId, decision);
    const { link, decisions } = await paymentLinks.find(scopeOf(ctx), linkId);
    return { status: 200, body: presentPaymentLink(link, paymentLinks.urlOf(link), decisions) };
  };

  return [
    route<{ reason?: string }, unknown, PaymentLinkParams>({
      ...deciding,
      path: `${BASE}/links/{linkId}/approve`,
      summary: 'Approve a payment link',
      description:
        'For a tenant admin, or somebody to whom one has delegated it; never for who created the link. With ' +
        '`approval.needed` 2 the link is active after the second approval. The answer is 409 if nothing waits for an ' +
        'approval, or if the caller has decided already.',
      body: approvalBody,
      optionalBody: true,
      handler: (ctx) => decide(ctx, { decision: 'approve', reason: ctx.body?.reason }),
    }),
    route<{ reason: string }, unknown, PaymentLinkParams>({
      ...deciding,
      path: `${BASE}/links/{linkId}/reject`,
      summary: 'Reject a payment link',
      body: rejectionBody,
      handler: (ctx) => decide(ctx, { decision: 'reject', reason: ctx.body.reason }),
    }),
    route({
      ...admin,
      method: 'GET',
      path: `${BASE}/settings`,
      summary: 'How the tenant approves payment links',
      responses: { 200: { description: 'The settings', schema: settingsSchema } },
      handler: async ({ tenantId }) => {
        const settings = await database.tenant(tenantId, (trx) => readLinkSettings(trx, tenantId));
        return { status: 200, body: presentLinkSettings(settings) };
      },
    }),
    route<SettingsBody>({
      ...admin,
      method: 'PUT',
      path: `${BASE}/settings`,
      summary: 'Set how the tenant approves payment links',
      description: 'This holds for links that are created from now on.',
      body: settingsBody,
      responses: { 200: { description: 'The settings', schema: settingsSchema } },
      handler: async (ctx) => {
        const { approvalRequired, fourEyes, requestTtlHours, remindAfterHours } = ctx.body;
        const settings = {
          approvalRequired,
          fourEyes: Object.fromEntries(
            fourEyes.map(({ currency, amount }) => [currency, parseAmount(amount, currency)]),
          ),
          requestTtlMs: requestTtlHours * HOUR,
          remindAfterMs: remindAfterHours * HOUR,
        };
        const written = await writeLinkSettings(database, ctx.tenantId, settings, actorOf(ctx));
        return { status: 200, body: presentLinkSettings(written) };
      },
    }),
    route({
      ...admin,
      method: 'GET',
      path: `${BASE}/delegations`,
      summary: 'Who may approve payment links in the place of an admin',
      responses: {
        200: {
          description: 'The delegations that hold now',
          schema: Joi.object({ data: Joi.array().items(delegationSchema).required() }),
        },
      },
      handler: async ({ tenantId }) => ({
        status: 200,
        body: { data: (await listDelegations(database, tenantId)).map(presentDelegation) },
      }),
    }),
    route<DelegationBody>({
      ...admin,
      method: 'POST',
      path: `${BASE}/delegations`,
      summary: 'Let somebody approve payment links in your place',
      body: delegationBody,
      idempotent: true,
      responses: { 201: { description: 'The delegation', schema: delegationSchema } },
      handler: async (ctx) => {
        const { to, currency, most, endsAt } = ctx.body;
        const delegation = { to, currency, mostMinor: parseAmount(most, currency), endsAt: new Date(endsAt) };
        const row = await delegate(database, ctx.tenantId, delegation, actorOf(ctx));
        return { status: 201, body: presentDelegation(row) };
      },
    }),
    route<unknown, unknown, { delegationId: string }>({
      ...admin,
      method: 'DELETE',
      path: `${BASE}/delegations/{delegationId}`,
      summary: 'End a delegation',
      params: delegationParams,
      responses: { 204: { description: 'It holds no more' } },
      handler: async (ctx) => {
        await revokeDelegation(database, ctx.tenantId, ctx.params.delegationId, actorOf(ctx));
        return { status: 204, body: undefined };
      },
    }),
  ];
}

function approverOf(ctx: RequestContext<unknown, unknown, unknown>): Approver {
  return {
    ...scopeOf(ctx),
    isAdmin: ctx.principal.role === 'tenant_admin',
    by: actorOf(ctx),
  };
}
