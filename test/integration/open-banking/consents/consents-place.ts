import { newId } from '../../../../src/domain/ids';
import type { CustomerStatus } from '../../../../src/domain/states/customer';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import type { NewConsent } from '../../../../src/open-banking/consents/create';
import { Consents } from '../../../../src/open-banking/consents/service';
import { consentDependencies, lookAtConsent } from '../../../../src/open-banking/consents/steps';
import { insertPerson, KEYS, openPlace, type Place } from '../../people/customers/place';

export const DAY = 24 * 3_600_000;
export const HOUR = 3_600_000;
export const AGENT = { id: 'tpp_agent', source: '127.0.0.1', requestId: 'req_1' };

/** An engine that is away: what is written down must hold all the same. */
const AWAY = { connection: { withDeadline: () => Promise.reject(new Error('away')) } } as unknown as Engine;

interface Settings {
  consentTtlMs: number;
  reauthenticationDays: number;
  reminderMs: number;
}

/** A database with a third party, and consents of customers who have wallets. */
export class ConsentPlace {
  static readonly settings: Settings = { consentTtlMs: DAY, reauthenticationDays: 180, reminderMs: 7 * DAY };

  static async open(name: string): Promise<ConsentPlace> {
    return ConsentPlace.over(await openPlace(name));
  }

  static async over(somewhere: Place): Promise<ConsentPlace> {
    const place = new ConsentPlace(somewhere);
    await place.registerTpp(AGENT.id, [somewhere.tenantId]);
    return place;
  }

  readonly consents: Consents;

  private constructor(
    readonly place: Place,
    private readonly settings = ConsentPlace.settings,
  ) {
    this.consents = new Consents({ database: place.database, engine: AWAY, settings });
  }

  /** The same database under other settings. */
  with(changed: Partial<Settings>): ConsentPlace {
    return new ConsentPlace(this.place, { ...this.settings, ...changed });
  }

  get system() {
    return this.place.database.system;
  }

  async registerTpp(id: string, tenants: string[]): Promise<void> {
    await this.system('tpps').insert({
      id,
      name: `App ${id}`,
      profile: 'fapi1',
      auth_method: 'self_signed_tls_client_auth',
      certificate_thumbprint: Buffer.from(id.padEnd(32, 'x').slice(0, 32)).toString('base64url'),
      certificate_subject: `CN=${id}`,
      certificate_pem: '',
      certificate_expires_at: new Date(Date.now() + DAY),
      redirect_uris: JSON.stringify(['https://app.example/back']),
      jwks: JSON.stringify({ keys: [] }),
      iss: id,
    });
    for (const tenant_id of tenants) await this.system('tpp_tenants').insert({ tpp_id: id, tenant_id });
  }

  /** A customer with wallets in these currencies. */
  async customer(currencies = ['EUR'], status: CustomerStatus = 'verified') {
    const { id } = await insertPerson(this.place, status);
    const accounts: { id: bigint; iban: string; currency: string }[] = [];
    await this.place.database.tenant(this.place.tenantId, async (trx) => {
      for (const currency of currencies) {
        const row = { tenant_id: this.place.tenantId, currency, kind: 'customer_wallet', owner: id, guarded: true };
        accounts.push((await trx('ledger_accounts').insert(row).returning(['id', 'iban', 'currency']))[0]);
      }
    });
    return { id, accounts, accountIds: accounts.map((account) => `${account.id}`) };
  }

  order(customerId: string | undefined, changed: Partial<NewConsent> = {}): NewConsent {
    const now = Date.now();
    const dates = {
      sharingFrom: new Date(now - DAY),
      sharingTo: new Date(now + 30 * DAY),
      expiresAt: new Date(now + 90 * DAY),
    };
    return {
      id: newId('consent'),
      tenantId: this.place.tenantId,
      tppId: AGENT.id,
      kind: 'account',
      permissions: ['ReadAccountsBasic'],
      record: {},
      ...(customerId && { customerId, ...dates }),
      ...changed,
    };
  }

  create(customerId: string, changed: Partial<NewConsent> = {}) {
    return this.consents.create(this.order(customerId, changed), AGENT);
  }

  createPayment(record: object = { Data: { Initiation: {} }, Risk: {} }) {
    return this.consents.create(this.order(undefined, { kind: 'payment', permissions: [], record }), AGENT);
  }

  /** A consent of a new customer, who has authorised it. */
  async authorised(changed: Partial<NewConsent> = {}) {
    const customer = await this.customer();
    const { id } = await this.create(customer.id, changed);
    const grantId = await this.grant();
    const consent = await this.authorise(id, customer, { grantId });
    return { consent, customer, grantId };
  }

  authorise(
    id: string,
    customer: { id: string; accountIds: string[] },
    changed: { grantId?: string; stepUpId?: string; accountIds?: string[] } = {},
  ) {
    const { accountIds, id: customerId } = customer;
    return this.consents.authorise(AGENT.id, id, { customerId, accountIds, grantId: newId('request'), ...changed });
  }

  /** A grant with a code and a token, as the authorization server stores them. */
  async grant(): Promise<string> {
    const grantId = newId('request');
    for (const model of ['AuthorizationCode', 'AccessToken', 'RefreshToken'])
      await this.system('oidc_payloads').insert({ model, id: `${model} ${grantId}`, payload: '{}', grant_id: grantId });
    return grantId;
  }

  async tokensOf(grantId: string): Promise<number> {
    return (await this.system('oidc_payloads').where({ grant_id: grantId })).length;
  }

  look(consentId: string, now?: Date) {
    const consents = consentDependencies(KEYS, 'https://bank.example', this.settings);
    const input = { consentId, tenantId: this.place.tenantId };
    return lookAtConsent({ database: this.place.database, consents }, input, now);
  }

  stored(id: string) {
    return this.system('consents').where({ id }).first();
  }

  async causes(id: string): Promise<string[]> {
    return this.system('consent_events').where({ consent_id: id }).orderBy('id').pluck('cause');
  }

  async audited(id: string): Promise<string[]> {
    return this.system('audit_log').where({ target: id }).orderBy('id').pluck('action');
  }

  close(): Promise<void> {
    return this.place.close();
  }
}
