import Joi from 'joi';
import type { Database } from '../../foundation/db/database';
import type { DisputeOperationRow, DisputeRow } from '../../money/disputes/dispute';
import { presentDispute } from '../../money/disputes/present';
import type { DisputeService } from '../../money/disputes/service';
import type { PaymentScope } from '../../money/payments/visible';
import { disputeSchema } from '../records/dispute';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { presentDisputeEvent, presentWhole } from './present';
import {
  type DisputeListQuery,
  type DisputeParams,
  disputeEventSchema,
  disputeListQuery,
  disputeParams,
  type EvidenceBody,
  evidenceBody,
} from './schema';

const BASE = '/disputes/1.0.0/disputes';

export interface DisputeDependencies {
  disputes: DisputeService;
  database: Database;
}

/** Disputes: list, timeline, evidence, second presentment, acceptance. */
export function disputeRoutes({ disputes, database }: DisputeDependencies): Route[] {
  const common = {
    area: 'Disputes',
    roles: ['merchant', 'tenant_admin', 'ops'] as const,
    identity: 'organizationId' as const,
  };
  const acting = {
    ...common,
    method: 'POST' as const,
    roles: ['merchant', 'tenant_admin'] as const,
    params: disputeParams,
    idempotent: true,
  };
  const responses = (done: 200 | 201) => ({
    [done]: { description: 'The processor has accepted the request', schema: disputeSchema },
    202: { description: 'The processor has not answered yet', schema: disputeSchema },
  });
  const shown = async (dispute: DisputeRow) => presentWhole(dispute, await disputes.details(dispute));
  const answer = async (
    done: 200 | 201,
    { dispute, operation }: { dispute: DisputeRow; operation: DisputeOperationRow },
  ): Promise<Answer> => ({ status: operation.status === 'pending' ? 202 : done, body: await shown(dispute) });
  const page = (rows: DisputeRow[], limit: number): Answer => {
    const { data, nextCursor } = pageOf(rows, limit, (row) => row.id);
    return { status: 200, body: { data: data.map(presentDispute), nextCursor } };
  };

  return [
    route<unknown, DisputeListQuery>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'List disputes, newest first',
      query: disputeListQuery,
      responses: { 200: { description: 'A page of disputes', schema: listOf(disputeSchema) } },
      handler: async (ctx) => page(await disputes.list(scopeOf(ctx), ctx.query), ctx.query.limit),
    }),
    route<unknown, unknown, DisputeParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{disputeId}`,
      summary: 'One dispute, with its evidence',
      params: disputeParams,
      responses: { 200: { description: 'The dispute', schema: disputeSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: await shown(await disputes.byId(scopeOf(ctx), ctx.params.disputeId)),
      }),
    }),
    route<unknown, unknown, DisputeParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{disputeId}/events`,
      summary: 'The timeline of a dispute: every step with its cause, time and amount',
      params: disputeParams,
      responses: { 200: { description: 'Oldest first', schema: listOf(disputeEventSchema) } },
      handler: async (ctx) => {
        const dispute = await disputes.byId(scopeOf(ctx), ctx.params.disputeId);
        const events = await database.tenant(ctx.tenantId, (trx) =>
          trx('dispute_events').where({ dispute_id: dispute.id }).orderBy('id'),
        );
        const data = events.map((event) => presentDisputeEvent(event, dispute.currency));
        return { status: 200, body: { data, nextCursor: null } };
      },
    }),
    route<EvidenceBody, unknown, DisputeParams>({
      ...acting,
      path: `${BASE}/{disputeId}/evidence`,
      summary: 'Submit evidence',
      description:
        'We store the evidence encrypted and send it to the processor; a repeat of the request does not send it ' +
        'twice. You can send more evidence until `evidenceDueAt`. The answer is 409 if the status of the dispute ' +
        'does not allow evidence or the processor refuses it, and 422 `disputes_not_supported` if the processor ' +
        'takes no evidence through the API.',
      body: evidenceBody,
      responses: responses(201),
      handler: async (ctx) => {
        const { text, documents = [] } = ctx.body;
        const evidence = {
          text,
          documents: documents.map((document) => ({ ...document, content: Buffer.from(document.content, 'base64') })),
        };
        const { disputeId } = ctx.params;
        const id = ctx.resourceId('disputeOperation');
        return answer(201, await disputes.submitEvidence(scopeOf(ctx), disputeId, id, actorOf(ctx), evidence));
      },
    }),
    route<unknown, unknown, DisputeParams>({
      ...acting,
      path: `${BASE}/{disputeId}/accept`,
      summary: 'Accept a dispute: you give up, and the dispute is lost',
      body: Joi.object({}),
      optionalBody: true,
      responses: responses(200),
      handler: async (ctx) => {
        const id = ctx.resourceId('disputeOperation');
        return answer(200, await disputes.accept(scopeOf(ctx), ctx.params.disputeId, id, actorOf(ctx)));
      },
    }),
    route<unknown, unknown, DisputeParams>({
      ...acting,
      path: `${BASE}/{disputeId}/second-presentment`,
      summary: 'Second presentment: charge the payer’s bank again, based on the evidence',
      description:
        'If the processor accepts it, the money comes back until the dispute is decided. You can do this once per ' +
        'dispute, after you have submitted evidence.',
      body: Joi.object({}),
      optionalBody: true,
      responses: responses(200),
      handler: async (ctx) => {
        const id = ctx.resourceId('disputeOperation');
        return answer(200, await disputes.present(scopeOf(ctx), ctx.params.disputeId, id, actorOf(ctx)));
      },
    }),
    route<unknown, DisputeListQuery>({
      method: 'GET',
      path: '/ops/1.0.0/disputes',
      area: 'Operations',
      summary: 'Disputes of all tenants, newest first. `status=flagged` selects disputes that do not fit their payment',
      roles: ['ops'],
      query: disputeListQuery,
      responses: { 200: { description: 'A page of disputes', schema: listOf(disputeSchema) } },
      handler: async (ctx) => page(await disputes.listAll(ctx.query), ctx.query.limit),
    }),
  ];
}

function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): PaymentScope {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId, terminalId: ctx.principal.terminalId };
}
