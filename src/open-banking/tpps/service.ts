import type { X509Certificate } from 'node:crypto';
import type { Knex } from 'knex';
import { found, refuse } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { EXISTING } from '../../people/identity/tenants';
import { clientCertificate } from './client-certificate';
import { publicKeySet } from './key-set';
import { requireRedirectUris } from './redirect-uri';
import type { TppProfile, TppRow } from './tpp';

/** What may be changed of a provider. Of `jwks` and `jwksUri` there is one: the other one goes. */
export interface TppMembers {
  name: string;
  profile: TppProfile;
  /** The banks that it serves. */
  tenantIds: string[];
  redirectUris: string[];
  jwks?: { keys: object[] };
  jwksUri?: string;
  /** What its signatures name as their issuer. */
  iss?: string;
}

export interface NewTpp extends TppMembers {
  id: string;
  /** PEM. */
  certificate: string;
}

/** A provider with the tenants that it serves. */
export type RegisteredTpp = TppRow & { tenant_ids: string[] };

export interface TppPage extends Page {
  tenantId?: string;
  status?: 'enabled' | 'disabled';
}

interface TppRules {
  /** The sandbox allows http on the loopback. */
  sandbox: boolean;
  /** AUTH_CLIENT_CA. */
  authorities: readonly X509Certificate[];
}

/** What operators do about third-party providers. All of it bites at the provider's next call. */
export class Tpps {
  constructor(
    private readonly database: Pick<Database, 'system' | 'ops'>,
    private readonly rules: TppRules,
  ) {}

  /**
   * The same id again answers the provider that is there. Throws `invalid_request`: see `clientCertificate`,
   * `publicKeySet`, `requireRedirectUris`; for an unknown tenant and for a certificate of another provider too.
   */
  async register({ id, certificate, ...members }: NewTpp, by: Actor): Promise<RegisteredTpp> {
    const columns = columnsOf(members);
    requireRedirectUris(members.redirectUris, this.rules.sandbox, members.profile);
    const stored = clientCertificate(certificate, this.rules.authorities, new Date());
    return this.write(async (trx) => {
      const known = await load(trx, id);
      if (known) return known;
      await trx('tpps').insert({ id, iss: id, ...columns, ...stored });
      await serve(trx, id, members.tenantIds);
      const { auth_method: method, certificate_thumbprint: thumbprint } = stored;
      const { name, tenantIds } = members;
      await noteDone(trx, null, by, 'tpp.register', id, { name, tenantIds, method, thumbprint });
      return found(await load(trx, id), 'third-party provider');
    });
  }

  /** One more than the page holds, newest first. */
  async list({ tenantId, status, ...page }: TppPage): Promise<RegisteredTpp[]> {
    const rows = paged(withTenants(this.database.ops), page);
    if (tenantId)
      rows.whereExists((one) => one.from('tpp_tenants').whereRaw('tpp_id = tpps.id').where({ tenant_id: tenantId }));
    if (status === 'enabled') rows.whereNull('disabled_at');
    if (status === 'disabled') rows.whereNotNull('disabled_at');
    return rows;
  }

  /** Throws `not_found`. */
  async find(id: string): Promise<RegisteredTpp> {
    return found(await load(this.database.ops, id), 'third-party provider');
  }

  /** Absent members stay as they are. Throws `not_found`, and `invalid_request` as `register` does. */
  async change(id: string, changed: Partial<TppMembers>, by: Actor): Promise<RegisteredTpp> {
    const columns = columnsOf(changed);
    return this.act(id, by, 'change', { members: Object.keys(changed) }, async (trx, tpp) => {
      const { redirectUris = tpp.redirect_uris, profile = tpp.profile } = changed;
      requireRedirectUris(redirectUris, this.rules.sandbox, profile);
      if (changed.tenantIds) await serve(trx, id, changed.tenantIds);
      return columns;
    });
  }

