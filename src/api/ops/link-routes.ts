import Joi from 'joi';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import { workflowId } from '../../domain/flows';
import type { Database } from '../../foundation/db/database';
import { linkStatus } from '../records/payment-link';
import { id, instant, listOf, type Paging, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

/** What is due of a link is done within seconds while a worker runs. */
const OVERDUE_MS = 60_000;

interface LinksQuery extends Paging {
  status?: string;
  tenantId?: string;
  organizationId?: string;
  overdue?: boolean;
}
const linksQuery = Joi.object<LinksQuery>({
  ...paging(),
  status: linkStatus(),
  tenantId: Joi.string().max(100),
  organizationId: Joi.string().max(100),
  overdue: Joi.boolean().description('`true`: only those of which something has been due for more than a minute'),
});

const opsLinkSchema = Joi.object({
  linkId: id('paymentLink').required(),
  tenantId: Joi.string().required(),
  organizationId: id('organization').required(),
  workflowId: Joi.string().required().example('payment-link/lnk_01jcxk3v8pe4xaz1w5kq9d2b7m'),
  status: linkStatus().required(),
  statusDetail: Joi.string().required(),
  title: Joi.string().required(),
  expiresAt: instant().required(),
  lookAt: instant().description(
    'When its flow looks at it, at the latest. Absent: nothing will become of it by itself',
  ),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

/** Payment links of every tenant, with where their flows are in the engine. Their addresses are not shown: who has one can pay. */
export function opsLinkRoutes({ database }: { database: Database }): Route[] {
  return [
    route<unknown, LinksQuery>({
      method: 'GET',
      path: '/ops/1.0.0/payment-links',
      area: 'Operations',
      summary: 'Payment links with the ids of their workflows, newest first',
      roles: ['ops'],
      query: linksQuery,
      responses: { 200: { description: 'A page of payment links', schema: listOf(opsLinkSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, status, tenantId, organizationId, overdue } = ctx.query;
        const rows = database
          .ops('payment_links')
          .orderBy('id', 'desc')
          .limit(limit + 1);
        if (cursor) rows.where('id', '<', cursor);
        if (status) rows.where({ status });
        if (tenantId) rows.where({ tenant_id: tenantId });
        if (organizationId) rows.where({ organization_id: organizationId });
        if (overdue) rows.where('look_at', '<', new Date(Date.now() - OVERDUE_MS));
        const page = pageOf<PaymentLinkRow>(await rows, limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentOpsLink) } };
      },
    }),
  ];
}

function presentOpsLink(row: PaymentLinkRow) {
  return {
    linkId: row.id,
    tenantId: row.tenant_id,
    organizationId: row.organization_id,
    workflowId: workflowId.paymentLink(row.id),
    status: row.status,
    statusDetail: row.status_detail,
    title: row.title,
    expiresAt: row.expires_at,
    ...(row.look_at && { lookAt: row.look_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
