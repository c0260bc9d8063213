import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { CustomerStatus } from '../../domain/states/customer';
import { canDocumentBecome } from '../../domain/states/document';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { noteCustomer } from '../customers/audit-lines';
import { type CustomerRow, findCustomer, lockCustomer } from '../customers/customer';
import { type DocumentPlace, findDocument, type WholeDocument, wholeDocuments } from '../customers/document-files';
import type { DocumentRow, Documents } from '../customers/documents';
import { kycSubject, wakeKyc } from '../customers/kyc-wake';
import { type CustomerEvent, eventsOf, moveCustomer } from '../customers/status';
import { proceedWithKyc } from './flow';
import { type KycPolicy, nameOf, policyOf, statedExpiry, unmet } from './policy';
import { type KycDependencies, requirementsFor } from './steps';

export type Verdict = { reason?: string; fileId?: string } & (
  | { status: 'verified'; expiresAt?: Date }
  | { status: 'rejected' }
);

/** What the API does about statuses and documents. Decisions are written down first; the customer's flow acts on them. */
export class KycService {
  /** `firstAnswerMs`: how long a request waits for the flow, in milliseconds. */
  constructor(
    private readonly deps: {
      database: Database;
      engine: Engine;
      firstAnswers: FirstAnswers;
      verification: KycDependencies;
    },
    private readonly firstAnswerMs: number,
  ) {}

  private get documents(): Documents {
    return this.deps.verification.documents;
  }

  /**
   * Moves a customer by hand. Throws `not_found`, and `invalid_state` for a move that is not listed, or to `verified` out
   * of `under_verificaiton` while a required document is missing, unless `override`. `seen`: the version of a reopened
   * record that was looked at, else empty; `invalid_state` if it has changed since.
   */
  async changeStatus(
    tenantId: string,
    customerId: string,
    change: { status: CustomerStatus; reason: string; override?: boolean; seen?: string },
    actor: Actor,
  ): Promise<CustomerRow> {
    const { status, reason, override = false, seen } = change;
    const moved = await this.deps.database.tenant(tenantId, async (trx) => {
      const customer = await lockCustomer(trx, customerId);
      if (seen !== undefined && seen !== (customer.reopened_at ? `${customer.version}` : ''))
        throw new DomainError('invalid_state', 'the record has changed: look at the present one');
      if (customer.status === 'under_verificaiton' && status === 'verified' && !override)
        await this.requireComplete(trx, customer);
      const row = await moveCustomer(trx, customer, status, { actor: actor.id, reason });
      await noteCustomer(trx, tenantId, actor, 'customer.status_changed', customerId, {
        from: customer.status,
        to: status,
        reason,
        ...(override && { override }),
      });
      return row;
    });
    await this.wake(moved);
    return moved;
  }

  /** The history of a customer's status, oldest first. Throws `not_found`. */
  events(tenantId: string, customerId: string): Promise<CustomerEvent[]> {
    return this.deps.database.tenant(tenantId, async (trx) => eventsOf(trx, await findCustomer(trx, customerId)));
  }

  /** The documents of a customer in the record's order. Throws `not_found`. `staff`: who reads somebody else's. */
  list(tenantId: string, customerId: string, staff?: Actor): Promise<WholeDocument[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const { id } = await findCustomer(trx, customerId);
      if (staff) await noteCustomer(trx, tenantId, staff, 'customer.documents_read', id);
      return this.whole(trx, await this.documents.of(trx, [id]));
    });
  }

  /**
   * Writes down what a reviewer decided and waits a while for the flow to act on it. Throws `not_found`, and
   * `invalid_state` where the document's state does not allow it, its file is another by now, or it has expired.
   */
  async review(place: DocumentPlace, verdict: Verdict, actor: Actor): Promise<WholeDocument> {
    const { database, firstAnswers } = this.deps;
    const answered = firstAnswers.wait(kycSubject(place.customerId), this.firstAnswerMs);
    const { customer, document } = await database.tenant(place.tenantId, async (trx) => {
      const customer = await lockCustomer(trx, place.customerId);
      const [known] = await this.whole(trx, [await findDocument(trx, place)]);
      const document = await this.decide(trx, known!, verdict, actor);
      await wakeKyc(trx, [customer]);
      return { customer, document };
    });
    if (await this.wake(customer)) await answered;
    return document;
  }

  policy(tenantId: string): Promise<KycPolicy> {
    return this.deps.database.tenant(tenantId, async (trx) =>
      policyOf((await trx('tenants').where({ id: tenantId }).first('settings')).settings),
    );
  }

  /** Replaces what a tenant requires. Customers under verification are looked at anew; those verified stay so. */
  async setPolicy(tenantId: string, policy: KycPolicy, actor: Actor): Promise<void> {
    await this.deps.database.system.transaction(async (trx) => {
      const settings = trx.raw("settings || jsonb_build_object('verification', ?::jsonb)", [JSON.stringify(policy)]);
      await trx('tenants').where({ id: tenantId }).update({ settings });
      await noteCustomer(trx, tenantId, actor, 'customer.verification_policy_set', tenantId, { policy });
      await trx('customer_verifications')
        .whereIn(
          'customer_id',
          trx('customers').where({ tenant_id: tenantId, status: 'under_verificaiton' }).select('id'),
        )
        .update({ look_at: trx.fn.now() });
    });
  }

  /** Wakes the customer's flow. False: the engine is away, and the workers' rounds will do it when it is back. */
  wake(customer: CustomerRow): Promise<boolean> {
    const { engine } = this.deps;
    return wake(engine, () => proceedWithKyc(engine, customer));
  }

  /** A document with all that is known of it. */
  async whole(trx: Knex.Transaction, rows: DocumentRow[]): Promise<WholeDocument[]> {
    return wholeDocuments(trx, this.documents, rows);
  }

  private async decide(
    trx: Knex.Transaction,
    { row, content, file }: WholeDocument,
    verdict: Verdict,
    actor: Actor,
  ): Promise<WholeDocument> {
    const { status, reason, fileId } = verdict;
    if (!canDocumentBecome(row.status, status))
      throw new DomainError('invalid_state', `a document that is ${row.status} cannot become ${status}`);
    if (fileId !== undefined && fileId !== file?.id)
      throw new DomainError('invalid_state', 'the file was replaced: look at the present one');
    const expiresAt = verdict.status === 'verified' ? (verdict.expiresAt ?? statedExpiry(content.metadata)) : undefined;
    if (expiresAt && expiresAt.getTime() <= Date.now())
      throw new DomainError('invalid_state', `the document expired at ${expiresAt.toISOString()}`);
    const [changed]: DocumentRow[] = await trx('customer_documents')
      .where({ id: row.id })
      .update({
        status,
        verification_response: reason ?? 'Verified',
        expires_at: expiresAt ?? null,
        reminded_at: null,
        reviewed_by: actor.id,
        changed_at: trx.raw('clock_timestamp()'),
      })
      .returning('*');
    const action = status === 'verified' ? 'customer.document_approved' : 'customer.document_rejected';
    await noteCustomer(trx, row.tenant_id, actor, action, row.customer_id, {
      documentId: row.id,
      ...(file && { fileId: file.id }),
      ...(reason && { reason }),
    });
    return { row: changed!, content, file };
  }

  private async requireComplete(trx: Knex.Transaction, customer: CustomerRow): Promise<void> {
    const missing = unmet(await requirementsFor(trx, customer), await this.documents.of(trx, [customer.id]));
    if (missing.length > 0)
      throw new DomainError(
        'invalid_state',
        `not verified yet: ${missing.map(nameOf).join('; ')}; override states that this is known`,
      );
  }
}
