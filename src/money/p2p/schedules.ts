import type { Knex } from 'knex';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import { canScheduleBecome, type ScheduleStatus } from '../../domain/states/schedule';
import type { Database } from '../../foundation/db/database';
import { type Acting, FLOW_ACTOR, noteActing } from './acting';
import type { AliasKeys } from './alias-keys';
import { type Frequency, LAST_YEAR, nextOccurrence, type Recurrence } from './occurrences';
import { assertMayReceive, findParty, hintOfNamed, type Named, requireSender } from './recipient';
import { makeTransfer, type TransferDependencies } from './send';
import type { TransferRow } from './transfer';

/** One row of `p2p_schedules`. */
export interface ScheduleRow {
  id: string;
  tenant_id: string;
  sender_id: string;
  recipient_id: string;
  recipient_hint: string | null;
  /** Where the recipient was named by an account: nobody needs to have joined then. */
  recipient_iban: string | null;
  currency: string;
  amount_minor: bigint;
  note: string | null;
  kind: 'schedule' | 'standing_order';
  frequency: Frequency;
  starts_at: Date;
  ends_at: Date | null;
  status: ScheduleStatus;
  untold_since: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface ScheduleOrder {
  scheduleId: string;
  tenantId: string;
  senderId: string;
  recipient: Named;
  money: Money;
  note?: string;
  kind: ScheduleRow['kind'];
  recurrence: Recurrence;
  acting: Acting;
}

/**
 * Writes down transfers to come. The same id again answers the row that is there. Throws `not_found` for a recipient who
 * has not joined, `invalid_request` for a start that has passed, else as a transfer does.
 */
export async function makeSchedule(trx: Knex.Transaction, keys: AliasKeys, order: ScheduleOrder): Promise<ScheduleRow> {
  const { scheduleId, tenantId, senderId, recipient, money, recurrence } = order;
  const known: ScheduleRow | undefined = await trx('p2p_schedules').where({ id: scheduleId }).first();
  if (known) return known;
  await requireSender(trx, senderId, { mayBeOutside: 'iban' in recipient });
  const party = await findParty(trx, keys, recipient);
  if (!party) throw notFound('recipient');
  if (party.customer_id === senderId) refuse('recipient', 'is the sender');
  assertMayReceive(party);
  if (recurrence.startsAt.getTime() <= Date.now()) refuse('startsAt', 'must be in the future');
  if (recurrence.startsAt.getUTCFullYear() >= LAST_YEAR) refuse('startsAt', `must be before ${LAST_YEAR}`);
  if (recurrence.endsAt && recurrence.endsAt < recurrence.startsAt) refuse('endsAt', 'must not be before the start');
  const [row]: ScheduleRow[] = await trx('p2p_schedules')
    .insert({
      id: scheduleId,
      tenant_id: tenantId,
      sender_id: senderId,
      recipient_id: party.customer_id,
      recipient_hint: hintOfNamed(recipient),
      recipient_iban: 'iban' in recipient ? recipient.iban : null,
      currency: money.currency,
      amount_minor: money.amountMinor,
      note: order.note ?? null,
      kind: order.kind,
      frequency: recurrence.frequency,
      starts_at: recurrence.startsAt,
      ends_at: recurrence.endsAt ?? null,
      status: 'active' satisfies ScheduleStatus,
      untold_since: trx.raw('clock_timestamp()'),
      created_by: order.acting.actor.id,
    })
    .returning('*');
  await noteActing(trx, tenantId, order.acting, 'transfers_scheduled', senderId, { scheduleId });
  return row!;
}

export function recurrenceOf({ frequency, starts_at, ends_at }: ScheduleRow): Recurrence {
  return { frequency, startsAt: starts_at, ...(ends_at && { endsAt: ends_at }) };
}

export async function findSchedule(trx: Knex.Transaction, scheduleId: string): Promise<ScheduleRow> {
  return found(await trx('p2p_schedules').where({ id: scheduleId }).first(), 'schedule');
}

/** Ends a schedule: it makes no more transfers. A repeat changes nothing. */
export async function endSchedule(
  trx: Knex.Transaction,
  schedule: ScheduleRow,
  status: 'ended' | 'cancelled',
): Promise<ScheduleRow> {
  if (!canScheduleBecome(schedule.status, status)) return schedule;
  const now = trx.raw('clock_timestamp()');
  const [ended]: ScheduleRow[] = await trx('p2p_schedules')
    .where({ id: schedule.id, status: schedule.status })
    .update({ status, untold_since: now, updated_at: now })
    .returning('*');
  return ended ?? schedule;
}

/**
 * Makes the transfer of one occurrence. A repeat makes no second one. A refused transfer is written down as `failed`, so
 * that the customer sees why. The next occurrence is not affected. Undefined: nothing was due.
 */
export async function runSchedule(
  database: Database,
  parts: TransferDependencies,
  { scheduleId, tenantId, at }: { scheduleId: string; tenantId: string; at: Date },
): Promise<TransferRow | undefined> {
  const run = (make: (trx: Knex.Transaction, schedule: ScheduleRow) => Promise<TransferRow>) =>
    database.tenant(tenantId, async (trx) => {
      const schedule: ScheduleRow | undefined = await trx('p2p_schedules')
        .where({ id: scheduleId })
        .forUpdate()
        .first();
      const made: TransferRow | undefined = await trx('p2p_transfers')
        .where({ schedule_id: scheduleId, scheduled_for: at })
        .first();
      if (made || schedule?.status !== 'active') return made;
      const transfer = await make(trx, schedule);
      if (!nextOccurrence(recurrenceOf(schedule), at)) await endSchedule(trx, schedule, 'ended');
      return transfer;
    });
  try {
    return await run((trx, schedule) => makeTransfer(trx, parts, orderOf(schedule, at)));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return run((trx, schedule) => noteFailure(trx, schedule, at, error.message));
  }
}

function orderOf(schedule: ScheduleRow, at: Date) {
  return {
    transferId: newId('transfer'),
    tenantId: schedule.tenant_id,
    senderId: schedule.sender_id,
    recipient: schedule.recipient_iban ? { iban: schedule.recipient_iban } : { customerId: schedule.recipient_id },
    money: { amountMinor: schedule.amount_minor, currency: schedule.currency },
    note: schedule.note ?? undefined,
    acting: { actor: { id: FLOW_ACTOR, source: '', requestId: '' }, isStaff: false },
    schedule: { id: schedule.id, at },
  };
}

async function noteFailure(
  trx: Knex.Transaction,
  schedule: ScheduleRow,
  at: Date,
  reason: string,
): Promise<TransferRow> {
  const [row]: TransferRow[] = await trx('p2p_transfers')
    .insert({
      id: newId('transfer'),
      tenant_id: schedule.tenant_id,
      sender_id: schedule.sender_id,
      recipient_id: schedule.recipient_id,
      recipient_hint: schedule.recipient_hint,
      currency: schedule.currency,
      amount_minor: schedule.amount_minor,
      fee_minor: 0,
      fee_payer: 'sender',
      note: schedule.note,
      status: 'failed',
      status_detail: reason,
      moved_by: FLOW_ACTOR,
      schedule_id: schedule.id,
      scheduled_for: at,
    })
    .returning('*');
  return row!;
}
