import type { Knex } from 'knex';
import { PROCESSORS } from '../../domain/connector';
import type { PaymentStatus } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import { type Between, madeBetween } from './made-between';
import type { PaymentRow } from './payment';
import { searchesFor } from './payment-search';
import type { PaymentScope } from './visible';

/** Which payments are wanted. What is absent narrows nothing. */
export interface PaymentFilter extends Between {
  limit: number;
  /** The page begins after this payment id. */
  cursor?: string;
  statuses?: readonly PaymentStatus[];
  currency?: string;
  methodIds?: readonly number[];
  linkId?: string;
  orderId?: string;
  customerId?: string;
  /** The last four digits of the card. */
  lastFour?: string;
  /** In minor units, both included. Only with `currency`. */
  amountMinor?: { least?: bigint; most?: bigint };
  /** Any reference: see `searchesFor`. */
  search?: string;
}

/**
 * A page of payments, newest first, and one more where there is one. Each filter has an index that ends with the id. Where
 * a filter allows several values, each value is asked for by itself and no more than a page of it is read: the newest of
 * all of them are the page. Where another filter leads to few payments, that would read these few once for each value: all
 * values are looked for among them at once. `lagMs`: see `madeBetween`.
 */
export async function listPayments(
  database: Database,
  scope: PaymentScope,
  filter: PaymentFilter,
  lagMs: number,
): Promise<PaymentRow[]> {
  return database.tenant(scope.tenantId, (trx) =>
    trx('payments')
      .where({ organization_id: scope.organizationId })
      // An array is found once. Of a table that has grown since Postgres last counted it, IN was found anew for each payment.
      .whereRaw('id = ANY (ARRAY ?)', [pageOfIds(trx, scope, filter, lagMs)])
      .orderBy('id', 'desc'),
  );
}

function pageOfIds(connection: Knex, scope: PaymentScope, filter: PaymentFilter, lagMs: number): Knex.QueryBuilder {
  const groups = leadsToFew(filter) ? together : each;
  const parts = groups(filter.statuses).flatMap((statuses) =>
    groups(filter.methodIds).flatMap((methodIds) =>
      apart(filter.search === undefined ? undefined : searchesFor(filter.search, PROCESSORS)).map((search) => {
        const rows = narrowed(connection, scope, filter, lagMs, search?.source?.(connection, scope.organizationId));
        if (statuses) rows.whereIn('status', statuses);
        if (methodIds) rows.whereIn('method_id', methodIds);
        search?.narrow?.(rows, connection);
        return rows;
      }),
    ),
  );
  // A payment may be found by two of its references.
  const union = connection.union(parts, true).as('found');
  return connection
    .select('id')
    .from(union)
    .orderBy('id', 'desc')
    .limit(filter.limit + 1);
}

/** One part: at most a page of ids, newest first. */
function narrowed(
  connection: Knex,
  scope: PaymentScope,
  filter: PaymentFilter,
  lagMs: number,
  source: Knex.QueryBuilder | string = 'payments',
): Knex.QueryBuilder {
  const rows: Knex.QueryBuilder = connection
    .from(source as string)
    .where({ tenant_id: scope.tenantId, organization_id: scope.organizationId })
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .select('id');
  if (scope.terminalId) rows.where({ terminal_id: scope.terminalId });
  if (filter.cursor) rows.where('id', '<', filter.cursor);
  if (filter.currency) rows.where({ currency: filter.currency });
  if (filter.linkId) rows.where({ link_id: filter.linkId });
  if (filter.orderId) rows.where({ order_id: filter.orderId });
  if (filter.customerId) rows.where({ customer_id: filter.customerId });
  if (filter.lastFour) rows.where({ card_last4: filter.lastFour });
  const { least, most } = filter.amountMinor ?? {};
  if (least !== undefined && least === most) rows.where({ amount_minor: least });
  else {
    if (least !== undefined) rows.where('amount_minor', '>=', `${least}`);
    if (most !== undefined) rows.where('amount_minor', '<=', `${most}`);
  }
  return madeBetween(rows, 'payment', filter, lagMs);
}

/** Whether an index leads to few payments, whatever their status and method. */
function leadsToFew({ amountMinor, lastFour, customerId, linkId, orderId }: PaymentFilter): boolean {
  const isByAmount = amountMinor?.least !== undefined || amountMinor?.most !== undefined;
  return isByAmount || [lastFour, customerId, linkId, orderId].some((value) => value !== undefined);
}

/** Each of the values; where there are none, once none. */
function apart<T>(values: readonly T[] | undefined): readonly (T | undefined)[] {
  return values ?? [undefined];
}

/** A group for each of the values. */
function each<T>(values: readonly T[] | undefined): readonly (readonly T[] | undefined)[] {
  return values?.map((value) => [value]) ?? [undefined];
}

/** All values as one group. */
function together<T>(values: readonly T[] | undefined): readonly (readonly T[] | undefined)[] {
  return [values];
}
