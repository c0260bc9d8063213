import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import { noteCustomer } from '../customers/audit-lines';
import { findCustomer } from '../customers/customer';
import { tellOfSignInChange } from '../customers/sign-in-letter';
import type { Authenticators } from '../identity/authenticators';
import { endTokens } from '../identity/customer-tokens';
import type { Addresses } from './addresses';
import type { Challenged, GivenCode, SecondFactor } from './second-factor';

/**
 * Takes authenticators into use and out of it. A customer needs a code to add the first, and the code of the one that
 * is confirmed to replace or remove it; a tenant admin, who helps when it is lost, needs none. Both leave a line in the audit log, end the customer's other sessions
 * and are told to the customer.
 */
export class Enrolment {
  constructor(
    private readonly database: Database,
    private readonly addresses: Addresses,
    private readonly authenticators: Authenticators,
    private readonly secondFactor: SecondFactor,
    private readonly messenger: Pick<Messenger, 'send'>,
  ) {}

  /**
   * A new secret, shown this once; it counts after `confirm`. The customer gives a code of the authenticator of before, else one
   * that goes to a verified address: a stolen token is not enough. Without either there is nothing to ask.
   */
  async begin(who: Challenged, actor: Actor, given: GivenCode): Promise<{ secret: string; uri: string }> {
    await this.guard(who, given, async (trx) =>
      Boolean(await this.addresses.choose(trx, await findCustomer(trx, who.customerId))),
    );
    const { tenantId, customerId } = who;
    return this.database.tenant(tenantId, async (trx) => {
      const customer = await findCustomer(trx, customerId);
      const label = this.addresses.all(customer)[0]?.value ?? customerId;
      await noteCustomer(trx, tenantId, actor, 'customer.totp_enrol', customerId);
      return this.authenticators.enrol(trx, tenantId, customerId, label);
    });
  }

  /** Answers ten recovery codes, shown this once. Throws `code_refused`, and `invalid_state` where nothing waits. */
  async confirm(who: Challenged, actor: Actor, code: string): Promise<string[]> {
    const { tenantId, customerId } = who;
    await this.database.tenant(tenantId, (trx) => findCustomer(trx, customerId));
    const recoveryCodes = await this.authenticators.confirm(tenantId, customerId, code);
    await this.database.tenant(tenantId, async (trx) => {
      await this.changed(trx, who);
      await noteCustomer(trx, tenantId, actor, 'customer.totp_confirm', customerId);
    });
    return recoveryCodes;
  }

  async remove(who: Challenged, actor: Actor, given: GivenCode): Promise<void> {
    await this.guard(who, given);
    const { tenantId, customerId } = who;
    await this.database.tenant(tenantId, async (trx) => {
      if (!(await this.authenticators.remove(trx, customerId))) throw noAuthenticator();
      await this.changed(trx, who);
      await noteCustomer(trx, tenantId, actor, 'customer.totp_remove', customerId);
    });
  }

  /** Ten recovery codes in place of the old ones, shown this once. */
  async renewRecoveryCodes(who: Challenged, actor: Actor, given: GivenCode): Promise<string[]> {
    await this.guard(who, given);
    const { tenantId, customerId } = who;
    return this.database.tenant(tenantId, async (trx) => {
      if (!(await this.authenticators.isConfirmed(trx, customerId))) throw noAuthenticator();
      await noteCustomer(trx, tenantId, actor, 'customer.recovery_codes', customerId);
      return this.authenticators.renewRecoveryCodes(trx, tenantId, customerId);
    });
  }

  /** The other sessions end, and the customer hears of it. */
  private async changed(trx: Knex.Transaction, { tenantId, customerId, session }: Challenged): Promise<void> {
    await endTokens(trx, customerId, session);
    const known = this.addresses.all(await findCustomer(trx, customerId));
    await tellOfSignInChange(trx, this.messenger, tenantId, 'authenticator', known);
  }

  private async guard(
    who: Challenged,
    given: GivenCode,
    otherwise: (trx: Knex.Transaction) => Promise<boolean> = async () => false,
  ): Promise<void> {
    const isAsked = await this.database.tenant(who.tenantId, async (trx) => {
      await findCustomer(trx, who.customerId);
      return (await this.authenticators.isConfirmed(trx, who.customerId)) || otherwise(trx);
    });
    if (isAsked && who.askedBy === who.customerId) await this.secondFactor.demand(who, 'settings', given);
  }
}

function noAuthenticator(): DomainError {
  return new DomainError('invalid_state', 'This customer has no authenticator');
}
