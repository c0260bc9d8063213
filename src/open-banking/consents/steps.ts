import type { Knex } from 'knex';
import type { ConsentInput, ConsentView } from '../../domain/consent-flow';
import { isOverConsent } from '../../domain/states/consent';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { type ConsentRow, findConsent } from './consent';
import { type ConsentMove, moveConsent, PLATFORM } from './move';
import { ConsentReminders, dueReminders } from './reminders';
import { reauthenticationDue } from './usable';

export interface ConsentDependencies {
  database: Database;
  consents: { reminders: ConsentReminders; reauthenticationDays: number; reminderMs: number };
}

/** `vaultKeys`: VAULT_KEYS. `authUrl`: base address of the entrance. */
export function consentDependencies(
  vaultKeys: Keys,
  authUrl: string,
  { reauthenticationDays, reminderMs }: { reauthenticationDays: number; reminderMs: number },
): ConsentDependencies['consents'] {
  return { reminders: new ConsentReminders(vaultKeys, authUrl), reauthenticationDays, reminderMs };
}

/** Does what is due of a consent and tells its flow how it stands. Safe to repeat at any time. Throws `not_found`. */
export function lookAtConsent(
  { database, consents }: ConsentDependencies,
  { consentId, tenantId }: ConsentInput,
  now = new Date(),
): Promise<ConsentView> {
  return database.tenant(tenantId, async (trx) => {
    const seen = await findConsent(trx, consentId, { lock: true });
    const due = isOverConsent(seen.status) ? undefined : await dueMove(trx, seen, now);
    let consent = due ? await moveConsent(trx, seen, due) : seen;
    for (const reminder of dueReminders(consent, consents, now))
      consent = await consents.reminders.send(trx, consent, reminder, now);
    const next = nextLook(consent, consents, now);
    await trx('consents')
      .where({ id: consentId })
      .update({ look_at: next ?? null });
    return viewOf(consent, next, now);
  });
}

type Due = Pick<ConsentMove, 'to' | 'cause' | 'actor' | 'detail'>;

async function dueMove(trx: Knex.Transaction, consent: ConsentRow, now: Date): Promise<Due | undefined> {
  const { status, awaits_until, expires_at } = consent;
  const isWaiting = status === 'AwaitingAuthorisation';
  if (await isErased(trx, consent)) {
    const detail = 'The record of the customer was erased.';
    return isWaiting
      ? { to: 'Rejected', cause: 'rejected', actor: PLATFORM, detail }
      : { to: 'Revoked', cause: 'revoked', actor: PLATFORM, detail };
  }
  const expired = { to: 'Expired', cause: 'expired', actor: PLATFORM } as const;
  if (isWaiting && awaits_until <= now) return { ...expired, detail: 'The customer has not authorised it in time.' };
  if (expires_at && expires_at <= now) return { ...expired, detail: 'Its time is up.' };
  return undefined;
}

async function isErased(trx: Knex.Transaction, { customer_id }: ConsentRow): Promise<boolean> {
  if (!customer_id) return false;
  const erased = await trx('customers').where({ id: customer_id }).whereNotNull('deleted_at').first('id');
  return erased !== undefined;
}

/** When something is due next. Whatever else becomes of it has it looked at sooner. */
function nextLook(consent: ConsentRow, settings: ConsentDependencies['consents'], now: Date): Date | undefined {
  if (isOverConsent(consent.status)) return undefined;
  const { status, awaits_until, expires_at } = consent;
  const { reauthenticationDays } = settings;
  const reauthentication = reauthenticationDays > 0 ? reauthenticationDue(consent, reauthenticationDays) : undefined;
  const times = status === 'AwaitingAuthorisation' ? [awaits_until] : [];
  if (expires_at) times.push(expires_at);
  for (const before of [expires_at, reauthentication])
    if (before) times.push(new Date(before.getTime() - settings.reminderMs));
  const coming = times.map((time) => time.getTime()).filter((time) => time > now.getTime());
  return coming.length === 0 ? undefined : new Date(Math.min(...coming));
}

function viewOf(consent: ConsentRow, next: Date | undefined, now: Date): ConsentView {
  const { status, status_detail: detail, awaits_until, expires_at, updated_at } = consent;
  const until = status === 'AwaitingAuthorisation' ? awaits_until : expires_at;
  const ended = isOverConsent(status);
  return {
    status,
    detail,
    sinceMs: updated_at.getTime(),
    ...(!ended && until && { untilMs: until.getTime() }),
    ...(next && { nextInMs: Math.max(1, next.getTime() - now.getTime()) }),
    ended,
  };
}
