import type { Knex } from 'knex';
import type { Keys } from '../../foundation/config/key-source';
import { Messenger } from '../../foundation/messages/messenger';
import { type CustomerRow, ProfileSeal } from '../../people/customers/customer';
import { type ConsentRow, ownConsentsPath } from './consent';
import { noteConsentEvent, PLATFORM } from './move';
import { reauthenticationDue } from './usable';

/** What a customer is reminded of, before `at`. */
export interface Reminder {
  of: 'expiry' | 'reauthentication';
  at: Date;
}

interface Settings {
  /** REAUTHENTICATION_DAYS. */
  reauthenticationDays: number;
  /** How long before it the customer is told, in milliseconds. */
  reminderMs: number;
}

/**
 * The reminders that are due of a consent. A consent that was shorter than that from its beginning has none: its customer
 * has just agreed to it.
 */
export function dueReminders(
  consent: ConsentRow,
  { reauthenticationDays, reminderMs }: Settings,
  now: Date,
): Reminder[] {
  if (consent.status !== 'Authorised') return [];
  const isDue = (at: Date | null | undefined, since: Date | null, told: Date | null): at is Date =>
    !!at && !told && at.getTime() - reminderMs <= now.getTime() && at.getTime() - reminderMs > since!.getTime();
  // What a third party has to reconfirm, it asks its customer about itself.
  const reauthentication = reauthenticationDays > 0 ? reauthenticationDue(consent, reauthenticationDays) : undefined;
  const { expires_at, authorised_at, authenticated_at, expiry_told_at, reauthentication_told_at } = consent;
  const reminders: Reminder[] = [];
  if (isDue(expires_at, authorised_at, expiry_told_at)) reminders.push({ of: 'expiry', at: expires_at });
  if (
    isDue(reauthentication, authenticated_at, reauthentication_told_at) &&
    !(expires_at && expires_at <= reauthentication)
  )
    reminders.push({ of: 'reauthentication', at: reauthentication });
  return reminders;
}

const TOLD = {
  expiry: { column: 'expiry_told_at', cause: 'expiry_told', detail: 'The customer was told that it expires soon.' },
  reauthentication: {
    column: 'reauthentication_told_at',
    cause: 'reauthentication_told',
    detail: 'The customer was told to authenticate again.',
  },
} as const;

/** Tells customers of consents that end soon. */
export class ConsentReminders {
  private readonly profiles: ProfileSeal;
  private readonly messenger: Messenger;

  /** `vaultKeys`: VAULT_KEYS. `authUrl`: base address of the entrance. */
  constructor(
    vaultKeys: Keys,
    private readonly authUrl: string,
  ) {
    this.profiles = new ProfileSeal(vaultKeys);
    this.messenger = new Messenger(vaultKeys);
  }

  /** In the transaction in which the consent is locked, so that it is sent once. One without an address is not told. */
  async send(trx: Knex.Transaction, consent: ConsentRow, { of, at }: Reminder, now: Date): Promise<ConsentRow> {
    const { column, cause, detail } = TOLD[of];
    const [told]: ConsentRow[] = await trx('consents')
      .where({ id: consent.id })
      .update({ [column]: now })
      .returning('*');
    const customer: CustomerRow | undefined = await trx('customers')
      .where({ id: consent.customer_id })
      .whereNull('deleted_at')
      .first();
    const email = customer && (this.profiles.open(customer) as { person?: { email?: string } }).person?.email;
    if (!email) return told!;
    const tpp = await trx('tpps').where({ id: consent.tpp_id }).first('name');
    await this.messenger.send(trx, {
      tenantId: consent.tenant_id,
      channel: 'email',
      to: email,
      ...letterOf(of, tpp.name, at.toISOString().slice(0, 10), this.authUrl + ownConsentsPath(consent.tenant_id)),
    });
    await noteConsentEvent(trx, told!, { cause, actor: PLATFORM, detail });
    return told!;
  }
}

function letterOf(of: Reminder['of'], name: string, day: string, page: string): { subject: string; text: string } {
  const own = `You can see and end what you have allowed at any time: ${page}\n`;
  return of === 'expiry'
    ? {
        subject: `The access of ${name} ends soon`,
        text: `You have allowed ${name} to use your accounts. This ends on ${day}. To go on, open ${name} and agree again.\n\n${own}`,
      }
    : {
        subject: `Please confirm the access of ${name}`,
        text: `You have allowed ${name} to read your accounts. From ${day} on it can do so only after you have signed in again. To go on, open ${name} and follow its link to us.\n\n${own}`,
      };
}
