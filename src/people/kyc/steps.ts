import type { Knex } from 'knex';
import type { CustomerStatus } from '../../domain/states/customer';
import type { Keys } from '../../foundation/config/key-source';
import { Messenger } from '../../foundation/messages/messenger';
import { DocumentKeys } from '../../foundation/vault/document-keys';
import { noteCustomer } from '../customers/audit-lines';
import { type CustomerRow, ProfileSeal } from '../customers/customer';
import { type DocumentRow, Documents } from '../customers/documents';
import { type CustomerEvent, moveCustomer } from '../customers/status';
import { meets, nameOf, policyOf, type Requirement, unmet } from './policy';

/** The actor in the history when the flow moves a customer. */
export const FLOW_ACTOR = 'verification';
const FLOW = { id: FLOW_ACTOR, source: '', requestId: '' };

/** Where the verification of a customer stands. */
export interface Standing {
  status: CustomerStatus;
  since: Date;
  /** Requirements that no verified document meets. */
  missing: Requirement[];
  /** Required documents that wait for a decision. */
  toReview: number;
  /** When there is something to do without anybody acting: a reminder, an expiry. */
  nextAt?: Date;
  /** Nobody and nothing is waited for. */
  ended: boolean;
}

export interface KycDependencies {
  documents: Documents;
  profiles: ProfileSeal;
  messenger: Pick<Messenger, 'send'>;
  /** How long before a document expires its customer is told, in milliseconds. */
  reminderMs: number;
}

/** `vaultKeys`: VAULT_KEYS. */
export function kycDependencies(vaultKeys: Keys, reminderMs: number): KycDependencies {
  return {
    documents: new Documents(new DocumentKeys(vaultKeys)),
    profiles: new ProfileSeal(vaultKeys),
    messenger: new Messenger(vaultKeys),
    reminderMs,
  };
}

/** What a tenant requires of this customer. */
export async function requirementsFor(trx: Knex.Transaction, customer: CustomerRow): Promise<Requirement[]> {
  const { settings } = await trx('tenants').where({ id: customer.tenant_id }).first('settings');
  return policyOf(settings)[customer.customer_type];
}

/**
 * Looks at a locked customer and does what is due: documents that have expired are marked so, reminders are sent, and the
 * status follows. Safe to repeat at any time.
 *
 * A verified customer who loses a required document becomes `under_investigation`: the status then says what is true,
 * staff and integrators see it where they look, and nothing is blocked, as the law gives time to renew. It goes back by
 * itself once the document is replaced; a status that a person has set since is left alone.
 */
export async function advance(
  trx: Knex.Transaction,
  parts: KycDependencies,
  customer: CustomerRow,
  now = new Date(),
): Promise<Standing> {
  // Whoever asks for another look from here on waits until this one has ended.
  await trx('customer_verifications').where({ customer_id: customer.id }).forUpdate().first();
  const requirements = await requirementsFor(trx, customer);
  const documents = await expire(trx, parts, customer, now);
  await remind(trx, parts, customer, documents, now);
  const missing = unmet(requirements, documents);
  const moved = await follow(trx, customer, { requirements, missing, documents });
  const nextAt = nextTime(documents, parts.reminderMs, now);
  await trx('customer_verifications')
    .where({ customer_id: customer.id })
    .update({ look_at: nextAt ?? null });
  const isOpen =
    moved.status === 'under_verificaiton' || (moved.status === 'under_investigation' && missing.length > 0);
  return {
    status: moved.status,
    since: (await lastEvent(trx, customer.id))?.at ?? customer.created_at,
    missing,
    toReview: documents.filter(({ status }) => status === 'underverification').length,
    ...(nextAt && { nextAt }),
    ended: !isOpen && nextAt === undefined,
  };
}

/** Marks the documents whose time is up. Answers all documents as they are then. */
async function expire(
  trx: Knex.Transaction,
  { documents }: KycDependencies,
  customer: CustomerRow,
  now: Date,
): Promise<DocumentRow[]> {
  const rows = await documents.of(trx, [customer.id]);
  return Promise.all(
    rows.map(async (row) => {
      if (row.status !== 'verified' || !row.expires_at || row.expires_at > now) return row;
      const [expired]: DocumentRow[] = await trx('customer_documents')
        .where({ id: row.id })
        .update({
          status: 'expired',
          verification_response: `Expired on ${row.expires_at.toISOString()}`,
          changed_at: trx.raw('clock_timestamp()'),
        })
        .returning('*');
      await noteCustomer(trx, customer.tenant_id, FLOW, 'customer.document_expired', customer.id, {
        documentId: row.id,
      });
      return expired!;
    }),
  );
}

