import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { ID_PREFIXES, type IdKind } from '../../domain/ids';

/** One kind of reference that a term may be. */
export interface Search {
  /** Where the rows come from; absent: all rows of `payments`. */
  source?(connection: Knex, organizationId: string): Knex.QueryBuilder;
  /** Narrows the rows to those that it names. */
  narrow?(rows: Knex.QueryBuilder, connection: Knex): unknown;
}

/** Of transaction ids that begin alike, so many are looked at, in the order of their text. */
export const ALIKE = 5_000;

/** The last text of all that begin with the one before it. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * What a reference may be: an id of ours, the beginning of a transaction id of the merchant, what a processor or a payer's
 * bank calls it. Each of them has an index. What could be no such thing is not looked for. The address of a payer is not: it
 * stands within the request, where row-level security lets no index look.
 */
export function searchesFor(term: string, processors: readonly ProcessorId[]): Search[] {
  const beginning: Search = { source: (connection, organizationId) => beginningWith(connection, organizationId, term) };
  const byId = BY_ID.find(({ kinds }) => kinds.some((kind) => term.startsWith(`${ID_PREFIXES[kind]}_`)));
  if (byId) return [beginning, { narrow: (rows, connection) => byId.narrow(rows, connection, term) }];
  const atProcessor = (table: string, column: string): Search => ({
    narrow: (rows, connection) =>
      rows.whereIn(
        'id',
        connection(table)
          .whereIn('processor', processors)
          .where({ [column]: term })
          .select('payment_id'),
      ),
  });
  return [
    beginning,
    atProcessor('payment_attempts', 'processor_reference'),
    atProcessor('disputes', 'case_id'),
    {
      narrow: (rows, connection) =>
        rows.whereIn('id', connection('bank_transfer_requests').where({ reference: term }).select('payment_id')),
    },
  ];
}

/**
 * The rows whose transaction id begins so, through its index and no other: the newest of them may be anywhere. These
 * operators compare bytes, whatever the collation of the database, and row-level security trusts them with an index.
 */
function beginningWith(connection: Knex, organizationId: string, term: string): Knex.QueryBuilder {
  return connection('payments')
    .where({ organization_id: organizationId })
    .whereRaw('merchant_transaction_id ~>=~ ?', [term])
    .whereRaw('merchant_transaction_id ~<~ ?', [term + LAST_CHARACTER])
    .orderByRaw('merchant_transaction_id USING ~<~')
    .limit(ALIKE)
    .as('payments');
}

/** Ids of ours that name a payment. */
const BY_ID: readonly {
  kinds: readonly IdKind[];
  narrow(rows: Knex.QueryBuilder, connection: Knex, id: string): Knex.QueryBuilder;
}[] = [
  { kinds: ['payment'], narrow: (rows, _, id) => rows.where({ id }) },
  { kinds: ['order'], narrow: (rows, _, id) => rows.where({ order_id: id }) },
  { kinds: ['paymentLink'], narrow: (rows, _, id) => rows.where({ link_id: id }) },
  { kinds: ['customer'], narrow: (rows, _, id) => rows.where({ customer_id: id }) },
  { kinds: ['refund'], narrow: ofRowIn('refunds') },
  { kinds: ['topup'], narrow: ofRowIn('topups') },
  { kinds: ['dispute'], narrow: ofRowIn('disputes') },
  { kinds: ['receipt'], narrow: ofRowIn('unapplied_receipts') },
  { kinds: ['capture', 'cancellation'], narrow: ofRowIn('payment_operations') },
];

function ofRowIn(table: string) {
  return (rows: Knex.QueryBuilder, connection: Knex, id: string) =>
    rows.whereIn('id', connection(table).where({ id }).select('payment_id'));
}
