import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type ConsentRow, findConsentOfTpp } from './consent';
import { createConsent, type NewConsent } from './create';

interface ConsentParts {
  database: Database;
  /** How long a new consent waits for its customer, in milliseconds. */
  authorisationTtlMs: number;
}

/** What the API does about consents. What somebody orders is done in the request; the flow shows it and watches the time. */
export class Consents {
  constructor(private readonly parts: ConsentParts) {}

  /** Writes down what a third party asks for. The same id again answers the consent that is there. */
  create(order: NewConsent, by: Actor): Promise<ConsentRow> {
    const { database, authorisationTtlMs } = this.parts;
    return database.tenant(order.tenantId, (trx) => createConsent(trx, order, authorisationTtlMs, by));
  }

  /** Throws `not_found`, also for another third party's. */
  forTpp(tppId: string, consentId: string): Promise<ConsentRow> {
    return findConsentOfTpp(this.parts.database.system, tppId, consentId);
  }
}
