import type { Knex } from 'knex';
import { DomainError } from '../../../domain/errors';
import type { Messenger } from '../../../foundation/messages/messenger';
import { newSecret } from '../clients';
import { hashPassword, MAX_RESET_LINKS, passwordMatches } from '../passwords';
import type { SignInThrottle } from '../sign-in-throttle';
import { tokenDigest } from '../tokens';
import { requireStrong } from './password-strength';
import { endSessions } from './sessions';
import { noteUser, type UserRow, type Users } from './user';

/** Where a link leads: a form for the password. */
export const LINK_PAGE = '/onboarding/password';

export interface LinkSettings {
  /** How the API is reached from outside. */
  publicUrl: string;
  invitationTtlMs: number;
  resetTtlMs: number;
}

/** A link that works once. Its token is in the URL and nowhere else. */
export interface OneTimeLink {
  url: string;
  expiresAt: Date;
}

/** How many passwords of a user are not taken again, the present one among them (PCI DSS 8.3.7). */
const REMEMBERED = 4;

/** Whom a link is for. */
type Holder = Pick<UserRow, 'id' | 'contact_sealed' | 'password_hash' | 'earlier_password_hashes'>;

/** Throws `invalid_request` for a password that the user has, or had lately. */
async function requireOther(password: string, { password_hash, earlier_password_hashes }: Holder): Promise<void> {
  for (const stored of [password_hash, ...earlier_password_hashes].slice(0, REMEMBERED)) {
    if (!stored || !(await passwordMatches(stored, password))) continue;
    const message = `is one of your last ${REMEMBERED}`;
    throw new DomainError('invalid_request', `password ${message}`, { details: [{ field: 'password', message }] });
  }
}

/** One-time links by which users choose a password: the first by invitation, a forgotten one anew. */
export class UserLinks {
  /** `throttle`: requests for a link, by address and source. */
  constructor(
    private readonly users: Users,
    private readonly messenger: Messenger,
    private readonly throttle: SignInThrottle,
    private readonly settings: LinkSettings,
  ) {}

  /**
   * Sends an invitation in the caller's transaction; an earlier one leads nowhere from then on. `purpose`: what it is to,
   * as in "you are invited to …". Answers its expiry.
   */
  async invite(
    system: Knex.Transaction,
    user: Pick<UserRow, 'id' | 'contact_sealed' | 'tenant_id'>,
    purpose: string,
  ): Promise<Date> {
    const { url, expiresAt } = await this.issueInvitation(system, user.id);
    await this.write(system, user, {
      subject: `Invitation to ${purpose}`,
      text: (name) =>
        `Hello ${name},\n\nyou are invited to ${purpose}. To choose your password, open\n\n` +
        `${url}\n\nThe link works once, until ${expiresAt.toISOString()}. If you did not expect this message, ignore it.`,
    });
    return expiresAt;
  }

  /** An invitation that nobody is sent: the caller hands it over. An earlier one leads nowhere from then on. */
  issueInvitation(system: Knex.Transaction, userId: string): Promise<OneTimeLink> {
    return this.issue(system, userId, 'invitation');
  }

  /** Sends a user an e-mail, in the caller's transaction. `text`: with the user's name. */
  async write(
    system: Knex.Transaction,
    user: Pick<UserRow, 'id' | 'contact_sealed' | 'tenant_id'>,
    { subject, text }: { subject: string; text: (name: string) => string },
  ): Promise<void> {
    const { name, email } = this.users.contactOf(user);
    await this.messenger.send(system, {
      tenantId: user.tenant_id ?? (await oldestTenant(system)),
      channel: 'email',
      to: email,
      subject,
      text: text(name),
    });
  }

  /**
   * Sends a link to set a forgotten password anew. For an address that nobody signs in with, or that has enough links,
   * nothing is sent. Nothing at all happens for a source that asks too often. The caller is told nothing. Earlier links
   * stay good until one is used: who asks in somebody else's name takes nothing from them.
   */
  async requestReset(email: string, source: string): Promise<void> {
    const { system } = this.users.database;
    const subject = `reset ${email.trim().toLowerCase()}`;
    if ((await this.throttle.take(subject, source)) > 0) return;
    await system.transaction(async (trx) => {
      const user = await this.users.findByEmail(trx, email);
      const tenantId = user?.tenant_id ?? (await oldestTenant(trx));
      const hasEnough = await hasEnoughLinks(trx, user?.id);
      const isSent = user?.password_hash && !hasEnough;
      const { url } = isSent ? await this.issue(trx, user.id, 'reset') : { url: this.urlOf(newSecret()) };
      const message = {
        tenantId,
        channel: 'email',
        to: isSent ? this.users.contactOf(user).email : email.trim(),
        subject: 'Set a new password',
        text:
          `Somebody asked for a new password for you. To set one, open\n\n${url}\n\n` +
          `within ${Math.round(this.settings.resetTtlMs / 60_000)} minutes. If it was not you, ignore this message: nothing has changed.`,
      } as const;
      if (isSent) await this.messenger.send(trx, message);
      else await this.messenger.decoy(trx, message);
      await noteUser(trx, user, { action: 'user.password_reset_request', result: isSent ? 'done' : 'refused', source });
    });
  }

