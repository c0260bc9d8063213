import { DomainError, notFound } from '../../domain/errors';
import type { ActivationDecision } from '../../domain/states/activation';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Organizations } from '../../people/identity/organizations';
import type { ActivationRow } from '../../people/onboarding/activation';
import type { Activation, ActivationService } from '../../people/onboarding/activation-service';
import { presentFile } from '../records/file';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import {
  type ActivationBody,
  type ActivationParams,
  type ActivationQuery,
  activationBody,
  activationLineSchema,
  activationParams,
  activationQuery,
  activationSchema,
  approveBody,
  type DecisionBody,
  rejectBody,
} from './activation-schema';
import { ONBOARDING, onboarderOf, requireWholeOrganization, tenantOfMerchant } from './merchant-routes';

const ACTIVATIONS = `${ONBOARDING}/activations`;
export const ACTIVATION = `${ACTIVATIONS}/{activationId}`;

export interface ActivationDependencies {
  activations: ActivationService;
  organizations: Organizations;
  outbound: Pick<OutboundGuard, 'refusal'>;
}

type One = RequestContext<unknown, unknown, ActivationParams>;

/** Merchants apply to go live; operators decide. */
export function activationRoutes({ activations, organizations, outbound }: ActivationDependencies): Route[] {
  const common = { area: 'Onboarding', roles: ['merchant', 'tenant_admin', 'ops'] as const };

  const tenantOf = (ctx: One) => tenantOfActivation(activations, ctx);
  const decide = async (ctx: One, decision: ActivationDecision, reason?: string): Promise<Answer> => {
    const tenantId = await tenantOf(ctx);
    const decided = await activations.decide(tenantId, ctx.params.activationId, { decision, reason }, onboarderOf(ctx));
    return { status: decided.row.status === decision ? 200 : 202, body: present(decided) };
  };
  const decided = {
    ...common,
    method: 'POST' as const,
    params: activationParams,
    idempotent: true,
    responses: {
      200: { description: 'Decided', schema: activationSchema },
      202: { description: 'Decided; it takes effect shortly', schema: activationSchema },
    },
  };

  return [
    route<ActivationBody>({
      ...common,
      method: 'POST',
      path: ACTIVATIONS,
      roles: ['merchant', 'tenant_admin'],
      summary: 'Apply to go live',
      description:
        'Send what the merchant declares and the documents. We check ourselves that the business data are complete, ' +
        'the password is set, the callback has answered, a sandbox payment was captured and documents are named ' +
        '(`checks`). Then operators approve or reject the application. After a rejection the merchant may apply ' +
        'again.',
      body: activationBody,
      idempotent: true,
      responses: { 201: { description: 'The application', schema: activationSchema } },
      handler: async (ctx) => {
        const { checklist, documents = [], organizationId: named, ...rest } = ctx.body;
        const organizationId = named ?? ctx.organizationIdIfAny;
        if (!organizationId) invalid('organizationId', 'is required');
        if (ctx.principal.organizationId && ctx.principal.organizationId !== organizationId) throw notFound('merchant');
        requireWholeOrganization(ctx);
        const tenantId = await tenantOfMerchant(organizations, ctx, organizationId);
        const refusal = rest.callbackUrl && outbound.refusal(rest.callbackUrl);
        if (refusal) invalid('callbackUrl', refusal);
        const activation = await activations.submit(
          { id: ctx.resourceId('activation'), declared: checklist, documents, ...rest },
          { tenantId, organizationId, ...onboarderOf(ctx) },
        );
        return { status: 201, body: present(activation) };
      },
    }),
    route<unknown, ActivationQuery>({
      ...common,
      method: 'GET',
      path: ACTIVATIONS,
      summary: 'Applications to go live',
      query: activationQuery,
      responses: { 200: { description: 'Newest first', schema: listOf(activationLineSchema) } },
      handler: async (ctx) => {
        const { limit, cursor: before, status, organizationId: wanted } = ctx.query;
        const own = ctx.organizationIdIfAny;
        const place = { tenantId: ctx.tenantIdIfAny, organizationId: own ?? wanted };
        const isForeign = own !== undefined && wanted !== undefined && own !== wanted;
        const rows = isForeign ? [] : await activations.list({ limit, before, status, ...place });
        const page = pageOf(rows, limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(line) } };
      },
    }),
    route<unknown, unknown, ActivationParams>({
      ...common,
      method: 'GET',
      path: ACTIVATION,
      summary: 'One application',
      params: activationParams,
      responses: { 200: { description: 'The application', schema: activationSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: present(await activations.find(await tenantOf(ctx), ctx.params.activationId)),
      }),
    }),
    route<DecisionBody, unknown, ActivationParams>({
      ...decided,
      path: `${ACTIVATION}/approve`,
      roles: ['ops'],
      summary: 'Approve an application: the merchant goes live',
      description: 'The answer is 409 if one of `checks` is not done and you give no `reason`.',
      body: approveBody,
      optionalBody: true,
      handler: (ctx) => decide(ctx, 'approved', ctx.body.reason),
    }),
    route<DecisionBody, unknown, ActivationParams>({
      ...decided,
      path: `${ACTIVATION}/reject`,
      roles: ['ops'],
      summary: 'Reject an application',
      body: rejectBody,
      handler: (ctx) => decide(ctx, 'rejected', ctx.body.reason),
    }),
    route<unknown, unknown, ActivationParams>({
      ...decided,
      path: `${ACTIVATION}/withdraw`,
      roles: ['merchant', 'tenant_admin'],
      summary: 'Withdraw an application',
      handler: (ctx) => decide(ctx, 'withdrawn'),
    }),
  ];
}

/** The tenant of an application. Throws `not_found` if the caller may not see the application. */
export async function tenantOfActivation(activations: ActivationService, ctx: One): Promise<string> {
  const { activationId } = ctx.params;
  const tenantId = ctx.tenantIdIfAny ?? (await activations.tenantOf(activationId));
  const { row } = await activations.find(tenantId, activationId);
  const own = ctx.organizationIdIfAny;
  if (own && own !== row.organization_id) throw notFound('activation');
  return tenantId;
}

function line(row: ActivationRow): Record<string, unknown> {
  return {
    activationId: row.id,
    tenantId: row.tenant_id,
    organizationId: row.organization_id,
    number: row.number,
    status: row.status,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    ...(row.decision && { decision: row.decision, decidedBy: row.decided_by, decidedAt: row.decided_at }),
    ...(row.reason && { reason: row.reason }),
  };
}

/** An application as the API shows it. */
export function present({ row, checks, files }: Activation): Record<string, unknown> {
  return {
    ...line(row),
    checks,
    checklist: row.declared,
    documents: row.documents.map((document, index) => {
      const file = files.find(({ activation_document }) => activation_document === index + 1);
      return { documentNumber: index + 1, ...document, ...(file && { file: presentFile(file) }) };
    }),
    ...(row.callback_url && { callbackUrl: row.callback_url }),
  };
}

function invalid(field: string, message: string): never {
  throw new DomainError('invalid_request', `${field} ${message}`, { details: [{ field, message }] });
}
