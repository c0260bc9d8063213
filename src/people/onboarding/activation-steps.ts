import type { Knex } from 'knex';
import { isOpenActivation } from '../../domain/states/activation';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Messenger } from '../../foundation/messages/messenger';
import type { Contact, UserRow, Users } from '../identity/users/user';
import { type ActivationRow, activationSubject, checksOf, findActivation } from './activation';

/** Sends a merchant's server a signed test, once. */
export interface TestNotifications {
  ping(
    place: { tenantId: string; organizationId: string; terminalId: string },
    url: string,
  ): Promise<{ state: string }>;
}

export interface ActivationDependencies {
  users: Users;
  messenger: Pick<Messenger, 'send'>;
  notifications: TestNotifications;
  /** How long an application waits for a decision before operators are reminded, again and again, in milliseconds. */
  reminderMs: number;
}

/** `vaultKeys`: VAULT_KEYS. */
export function activationDependencies(
  users: Users,
  vaultKeys: Keys,
  options: Pick<ActivationDependencies, 'notifications' | 'reminderMs'>,
): ActivationDependencies {
  return { users, messenger: new Messenger(vaultKeys), ...options };
}

/** How long a merchant's server may take to answer a ping. */
const PING_MS = 5_000;

/**
 * What is due of one application: its callback is pinged, it comes under review, a decision takes effect, operators are
 * reminded. Safe to repeat at any time.
 */
export class ActivationSteps {
  constructor(
    private readonly database: Database,
    private readonly parts: ActivationDependencies,
    private readonly announce: (trx: Knex.Transaction, subject: string) => Promise<void>,
  ) {}

  /** Answers the row as it stands then, and when there is something to do without anybody acting. */
  async look(tenantId: string, id: string): Promise<{ row: ActivationRow; open: string[]; nextAt?: Date }> {
    const seen = await this.database.tenant(tenantId, (trx) => findActivation(trx, id));
    const answered = seen.status === 'submitted' && seen.callback_url ? await this.ping(seen) : seen.callback_answered;
    return this.database.tenant(tenantId, async (trx) => {
      let row = await findActivation(trx, id, { lock: true });
      if (row.status === 'submitted')
        row = await this.change(trx, row, { status: 'in_review', callback_answered: answered });
      if (row.decision && isOpenActivation(row.status)) row = await this.carryOut(trx, row);
      const nextAt = isOpenActivation(row.status) ? await this.remind(trx, row) : undefined;
      row = await this.change(trx, row, { look_at: nextAt ?? null });
      await this.announce(trx, activationSubject(id));
      const open = (await checksOf(trx, row)).filter(({ done }) => !done).map(({ item }) => item);
      return { row, open, ...(nextAt && { nextAt }) };
    });
  }

  /** The decision takes effect: an approved merchant is live from here on, and its contact is told. */
  private async carryOut(trx: Knex.Transaction, row: ActivationRow): Promise<ActivationRow> {
    const { decision, organization_id, tenant_id, reason } = row;
    if (decision === 'approved') await trx('organizations').where({ id: organization_id }).update({ live: true });
    const organization = await trx('organizations').where({ id: organization_id }).first('name');
    const contact = await this.contactOf(trx, organization_id);
    const because = reason ? `\n\nThe reason given: ${reason}` : '';
    if (contact && decision !== 'withdrawn')
      await this.tell(trx, tenant_id, contact, {
        subject: decision === 'approved' ? `${organization.name} is live` : `${organization.name} cannot go live yet`,
        text:
          decision === 'approved'
            ? `Hello ${contact.name},\n\nyour application was approved: ${organization.name} is live.${because}`
            : `Hello ${contact.name},\n\nyour application was rejected.${because}\n\nYou can apply again at any time.`,
      });
    return this.change(trx, row, { status: decision! });
  }

  /** Reminds the operators where it is time. Answers when it will be the next time. */
  private async remind(trx: Knex.Transaction, row: ActivationRow): Promise<Date> {
    const { reminderMs } = this.parts;
    const dueAt = (row.reminded_at ?? row.created_at).getTime() + reminderMs;
    if (dueAt > Date.now()) return new Date(dueAt);
    const { name } = await trx('organizations').where({ id: row.organization_id }).first('name');
    const operators: UserRow[] = await this.database.system('users').where({ role: 'ops' }).whereNull('disabled_at');
    for (const operator of operators)
      await this.tell(trx, row.tenant_id, this.parts.users.contactOf(operator), {
        subject: `${name} waits to go live`,
        text: `The application ${row.id} of ${name} has waited for a decision since ${row.created_at.toISOString()}.`,
      });
    await this.change(trx, row, { reminded_at: new Date() });
    return new Date(Date.now() + reminderMs);
  }

  private async tell(
    trx: Knex.Transaction,
    tenantId: string,
    { email }: Contact,
    message: { subject: string; text: string },
  ): Promise<void> {
    await this.parts.messenger.send(trx, { tenantId, channel: 'email', to: email, ...message });
  }

  private async contactOf(trx: Knex.Transaction, organizationId: string): Promise<Contact | undefined> {
    const user: UserRow | undefined = await trx('users')
      .where({ organization_id: organizationId })
      .whereNull('disabled_at')
      .orderBy(['created_at', 'id'])
      .first();
    return user && this.parts.users.contactOf(user);
  }

  /** Sends a signed test where the merchant says it takes notifications; whether a 2xx came back in time. */
  private async ping({ tenant_id, organization_id, callback_url }: ActivationRow): Promise<boolean> {
    const { terminal_id } = await this.database.tenant(tenant_id, (trx) =>
      trx('merchant_accounts').where({ organization_id }).orderBy(['created_at', 'id']).first('terminal_id'),
    );
    const place = { tenantId: tenant_id, organizationId: organization_id, terminalId: terminal_id };
    const late = new Promise<void>((resolve) => setTimeout(resolve, PING_MS).unref());
    const sent = await Promise.race([this.parts.notifications.ping(place, callback_url!), late]);
    return sent ? sent.state === 'delivered' : false;
  }

  private async change(
    trx: Knex.Transaction,
    row: ActivationRow,
    changes: Partial<ActivationRow>,
  ): Promise<ActivationRow> {
    const [changed]: ActivationRow[] = await trx('activations').where({ id: row.id }).update(changes).returning('*');
    return changed!;
  }
}