  /** Throws `link_unusable` as `setPassword` would now. The link stays valid: mail scanners open links too. */
  async check(token: string): Promise<Holder> {
    const { system } = this.users.database;
    const usable = await system('user_links as l')
      .join('users as u', 'u.id', 'l.user_id')
      .where({ 'l.digest': tokenDigest(token) })
      .where('l.expires_at', '>', system.raw('clock_timestamp()'))
      .whereNull('u.disabled_at')
      .first('u.id', 'u.contact_sealed', 'u.password_hash', 'u.earlier_password_hashes');
    if (!usable) throw unusable();
    return usable;
  }

  /**
   * Sets the password that the link is for, frees it of a lock and ends the user's tokens; a second factor stays as it is.
   * Throws `invalid_request` for a weak password and for one of the last four (PCI DSS 8.3.7), and `link_unusable` alike for a link that is unknown, used or expired:
   * before the password is hashed, which costs more than whoever guesses links may cost us.
   */
  async setPassword(token: string, password: string, source: string): Promise<UserRow> {
    const { system } = this.users.database;
    const digest = tokenDigest(token);
    const holder = await this.check(token);
    requireStrong(password, Object.values(this.users.contactOf(holder)));
    await requireOther(password, holder);
    const hash = await hashPassword(password);
    return system.transaction(async (trx) => {
      const [used] = await trx('user_links')
        .where({ digest })
        .where('expires_at', '>', trx.raw('clock_timestamp()'))
        .delete()
        .returning(['user_id', 'purpose']);
      if (!used) throw unusable();
      const [user]: UserRow[] = await trx('users')
        .where({ id: used.user_id })
        .whereNull('disabled_at')
        .update({
          password_hash: hash,
          password_set_at: trx.fn.now(),
          earlier_password_hashes: trx.raw(
            '(array_remove(array_prepend(password_hash, earlier_password_hashes), NULL))[1:?]',
            [REMEMBERED - 1],
          ),
          failures: 0,
          locked_until: null,
        })
        .returning('*');
      if (!user) throw unusable();
      // Other links that were asked for lead nowhere now.
      await trx('user_links').where({ user_id: user.id }).delete();
      await endSessions(trx, user.id);
      if (used.purpose === 'reset')
        await this.write(trx, user, {
          subject: 'Your password was changed',
          text: (name) =>
            `Hello ${name},\n\nyour password was changed, by a request from ${source}. Your sessions have ended. If it was not ` +
            'you, tell whoever administers your account at once.',
        });
      await noteUser(trx, user, { action: 'user.password_set', result: 'done', source, detail: { by: used.purpose } });
      return user;
    });
  }

  /** When the invitation of a user ends; undefined where there is none that works. */
  async invitationExpiry(system: Knex, userId: string): Promise<Date | undefined> {
    const link = await system('user_links')
      .where({ user_id: userId, purpose: 'invitation' })
      .where('expires_at', '>', system.raw('clock_timestamp()'))
      .first('expires_at');
    return link?.expires_at;
  }

  private async issue(system: Knex.Transaction, userId: string, purpose: 'invitation' | 'reset'): Promise<OneTimeLink> {
    const token = newSecret();
    const ttlMs = purpose === 'invitation' ? this.settings.invitationTtlMs : this.settings.resetTtlMs;
    // A new invitation takes the place of the earlier one. Links that anybody can ask for do not.
    if (purpose === 'invitation') await system('user_links').where({ user_id: userId, purpose }).delete();
    const [row] = await system('user_links')
      .insert({
        digest: tokenDigest(token),
        user_id: userId,
        purpose,
        expires_at: system.raw("clock_timestamp() + ? * interval '1 millisecond'", [ttlMs]),
      })
      .returning('expires_at');
    return { url: this.urlOf(token), expiresAt: row.expires_at };
  }

  private urlOf(token: string): string {
    return `${this.settings.publicUrl}${LINK_PAGE}?token=${token}`;
  }
}

/** Whether so many links lie in the user's mailbox, each of them good, that there is no need of another. */
async function hasEnoughLinks(system: Knex.Transaction, userId = ''): Promise<boolean> {
  const links = await system('user_links')
    .where({ user_id: userId, purpose: 'reset' })
    .where('expires_at', '>', system.raw('clock_timestamp()'))
    .limit(MAX_RESET_LINKS)
    .select('digest');
  return links.length >= MAX_RESET_LINKS;
}

function unusable(): DomainError {
  return new DomainError('link_unusable', 'The link is wrong, used up or out of time');
}

/** A tenant sends each message: those to operators go in the name of the oldest. */
async function oldestTenant(trx: Knex.Transaction): Promise<string> {
  return (await trx('tenants').orderBy(['created_at', 'id']).first('id')).id;
}
