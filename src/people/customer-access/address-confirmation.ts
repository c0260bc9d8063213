import { refuse } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { noteCustomer } from '../customers/audit-lines';
import { findCustomer, lockCustomer } from '../customers/customer';
import type { Addresses } from './addresses';
import { codeRefused, type Session, type Sessions } from './sessions';

/** Proves that an address in a customer's record is the customer's: a code sent there comes back. */
export class AddressConfirmation {
  constructor(
    private readonly database: Database,
    private readonly addresses: Addresses,
    private readonly sessions: Sessions,
  ) {}

  /** Sends a code to an address of the record. Throws `not_found`, `invalid_request` for any other, `rate_limited`. */
  async start(
    tenantId: string,
    actor: Actor,
    customerId: string,
    { type, value }: { type: 'email' | 'phone'; value: string },
  ): Promise<Session> {
    await this.database.tenant(tenantId, (trx) => findCustomer(trx, customerId));
    await this.sessions.admit(customerId, actor.id);
    return this.database.tenant(tenantId, async (trx) => {
      const customer = await findCustomer(trx, customerId);
      const address = this.addresses.ofValue(customer, type, value);
      if (!address) refuse('value', 'is not in the record of this customer');
      return this.sessions.sendCode(trx, { tenantId, customerId, address }, 'verification');
    });
  }

  /** Throws `code_refused`, also where the address has left the record since. */
  async confirm(
    tenantId: string,
    actor: Actor,
    customerId: string,
    { sessionId, code }: { sessionId: string; code: string },
  ): Promise<{ type: 'email' | 'phone'; verified: true }> {
    await this.database.tenant(tenantId, (trx) => findCustomer(trx, customerId));
    const session = await this.sessions.answer(tenantId, { customerId, purpose: 'verification', sessionId }, code);
    if (!session) throw codeRefused();
    const type = session.method === 'sms' ? 'phone' : 'email';
    return this.database.tenant(tenantId, async (trx) => {
      const customer = await lockCustomer(trx, customerId);
      if (!(await this.addresses.markVerified(trx, customer, { type, mac: session.identifier_mac! })))
        throw codeRefused();
      await noteCustomer(trx, tenantId, actor, 'customer.verify_address', customerId, { type });
      return { type, verified: true };
    });
  }
}
