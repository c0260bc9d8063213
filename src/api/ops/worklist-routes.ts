import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { ASKS, WORK_KINDS, type WorkRow } from '../../edge/worklist/work';
import { cursorOf, listWork, SOURCES, type WorkFilter } from '../../edge/worklist/worklist';
import type { Database } from '../../foundation/db/database';
import { currency, instant, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

const kind = () => Joi.string().valid(...WORK_KINDS);

const workSchema = Joi.object({
  kind: kind().required(),
  objectId: Joi.string().required().description('What it is about. Of what is counted, such as messages, its group'),
  tenantId: Joi.string(),
  organizationId: Joi.string(),
  amount: Joi.string().example('10.00'),
  currency: currency(),
  since: instant().required(),
  why: Joi.string().required().description('Why it needs a person'),
  whatToDo: Joi.string().required(),
  workflowId: Joi.string().example('payment/pay_01jcxk3v8pe4xaz1w5kq9d2b7m').description('Its flow in the engine'),
  acts: Joi.array()
    .items(
      Joi.object({
        act: Joi.string().required().example('ask_again'),
        path: Joi.string().required().description('To `POST` to').example('/ops/1.0.0/interventions'),
        body: Joi.object().pattern(Joi.string(), Joi.string()).description('What the body has already'),
        asks: Joi.array()
          .items(Joi.string().valid(...ASKS))
          .required()
          .description('What the body needs besides'),
        outcomes: Joi.array().items(Joi.string()).description('What `outcome` can be'),
      }),
    )
    .required()
    .description('What can be done about it here'),
});

/** One list of everything that needs a person. */
export function worklistRoutes({ database }: { database: Database }): Route[] {
  return [
    route<unknown, WorkFilter>({
      method: 'GET',
      path: '/ops/1.0.0/worklist',
      area: 'Operations',
      summary: 'What needs a person, of all tenants; what has waited longest first',
      description:
        'Each entry says why it waits, what to do, and which acts are possible: each is a `POST` of its `path` with its ' +
        '`body` and what it `asks` for.',
      roles: ['ops'],
      query: Joi.object<WorkFilter>({
        ...paging(),
        kind: kind(),
        tenantId: Joi.string().max(100),
        organizationId: Joi.string().max(100),
      }),
      responses: { 200: { description: 'A page of what waits', schema: listOf(workSchema) } },
      handler: async (ctx) => {
        // The headers narrow, as everywhere.
        const { tenantId = ctx.tenantIdIfAny, organizationId = ctx.organizationIdIfAny, ...rest } = ctx.query;
        const rows = await listWork(database.ops, { ...rest, tenantId, organizationId });
        const page = pageOf(rows, rest.limit, cursorOf);
        return { status: 200, body: { ...page, data: page.data.map(presentWork) } };
      },
    }),
  ];
}

function presentWork(row: WorkRow): Record<string, unknown> {
  const source = SOURCES[row.kind];
  const workflowId = source.workflow(row);
  return {
    kind: row.kind,
    objectId: source.objectId?.(row) ?? row.id,
    ...(row.tenant_id && { tenantId: row.tenant_id }),
    ...(row.organization_id && { organizationId: row.organization_id }),
    ...(row.amount_minor !== null &&
      row.currency && { amount: formatAmount(row.amount_minor, row.currency), currency: row.currency }),
    since: row.since,
    why: source.why(row),
    whatToDo: source.whatToDo(row),
    ...(workflowId && { workflowId }),
    acts: source.acts(row),
  };
}