/** Tells the customer, once, of each document that expires soon. The document is named by its type, nothing else. */
async function remind(
  trx: Knex.Transaction,
  { profiles, messenger, reminderMs }: KycDependencies,
  customer: CustomerRow,
  documents: DocumentRow[],
  now: Date,
): Promise<void> {
  const due = documents.filter(
    ({ status, expires_at, reminded_at }) =>
      status === 'verified' && expires_at && !reminded_at && expires_at.getTime() - reminderMs <= now.getTime(),
  );
  if (due.length === 0) return;
  const { person } = profiles.open(customer) as { person?: { email?: string } };
  for (const { id, document_type, expires_at } of due) {
    await trx('customer_documents').where({ id }).update({ reminded_at: now });
    const name = document_type ?? 'document';
    if (person?.email)
      await messenger.send(trx, {
        tenantId: customer.tenant_id,
        channel: 'email',
        to: person.email,
        subject: `Your document expires soon: ${name}`,
        text:
          `A document we hold for you, "${name}", expires on ${expires_at!.toISOString().slice(0, 10)}.\n\n` +
          'Please add a current one in time, so that your account stays verified.\n',
      });
    await noteCustomer(trx, customer.tenant_id, FLOW, 'customer.document_expiry_told', customer.id, { documentId: id });
  }
}

interface Findings {
  requirements: Requirement[];
  missing: Requirement[];
  documents: DocumentRow[];
}

/** The status that follows from the documents. */
async function follow(
  trx: Knex.Transaction,
  customer: CustomerRow,
  { requirements, missing, documents }: Findings,
): Promise<CustomerRow> {
  const isComplete = requirements.length > 0 && missing.length === 0;
  const move = (to: CustomerStatus, reason: string) => moveCustomer(trx, customer, to, { actor: FLOW_ACTOR, reason });
  if (customer.status === 'under_verificaiton' && isComplete)
    return move('verified', 'Every required document is verified.');
  if (customer.status !== 'verified' && customer.status !== 'under_investigation') return customer;
  const last = await lastEvent(trx, customer.id);
  if (customer.status === 'under_investigation')
    return isComplete && last?.actor === FLOW_ACTOR
      ? move('verified', 'Every required document is verified again.')
      : customer;
  const since = last?.at ?? customer.created_at;
  const lapsed = [...documents, ...(await withdrawn(trx, customer.id))].filter(
    (document) => hasLapsed(document) && document.changed_at.getTime() > since.getTime(),
  );
  const lost = missing.filter((requirement) => lapsed.some((document) => meets(requirement, document)));
  if (lost.length === 0) return customer;
  return move('under_investigation', `No longer valid: ${lost.map(nameOf).join('; ')}.`);
}

/** The last change of status; none of a customer who stands as it was created. */
function lastEvent(trx: Knex.Transaction, customerId: string): Promise<CustomerEvent | undefined> {
  return trx('customer_events').where({ customer_id: customerId }).orderBy('id', 'desc').first();
}

function withdrawn(trx: Knex.Transaction, customerId: string): Promise<DocumentRow[]> {
  return trx('customer_documents').where({ customer_id: customerId }).whereNotNull('withdrawn_at');
}

function hasLapsed({ status, withdrawn_at }: DocumentRow): boolean {
  return status === 'expired' || status === 'rejected' || (status === 'verified' && withdrawn_at !== null);
}

/** The next moment at which a reminder or an expiry is due. */
function nextTime(documents: DocumentRow[], reminderMs: number, now: Date): Date | undefined {
  const times = documents
    .filter(({ status, expires_at }) => status === 'verified' && expires_at !== null)
    .flatMap(({ expires_at }) => [expires_at!.getTime() - reminderMs, expires_at!.getTime()])
    .filter((time) => time > now.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
