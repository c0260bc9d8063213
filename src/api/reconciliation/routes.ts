import type { ReconciliationService } from '../../money/reconciliation/service';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { presentDifference, presentRun } from './present';
import {
  type DifferenceListQuery,
  differenceListQuery,
  differenceParams,
  differenceSchema,
  type ResolveBody,
  type RunBody,
  type RunListQuery,
  resolveBody,
  runBody,
  runListQuery,
  runParams,
  runSchema,
} from './schema';

const BASE = '/reconciliation/1.0.0';

/** Reconciliation: runs, the differences that they found, and the decision about each difference. */
export function reconciliationRoutes({ reconciliation }: { reconciliation: ReconciliationService }): Route[] {
  const common = { area: 'Reconciliation', roles: ['ops'] as const };
  return [
    route<unknown, RunListQuery>({
      ...common,
      method: 'GET',
      path: `${BASE}/runs`,
      summary: 'Reconciliation runs, newest first',
      query: runListQuery,
      responses: { 200: { description: 'A page of runs', schema: listOf(runSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await reconciliation.runs(ctx.query), ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentRun) } };
      },
    }),
    route<unknown, unknown, { runId: string }>({
      ...common,
      method: 'GET',
      path: `${BASE}/runs/{runId}`,
      summary: 'One reconciliation run with its counts',
      params: runParams,
      responses: { 200: { description: 'The run', schema: runSchema } },
      handler: async (ctx) => ({ status: 200, body: presentRun(await reconciliation.run(ctx.params.runId)) }),
    }),
    route<RunBody>({
      ...common,
      method: 'POST',
      path: `${BASE}/runs`,
      summary: 'Reconcile with a processor now',
      body: runBody,
      idempotent: true,
      responses: { 202: { description: 'The run has started', schema: runSchema } },
      handler: async (ctx) => {
        const run = await reconciliation.start({
          ...ctx.body,
          runId: ctx.resourceId('reconciliationRun'),
          startedBy: ctx.principal.clientId,
        });
        return { status: 202, body: presentRun(run) };
      },
    }),
    route<unknown, DifferenceListQuery>({
      ...common,
      roles: ['tenant_admin', 'ops'],
      method: 'GET',
      path: `${BASE}/differences`,
      summary: 'Differences, newest first. Tenant admins see those of their tenant',
      query: differenceListQuery,
      responses: { 200: { description: 'A page of differences', schema: listOf(differenceSchema) } },
      handler: async (ctx) => {
        const tenantId = ctx.principal.role === 'ops' ? undefined : ctx.tenantId;
        const page = pageOf(await reconciliation.differences(tenantId, ctx.query), ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentDifference) } };
      },
    }),
    route<ResolveBody, unknown, { differenceId: string }>({
      ...common,
      method: 'POST',
      path: `${BASE}/differences/{differenceId}/resolve`,
      summary: 'Resolve a difference, and book its adjustment',
      description:
        '`book` accepts the report and leaves the money in suspense. `write_off` makes the tenant bear the ' +
        'difference. `provider_corrects` keeps it as a claim on the processor. The answer is 409 if the difference ' +
        'is already closed.',
      params: differenceParams,
      body: resolveBody,
      idempotent: true,
      responses: { 200: { description: 'The difference is resolved', schema: differenceSchema } },
      handler: async (ctx) => {
        const resolved = await reconciliation.resolve({
          ...ctx.body,
          differenceId: ctx.params.differenceId,
          operator: ctx.principal.clientId,
          source: ctx.source,
        });
        return { status: 200, body: presentDifference(resolved) };
      },
    }),
  ];
}
