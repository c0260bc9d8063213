import { presentApproval } from '../../commerce/approvals/present';
import type { Approvals, Outcome } from '../../commerce/approvals/service';
import { cursorOf } from '../../commerce/approvals/waiting';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type ApprovalQuery,
  approvalQuery,
  approvalSchema,
  type DecisionsBody,
  decisionsBody,
  decisionsSchema,
} from './schema';

const BASE = '/approvals/1.0.0/approvals';

/** One list of everything that waits for a tenant admin. */
export function approvalRoutes({ approvals }: { approvals: Approvals }): Route[] {
  const common = { area: 'Approvals', roles: ['tenant_admin'] as const };
  return [
    route<unknown, ApprovalQuery>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'Everything that waits for a decision, what has waited longest first',
      description:
        'Items, payment links, documents of customers, customers under verification or whose verified data has changed, and accounts for ' +
        'payouts.',
      query: approvalQuery,
      responses: { 200: { description: 'A page of approvals', schema: listOf(approvalSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await approvals.list(ctx.tenantId, ctx.query), ctx.query.limit, cursorOf);
        return { status: 200, body: { ...page, data: page.data.map(presentApproval) } };
      },
    }),
    route<DecisionsBody>({
      ...common,
      method: 'POST',
      path: `${BASE}/decisions`,
      summary: 'Decide about up to 200 of them at once',
      description:
        'Each is decided for itself, by the rules of its kind: what you created yourself you cannot approve, and a link ' +
        'that needs two people stays `pending_approval` after the first. One that cannot be decided does not stop the ' +
        'others. You cannot reject a customer or an account here.',
      body: decisionsBody,
      idempotent: true,
      responses: { 200: { description: 'What became of each', schema: decisionsSchema } },
      handler: async (ctx) => {
        const { approvalIds, ...decision } = ctx.body;
        const admin = { tenantId: ctx.tenantId, by: actorOf(ctx) };
        const outcomes = await approvals.decideAll(admin, approvalIds, decision);
        return { status: 200, body: { data: outcomes.map(presentOutcome) } };
      },
    }),
  ];
}

function presentOutcome(outcome: Outcome) {
  if (!('error' in outcome)) return outcome;
  const { code, message } = outcome.error;
  return { approvalId: outcome.approvalId, error: { code, message } };
}
