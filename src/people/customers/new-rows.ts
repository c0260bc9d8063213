import type { Knex } from 'knex';
import type { CustomerStatus } from '../../domain/states/customer';
import { columnArray } from '../../foundation/db/column-array';
import type { Identifier } from './identifiers';

/** A new customer as it is stored. */
export interface NewRow {
  id: string;
  organization_id: string | null;
  reference: string | null;
  customer_type: 'Person' | 'Organization';
  status: CustomerStatus;
  profile_sealed: Buffer;
  profile_key: Buffer;
  identifiers: Identifier[];
}

/** One statement, with an array for each column: Postgres parses a thousand rows as fast as one, and works while we seal. */
const INSERT = `
  WITH found AS (
    INSERT INTO customer_identifiers (tenant_id, customer_id, type, mac)
    SELECT :tenant, * FROM unnest(:owners::text[], :kinds::text[], :macs::bytea[])
  )
  INSERT INTO customers
    (id, organization_id, reference, customer_type, status, profile_sealed, profile_key, tenant_id, created_by)
  SELECT *, :tenant, :actor FROM unnest(:ids::text[], :organizations::text[], :references::text[], :types::text[],
    :statuses::text[], :profiles::bytea[], :keys::bytea[])`;

/** A query that writes down customers and what they are found by, once it is awaited. */
export function insertionOf(
  trx: Knex.Transaction,
  tenant: string,
  actor: string,
  rows: readonly NewRow[],
): PromiseLike<unknown> {
  const texts = (of: (row: NewRow) => string | null) => columnArray('text', rows.map(of));
  const bytes = (of: (row: NewRow) => Buffer) => columnArray('bytea', rows.map(of));
  const owners: string[] = [];
  const kinds: string[] = [];
  const macs: Buffer[] = [];
  for (const { id, identifiers } of rows)
    for (const { type, mac } of identifiers) {
      owners.push(id);
      kinds.push(type);
      macs.push(mac);
    }
  return trx.raw(INSERT, {
    tenant,
    actor,
    ids: texts(({ id }) => id),
    organizations: texts(({ organization_id }) => organization_id),
    references: texts(({ reference }) => reference),
    types: texts(({ customer_type }) => customer_type),
    statuses: texts(({ status }) => status),
    profiles: bytes(({ profile_sealed }) => profile_sealed),
    keys: bytes(({ profile_key }) => profile_key),
    owners: columnArray('text', owners),
    kinds: columnArray('text', kinds),
    macs: columnArray('bytea', macs),
  });
}
