import { type Actor, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type CustomerRow, findCustomer } from '../customers/customer';
import type { Identifiers, IdentifierType } from '../customers/identifiers';
import type { CustomerTokens } from '../identity/customer-tokens';
import type { Addresses, CommunicationChannel } from './addresses';
import type { GivenCode, SecondFactor, TwoFactorSettings } from './second-factor';
import { codeRefused, type Sessions } from './sessions';

export interface CredentialQuestion {
  credentialType: IdentifierType;
  value: string;
  code?: string;
  communicationChannel?: CommunicationChannel;
}

/** The documented element of a credentials lookup. */
export interface CredentialElement {
  userId: string;
  customerId: string;
  personId: string;
  tenantId: string;
  organizationId: string;
  credentials: { sessionId: string; value: string; token: string }[];
  twoFaInfo: TwoFactorSettings[];
}

/** `getCredentials`: from an e-mail address, telephone number or user name to a code, and from the code to a token. */
export class CredentialsLookup {
  constructor(
    private readonly database: Database,
    private readonly identifiers: Identifiers,
    private readonly addresses: Addresses,
    private readonly sessions: Sessions,
    private readonly tokens: CustomerTokens,
    private readonly secondFactor: SecondFactor,
  ) {}

  /**
   * Without a code: a session for each customer the value names, its code sent to a verified address; no credentials
   * where there is none. A value that names nobody: an empty list after the same work, and nothing sent. With a code: a
   * token. Throws `code_refused` and `rate_limited`, and `two_factor_required` once the code was right, where `login` asks
   * for one more factor: `given` answers it, together with the same code.
   */
  async look(
    tenantId: string,
    actor: Actor,
    question: CredentialQuestion,
    given: GivenCode = {},
  ): Promise<CredentialElement[]> {
    const { credentialType, value, code } = question;
    const found = await this.database.tenant(tenantId, (trx) => this.addresses.find(trx, credentialType, value));
    const customerIds = found.length > 0 ? found.map(({ customer_id }) => customer_id) : [undefined];
    const elements: CredentialElement[] = [];
    for (const customerId of customerIds) {
      const element =
        code === undefined
          ? await this.begin(tenantId, actor, customerId, question)
          : await this.finish(tenantId, actor, customerId, { value, code, given });
      if (element) elements.push(element);
    }
    if (found.length > 0 && elements.length === 0) throw codeRefused();
    return elements;
  }

  private async begin(
    tenantId: string,
    actor: Actor,
    customerId: string | undefined,
    { credentialType, value, communicationChannel }: CredentialQuestion,
  ): Promise<CredentialElement | undefined> {
    const mac = this.identifiers.of(credentialType, value);
    await this.sessions.admit(customerId ?? mac.toString('base64url'), actor.id);
    return this.database.tenant(tenantId, async (trx) => {
      const customer: CustomerRow | undefined = await trx('customers')
        .where({ id: customerId ?? '' })
        .whereNull('deleted_at')
        .first();
      const address = await this.addresses.choose(trx, customer, communicationChannel);
      const session =
        customer && address
          ? await this.sessions.sendCode(trx, { tenantId, customerId: customer.id, address }, 'credentials')
          : await this.sessions.pretend(trx, tenantId, 'credentials');
      const shown = customer ?? nobody(tenantId);
      const element = elementOf(shown, await this.secondFactor.settings(trx, shown));
      if (session) element.credentials.push({ sessionId: session.sessionId, value, token: '' });
      return customer && element;
    });
  }

  private async finish(
    tenantId: string,
    actor: Actor,
    customerId: string | undefined,
    { value, code, given }: { value: string; code: string; given: GivenCode },
  ): Promise<CredentialElement | undefined> {
    // The question for one more factor was asked after this very code had been right, and is bound to it.
    const who = {
      tenantId,
      customerId: customerId ?? '',
      askedBy: actor.id,
      request: { terms: JSON.stringify(['credentials', value, code]) },
    };
    const isBoth = given.sessionId !== undefined && (await this.secondFactor.answers(who, 'login', given));
    const session = isBoth
      ? { id: given.sessionId!, customer_id: who.customerId, identifier_mac: null }
      : await this.sessions.answer(tenantId, { customerId, purpose: 'credentials' }, code);
    if (session && !isBoth) await this.secondFactor.requireBeside(who, 'login', session.identifier_mac);
    return this.database.tenant(tenantId, async (trx) => {
      await appendAuditLine(trx, {
        tenantId: tenantId,
        actor: actor.id,
        action: 'customer.sign_in',
        target: customerId ?? null,
        source: actor.source,
        result: session ? 'done' : 'refused',
        detail: { by: 'code', requestId: actor.requestId },
      });
      if (!session) return undefined;
      const customer = await findCustomer(trx, session.customer_id);
      const token = await this.tokens.issue(trx, tenantId, customer.id);
      const element = elementOf(customer, await this.secondFactor.settings(trx, customer));
      element.credentials.push({ sessionId: session.id, value, token });
      return element;
    });
  }
}

/** One person and one user stand for each customer: their ids are the customer's. */
function elementOf(customer: CustomerRow, settings: TwoFactorSettings): CredentialElement {
  return {
    userId: customer.id,
    customerId: customer.id,
    personId: customer.id,
    tenantId: customer.tenant_id,
    organizationId: customer.organization_id ?? '',
    credentials: [],
    twoFaInfo: [settings],
  };
}

/** A row to do the same work with. */
function nobody(tenantId: string): CustomerRow {
  return { id: 'cus_00000000000000000000000000', tenant_id: tenantId, organization_id: null } as CustomerRow;
}