  /**
   * Another certificate takes the place of the one before. Access tokens are bound to their certificate (RFC 8705, section
   * 3), so those of the one before stop working. Throws `not_found`, and `invalid_request` as `register` does.
   */
  async replaceCertificate(id: string, certificate: string, by: Actor): Promise<RegisteredTpp> {
    const stored = clientCertificate(certificate, this.rules.authorities, new Date());
    const { auth_method: method, certificate_thumbprint: thumbprint } = stored;
    return this.act(id, by, 'replace_certificate', { method, thumbprint }, async () => stored);
  }

  /** It gets no tokens, and those that it has do nothing. Throws `not_found`. */
  disable(id: string, by: Actor): Promise<RegisteredTpp> {
    return this.act(id, by, 'disable', {}, async (trx, { disabled_at }) => ({
      disabled_at: disabled_at ?? trx.raw('clock_timestamp()'),
    }));
  }

  /** Its tokens work again, as long as they last. Throws `not_found`. */
  enable(id: string, by: Actor): Promise<RegisteredTpp> {
    return this.act(id, by, 'enable', {}, async () => ({ disabled_at: null }));
  }

  /** Locks a provider, changes it and writes down who did. */
  private act(
    id: string,
    by: Actor,
    verb: string,
    detail: Record<string, unknown>,
    work: (trx: Knex.Transaction, tpp: TppRow) => Promise<object>,
  ): Promise<RegisteredTpp> {
    return this.write(async (trx) => {
      const tpp: TppRow = found(await trx('tpps').where({ id }).forUpdate().first(), 'third-party provider');
      const changed = await work(trx, tpp);
      await trx('tpps')
        .where({ id })
        .update({ ...changed, updated_at: trx.raw('clock_timestamp()') });
      await noteDone(trx, null, by, `tpp.${verb}`, id, detail);
      return found(await load(trx, id), 'third-party provider');
    });
  }

  private async write(work: (trx: Knex.Transaction) => Promise<RegisteredTpp>): Promise<RegisteredTpp> {
    try {
      return await this.database.system.transaction(work);
    } catch (error) {
      if (violates(error, 'tpps_certificate_thumbprint_key') || violates(error, 'tpps_by_subject'))
        refuse('certificate', 'belongs to another third-party provider');
      throw error;
    }
  }
}

function columnsOf({ name, profile, redirectUris, jwks, jwksUri, iss }: Partial<TppMembers>): Record<string, unknown> {
  return {
    ...(name !== undefined && { name }),
    ...(profile !== undefined && { profile }),
    ...(redirectUris && { redirect_uris: JSON.stringify(redirectUris) }),
    ...(jwks && { jwks: JSON.stringify(publicKeySet(jwks)), jwks_uri: null }),
    ...(jwksUri !== undefined && { jwks: null, jwks_uri: jwksUri }),
    ...(iss !== undefined && { iss }),
  };
}

function withTenants(connection: Knex): Knex.QueryBuilder {
  const tenants = 'ARRAY(SELECT tenant_id FROM tpp_tenants WHERE tpp_id = tpps.id ORDER BY tenant_id) AS tenant_ids';
  return connection('tpps').select('tpps.*', connection.raw(tenants));
}

async function load(connection: Knex, id: string): Promise<RegisteredTpp | undefined> {
  return withTenants(connection).where({ id }).first();
}

/** From now on the provider serves these tenants, and no other. */
async function serve(trx: Knex.Transaction, tppId: string, tenantIds: readonly string[]): Promise<void> {
  const known = new Set<string>(await trx('tenants').whereIn('id', tenantIds).whereIn('status', EXISTING).pluck('id'));
  tenantIds.forEach((id, index) => {
    if (!known.has(id)) refuse(`tenantIds[${index}]`, 'must be a tenant of the platform');
  });
  await trx('tpp_tenants').where({ tpp_id: tppId }).whereNotIn('tenant_id', tenantIds).delete();
  const rows = tenantIds.map((tenant_id) => ({ tpp_id: tppId, tenant_id }));
  await trx('tpp_tenants').insert(rows).onConflict(['tpp_id', 'tenant_id']).ignore();
}
