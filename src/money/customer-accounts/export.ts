import type { Knex } from 'knex';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type AuditRow, customerAudit } from '../../people/customers/audit';
import { noteRead } from '../../people/customers/audit-lines';
import { findCustomer } from '../../people/customers/customer';
import { type WholeDocument, wholeDocuments } from '../../people/customers/document-files';
import type { Documents } from '../../people/customers/documents';
import type { Customer, CustomerRegister } from '../../people/customers/register';
import { type CustomerEvent, eventsOf } from '../../people/customers/status';
import type { Beneficiary, BeneficiaryKeys, BeneficiaryRow } from '../beneficiaries/beneficiary';
import type { AliasKeys } from '../p2p/alias-keys';
import { type Member, memberOf } from '../p2p/membership';
import type { RequestRow } from '../p2p/requests';
import type { ScheduleRow } from '../p2p/schedules';
import type { TransferRow } from '../p2p/transfer';
import type { PaymentRow } from '../payments/payment';
import type { SavedCardRow } from '../payments/saved-card';
import { savedCards } from '../saved-cards/payment-methods';
import type { StandingOrderRow } from '../standing-orders/order';
import { accessesOf, consentsOf, type HeldAccess, type HeldConsent } from './consents';

/** Everything that is held about a customer, secrets and card numbers apart. */
export interface CustomerExport {
  customer: Customer;
  statusHistory: CustomerEvent[];
  /** Those no longer in the record, too. */
  documents: WholeDocument[];
  /** What the customer can be found by. The values stand in the profile: only keyed hashes are stored of them. */
  identifiers: { type: string; verified_at: Date | null }[];
  /** Which secrets are stored, never what they are. */
  secrets: { kind: string; updated_at: Date }[];
  /** What the customer has agreed to be asked for; undefined when it never did. */
  twoFactor?: { login: boolean; trading: boolean; funding: boolean; updated_at: Date };
  payments: PaymentRow[];
  /** How the customer can be sent money; undefined when it never joined. */
  member?: Member;
  /** Sent and received. */
  transfers: TransferRow[];
  moneyRequests: RequestRow[];
  schedules: ScheduleRow[];
  paymentMethods: SavedCardRow[];
  beneficiaries: Beneficiary[];
  standingOrders: StandingOrderRow[];
  mandates: { id: string; iban_last4: string; account_holder: string; signed_at: Date; state: string }[];
  /** What the customer lets third parties do, or did. */
  consents: HeldConsent[];
  /** Who read what under them, newest first. */
  consentAccesses: HeldAccess[];
  /** Newest first. */
  audit: AuditRow[];
}

/** The latest lines of a log; all of it is read page by page elsewhere. */
const LATEST_LINES = 1_000;

/** Collects all that is held about a customer, for the customer to have (GDPR articles 15 and 20). */
export class CustomerExporter {
  constructor(
    private readonly database: Database,
    private readonly register: CustomerRegister,
    private readonly documents: Documents,
    private readonly beneficiaries: BeneficiaryKeys,
    private readonly aliases: AliasKeys,
  ) {}

  /** Throws `not_found`. `staff`: who asks for somebody else's record. */
  async collect(tenantId: string, customerId: string, staff?: Actor): Promise<CustomerExport> {
    return this.database.tenant(tenantId, async (trx) => {
      const row = await findCustomer(trx, customerId);
      if (staff) await noteRead(trx, tenantId, staff, 'customer.export', [customerId]);
      const own = { customer_id: customerId };
      return {
        customer: await this.register.whole(trx, row),
        statusHistory: await eventsOf(trx, row),
        documents: await wholeDocuments(trx, this.documents, await trx('customer_documents').where(own).orderBy('id')),
        identifiers: await trx('customer_identifiers').where(own).orderBy('type').select('type', 'verified_at'),
        secrets: await trx('customer_secrets').where(own).orderBy('kind').select('kind', 'updated_at'),
        twoFactor: await trx('two_factor_settings').where(own).first(),
        payments: await trx('payments').where(own).orderBy('id'),
        member: await memberOf(trx, this.aliases, customerId),
        transfers: await ofEither(trx, 'p2p_transfers', customerId, ['sender_id', 'recipient_id']),
        moneyRequests: await ofEither(trx, 'p2p_requests', customerId, ['requester_id', 'payer_id']),
        schedules: await trx('p2p_schedules').where({ sender_id: customerId, kind: 'schedule' }).orderBy('id'),
        paymentMethods: await savedCards(trx, customerId),
        beneficiaries: ((await trx('beneficiaries').where(own).orderBy('id')) as BeneficiaryRow[]).map((saved) => ({
          row: saved,
          recipient: this.beneficiaries.open(saved),
        })),
        standingOrders: await trx('p2p_schedules')
          .where({ sender_id: customerId, kind: 'standing_order' })
          .orderBy('id'),
        mandates: await trx('mandates').where(own).orderBy('id'),
        consents: await consentsOf(trx, customerId),
        consentAccesses: await accessesOf(trx, customerId, LATEST_LINES),
        audit: await customerAudit(trx, customerId, LATEST_LINES),
      };
    });
  }
}

function ofEither(trx: Knex.Transaction, table: string, customerId: string, sides: [string, string]) {
  const [one, other] = sides;
  return trx(table)
    .where({ [one]: customerId })
    .orWhere({ [other]: customerId })
    .orderBy('id');
}
