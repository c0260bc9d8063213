import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { DomainError, notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { CallbackSecrets } from '../identity/callback-secrets';
import { createClient, newSecret } from '../identity/clients';
import type { UserLinks } from '../identity/users/links';
import type { Contact, UserRow, Users } from '../identity/users/user';
import { noteMerchant } from './audit';
import type { IntegrationParameters } from './parameters';

export interface NewMerchant {
  /** The id of the organization. Every repeat of one request has the same. */
  organizationId: string;
  tenantId: string;
  businessName: string;
  technicalContact: Contact;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  /** ISO 4217. */
  currencies?: string[];
}

/** The actor, for the audit log. */
export interface Onboarder {
  actor: string;
  source: string;
}

/** A merchant on its way from invitation to production. */
export interface Merchant {
  organizationId: string;
  tenantId: string;
  businessName: string;
  country?: string;
  currencies: string[];
  merchantAccountId: string;
  terminalId: string;
  /** Of the technical user. Absent where there is none (made without onboarding). */
  userId?: string;
  technicalContact?: Contact;
  /** `invited`: the technical user has no password yet. */
  state: 'invited' | 'active';
  invitationExpiresAt?: Date;
  mode: 'sandbox' | 'live';
  createdAt: Date;
}

interface OrganizationRow {
  id: string;
  tenant_id: string;
  name: string;
  live: boolean;
  country: string | null;
  currencies: string[];
  created_at: Date;
}

/** Brings merchants on board: organization, merchant account, clients, technical user and the invitation. */
export class Merchants {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly links: UserLinks,
    private readonly callbackSecrets: CallbackSecrets,
    private readonly parameters: IntegrationParameters,
  ) {}

  /** All of it, or nothing. Throws `duplicate_user` where the contact's address is a user's already. */
  async create(merchant: NewMerchant, { actor, source }: Onboarder): Promise<Merchant> {
    const { organizationId, tenantId, businessName } = merchant;
    await this.database.system.transaction(async (trx) => {
      // An earlier try of the same request got this far.
      if (await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id')) return;
      await trx('organizations').insert({
        id: organizationId,
        tenant_id: tenantId,
        name: businessName,
        country: merchant.country ?? null,
        currencies: merchant.currencies ?? [],
        created_by: actor,
      });
      const account = await this.openAccount(trx, { tenantId, organizationId, businessName });
      const userId = newId('user');
      const contact = merchant.technicalContact;
      await this.users.create(trx, { id: userId, role: 'merchant', tenantId, organizationId, contact });
      const user: UserRow = await trx('users').where({ id: userId }).first();
      await this.links.invite(trx, user, invitedTo(businessName));
      await noteMerchant(trx, { tenantId, organizationId, actor, source }, 'merchant.create', { ...account, userId });
    });
    return this.find(tenantId, organizationId);
  }

  /** Throws `not_found`. */
  async find(tenantId: string, organizationId: string): Promise<Merchant> {
    const [merchant] = await this.load(tenantId, (rows) => rows.where({ id: organizationId }));
    if (!merchant) throw notFound('merchant');
    return merchant;
  }

  /** Newest first; `before`: the id of the last one of the page before. One more than `limit`, to see whether there are. */
  list(tenantId: string, { limit, before }: { limit: number; before?: string }): Promise<Merchant[]> {
    return this.load(tenantId, (rows) => {
      if (before) rows.where('id', '<', before);
      return rows.orderBy('id', 'desc').limit(limit + 1);
    });
  }

  /** Sends the invitation anew; the link of the one before leads nowhere now. Throws `invalid_state` once it was accepted. */
  async inviteAgain(tenantId: string, organizationId: string, { actor, source }: Onboarder): Promise<Merchant> {
    await this.database.system.transaction(async (trx) => {
      const organization = await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('name');
      if (!organization) throw notFound('merchant');
      const user: UserRow | undefined = await trx('users')
        .where({ organization_id: organizationId })
        .orderBy(['created_at', 'id'])
        .forUpdate()
        .first();
      if (!user || user.password_hash)
        throw new DomainError('invalid_state', 'The technical user has set a password already; it can be reset');
      await this.links.invite(trx, user, invitedTo(organization.name));
      await noteMerchant(trx, { tenantId, organizationId, actor, source }, 'merchant.invite', { userId: user.id });
    });
    return this.find(tenantId, organizationId);
  }

  /** A merchant account with its secrets, waiting to be read, and the clients they belong to. */
  private async openAccount(
    trx: Knex.Transaction,
    { tenantId, organizationId, businessName }: { tenantId: string; organizationId: string; businessName: string },
  ): Promise<{ merchantAccountId: string; terminalId: string; clientId: string }> {
    const merchantAccountId = newId('merchantAccount');
    const terminalId = typeidUnboxed('trm');
    const clientId = typeidUnboxed('cli');
    const callbackSecret = newSecret();
    await trx('merchant_accounts').insert({
      id: merchantAccountId,
      tenant_id: tenantId,
      organization_id: organizationId,
      terminal_id: terminalId,
      callback_secret_sealed: this.callbackSecrets.seal(callbackSecret, merchantAccountId),
    });
    const client = { role: 'merchant', tenantId, organizationId } as const;
    const clientSecret = await createClient(trx, { ...client, id: clientId, name: businessName });
    const terminal = { ...client, id: terminalId, name: `${businessName}, terminal`, terminalId };
    const terminalPassword = await createClient(trx, terminal);
    await this.parameters.note(
      trx,
      { id: merchantAccountId, tenant_id: tenantId, organization_id: organizationId },
      { clientSecret, terminalPassword, callbackSecret },
      { shown: false },
    );
    return { merchantAccountId, terminalId, clientId };
  }

  private load(
    tenantId: string,
    choose: (rows: Knex.QueryBuilder<OrganizationRow>) => Knex.QueryBuilder,
  ): Promise<Merchant[]> {
    return this.database.system.transaction(async (trx) => {
      const organizations: OrganizationRow[] = await choose(
        trx('organizations').where({ tenant_id: tenantId, house: false }) as Knex.QueryBuilder,
      );
      const merchants: Merchant[] = [];
      for (const organization of organizations) merchants.push(await this.present(trx, organization));
      return merchants;
    });
  }

  private async present(trx: Knex.Transaction, organization: OrganizationRow): Promise<Merchant> {
    const { id: organizationId, tenant_id, name, live, country, currencies, created_at } = organization;
    const oldest = (table: string) =>
      trx(table).where({ organization_id: organizationId }).orderBy(['created_at', 'id']).first();
    const account = await oldest('merchant_accounts');
    const user: UserRow | undefined = await oldest('users');
    const isInvited = user !== undefined && user.password_hash === null;
    const expiry = isInvited ? await this.links.invitationExpiry(trx, user.id) : undefined;
    return {
      organizationId,
      tenantId: tenant_id,
      businessName: name,
      ...(country && { country }),
      currencies,
      merchantAccountId: account.id,
      terminalId: account.terminal_id,
      ...(user && { userId: user.id, technicalContact: this.users.contactOf(user) }),
      state: isInvited ? 'invited' : 'active',
      ...(expiry && { invitationExpiresAt: expiry }),
      mode: live ? 'live' : 'sandbox',
      createdAt: created_at,
    };
  }
}

const invitedTo = (businessName: string) => `connect ${businessName} to the payment platform`;
