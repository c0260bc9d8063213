import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { createClient, rotateSecret } from './clients';
import type { Role } from './principal';
import { type IdentityScope, inScope, placeOf } from './scope';
import type { UserRole } from './users/user';

/** A program that signs in, as those see it who manage it: never with its secret. */
export interface ApiClient {
  clientId: string;
  name: string;
  role: Role;
  tenantId?: string;
  organizationId?: string;
  terminalId?: string;
  createdBy?: string;
  createdAt: Date;
  disabledAt?: Date;
}

export interface NewApiClient {
  clientId: string;
  name: string;
  role: UserRole;
  organizationId?: string;
}

export interface ApiClientPage extends Page {
  role?: UserRole;
  organizationId?: string;
}

interface ClientRow {
  id: string;
  name: string;
  role: Role;
  tenant_id: string | null;
  organization_id: string | null;
  terminal_id: string | null;
  created_by: string | null;
  created_at: Date;
  disabled_at: Date | null;
}

/** The programs of a tenant, of one of its organizations, or of the operators. */
export class ApiClients {
  constructor(private readonly database: Pick<Database, 'system'>) {}

  /** One more than the page holds, newest first. */
  async list(scope: IdentityScope, { role, organizationId, ...page }: ApiClientPage): Promise<ApiClient[]> {
    const rows = inScope(this.database.system('clients'), scope);
    if (role) rows.where({ role });
    if (organizationId) rows.where({ organization_id: organizationId });
    return ((await paged(rows, page)) as ClientRow[]).map(present);
  }

  /** Throws `not_found`. */
  async find(scope: IdentityScope, clientId: string): Promise<ApiClient> {
    return present(await one(this.database.system, scope, clientId));
  }

  /**
   * The secret is in the answer and nowhere else: a repeat of the same id, whose first answer got lost, has a new one. Throws `invalid_request`
   * for a role that does not fit.
   */
  create(
    scope: IdentityScope,
    { clientId, name, role, organizationId }: NewApiClient,
    by: Actor,
  ): Promise<{ client: ApiClient; secret: string }> {
    return this.database.system.transaction(async (trx) => {
      const place = await placeOf(trx, scope, role, organizationId);
      const known = await inScope(trx('clients'), scope).where({ id: clientId, created_by: by.id }).first('id');
      const secret = known
        ? await rotateSecret(trx, clientId)
        : await createClient(trx, { id: clientId, role, name, ...place, createdBy: by.id });
      const row = await one(trx, scope, clientId);
      await noteDone(trx, row.tenant_id, by, 'client.create', row.id, { role });
      return { client: present(row), secret };
    });
  }

  /**
   * A new secret, in the answer and nowhere else. The old one is good for `overlapMs` more. Throws `not_found`, and
   * `invalid_state` for a client that the integration parameters of its merchant name, which are rotated there.
   */
  rotate(
    scope: IdentityScope,
    clientId: string,
    overlapMs: number,
    by: Actor,
  ): Promise<{ client: ApiClient; secret: string }> {
    return this.database.system.transaction(async (trx) => {
      const row = await one(trx, scope, clientId);
      if (await isParameter(trx, row))
        throw new DomainError('invalid_state', 'This client is one of the integration parameters: rotate it there');
      const secret = await rotateSecret(trx, clientId, { overlapMs });
      await noteDone(trx, row.tenant_id, by, 'client.rotate', row.id, { overlapSeconds: overlapMs / 1_000 });
      return { client: present(row), secret };
    });
  }

  /** No new tokens, and those that are out are refused within ACCESS_TOKEN_CACHE_MS. Throws `not_found`. */
  disable(scope: IdentityScope, clientId: string, by: Actor): Promise<ApiClient> {
    return this.set(scope, clientId, { disabled: true }, by);
  }

  /** Its secret is good again, and so are its tokens that have not expired. Throws `not_found`. */
  enable(scope: IdentityScope, clientId: string, by: Actor): Promise<ApiClient> {
    return this.set(scope, clientId, { disabled: false }, by);
  }

  private set(scope: IdentityScope, id: string, { disabled }: { disabled: boolean }, by: Actor): Promise<ApiClient> {
    return this.database.system.transaction(async (trx) => {
      await one(trx, scope, id);
      const disabled_at = disabled ? trx.raw('coalesce(disabled_at, clock_timestamp())') : null;
      const [row]: ClientRow[] = await trx('clients').where({ id }).update({ disabled_at }).returning('*');
      await noteDone(trx, row!.tenant_id, by, disabled ? 'client.disable' : 'client.enable', row!.id);
      return present(row!);
    });
  }
}

async function one(system: Knex, scope: IdentityScope, id: string): Promise<ClientRow> {
  return found<ClientRow>(await inScope(system('clients'), scope).where({ id }).first(), 'client');
}

/** The pair of a terminal, or the client that was made with the merchant. */
async function isParameter(trx: Knex.Transaction, { id, organization_id, terminal_id }: ClientRow): Promise<boolean> {
  if (terminal_id) return true;
  if (!organization_id) return false;
  const first = await trx('clients')
    .where({ organization_id, terminal_id: null })
    .orderBy(['created_at', 'id'])
    .first('id');
  return (
    first.id === id && (await trx('integration_parameters').where({ organization_id }).first('name')) !== undefined
  );
}

function present(row: ClientRow): ApiClient {
  return {
    clientId: row.id,
    name: row.name,
    role: row.role,
    ...(row.tenant_id && { tenantId: row.tenant_id }),
    ...(row.organization_id && { organizationId: row.organization_id }),
    ...(row.terminal_id && { terminalId: row.terminal_id }),
    ...(row.created_by && { createdBy: row.created_by }),
    createdAt: row.created_at,
    ...(row.disabled_at && { disabledAt: row.disabled_at }),
  };
}
