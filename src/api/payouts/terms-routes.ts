import { presentTerms } from '../../commerce/payouts/present';
import { addTerms, termsVersions } from '../../commerce/payouts/terms';
import { parseAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { actorOf } from '../server/actor';
import { listOf, numericCursor, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { type TermsBody, type TermsQuery, termsBody, termsQuery, termsSchema } from './schema';

/** On what terms sellers are paid out. */
export function payoutTermsRoutes({ database }: { database: Database }): Route[] {
  const common = { area: 'Payouts', path: '/payouts/1.0.0/terms' };
  return [
    route<unknown, TermsQuery>({
      ...common,
      method: 'GET',
      summary: 'All versions of all terms, newest first',
      description: 'A merchant sees its own, and those of every seller.',
      roles: ['merchant', 'tenant_admin'],
      query: termsQuery,
      responses: { 200: { description: 'A page of versions', schema: listOf(termsSchema) } },
      handler: async (ctx) => {
        const { cursor, ...filter } = ctx.query;
        const rows = await database.tenant(ctx.tenantId, (trx) =>
          termsVersions(trx, { ...filter, ...(cursor && { cursor: numericCursor(cursor) }) }, ctx.organizationIdIfAny),
        );
        const page = pageOf(rows, filter.limit, ({ id }) => `${id}`);
        return { status: 200, body: { ...page, data: page.data.map(presentTerms) } };
      },
    }),
    route<TermsBody>({
      ...common,
      method: 'PUT',
      summary: 'Set terms from a given time on',
      description:
        'Adds a version. Statements and payouts already made stay. Without any terms, sellers are paid on demand.',
      roles: ['tenant_admin'],
      body: termsBody,
      responses: { 200: { description: 'The version', schema: termsSchema } },
      handler: async (ctx) => {
        const { minimum, effectiveFrom, reserveBasisPoints = 0, reserveDays = 0, ...terms } = ctx.body;
        const row = await database.tenant(ctx.tenantId, (trx) =>
          addTerms(trx, ctx.tenantId, actorOf(ctx), {
            ...terms,
            minimumMinor: minimum ? parseAmount(minimum, terms.currency) : 0n,
            reserveBasisPoints,
            reserveDays,
            ...(effectiveFrom && { effectiveFrom: new Date(effectiveFrom) }),
          }),
        );
        return { status: 200, body: presentTerms(row) };
      },
    }),
  ];
}
