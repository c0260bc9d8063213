import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { NotificationType } from '../../domain/notification-type';
import { jsonOf } from '../db/json';

/** What merchants are told of one step. `id` ends as the place of each destination says (see notification_enqueue). */
export interface Notice {
  id: string;
  type: NotificationType;
  /** The address that came with the payment; absent: it is for the endpoints of the organization alone. */
  url?: string;
  /** Scheme, host and port of `url`. */
  endpoint?: string;
  /** What is signed and sent; `@<id>` stands for the time of the step. */
  body: string;
}

/** A notice, and whom and what it is about. */
export interface QueuedNotice extends Notice {
  organization: string;
  /** Of a payment. */
  terminal?: string;
  payment?: string;
  /** What it is about, where that is no payment. */
  subject?: string;
  /** The order within the payment. */
  sequence?: number;
  /** Absent: now. */
  at?: Date;
}

/** Something that happened to a record, and the record as the API shows it. */
export interface News {
  tenantId: string;
  organizationId: string;
  /** The id of the record. */
  subjectId: string;
  type: NotificationType;
  data: Record<string, unknown>;
}

/** Writes a notice with the members that every body has. `recordOf`: makes the record, given what stands for the time. */
export function noticeOf(
  type: NotificationType,
  recordOf: (at: string) => Record<string, unknown>,
  url?: string,
): Notice {
  const id = newId('notification');
  const at = `@${id}`;
  const body = JSON.stringify({ id, type, createdAt: at, data: recordOf(at) });
  return { id, type, body, ...(url && { url, endpoint: new URL(url).origin }) };
}

/**
 * Queues notices in the transaction of the step that they tell of, so that merchants hear of everything that happened, and
 * of nothing that did not.
 */
export async function enqueueNotices(
  trx: Knex.Transaction,
  tenantId: string,
  notices: readonly QueuedNotice[],
): Promise<void> {
  if (notices.length > 0) await trx.raw('SELECT notification_enqueue(?, ?::jsonb)', [tenantId, jsonOf(notices)]);
}

/** Tells the endpoints of an organization of a record that is no payment. The caller has locked its row, or made it. */
export async function tell(
  trx: Knex.Transaction,
  { tenantId, organizationId, subjectId, type, data }: News,
): Promise<void> {
  const notice = noticeOf(type, () => data);
  await enqueueNotices(trx, tenantId, [{ ...notice, organization: organizationId, subject: subjectId }]);
}
