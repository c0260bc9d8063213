import { found } from '../../../domain/errors';
import type { Database } from '../../../foundation/db/database';
import { noteUser } from './user';

/** Where a person is signed in. */
export interface UserSession {
  sessionId: string;
  /** Address from which the person signed in. */
  source?: string;
  /** What the browser or program calls itself. */
  agent?: string;
  createdAt: Date;
  expiresAt: Date;
}

interface TokenRow {
  id: string;
  user_id: string;
  source: string | null;
  agent: string | null;
  created_at: Date;
  expires_at: Date;
}

/** The sessions of a person: each is one access token. */
export class UserSessions {
  constructor(private readonly database: Pick<Database, 'system'>) {}

  /** Those that are good now, newest first. */
  async list(userId: string): Promise<UserSession[]> {
    const rows: TokenRow[] = await this.database
      .system('user_tokens')
      .where({ user_id: userId })
      .where('expires_at', '>', this.database.system.raw('clock_timestamp()'))
      .orderBy([{ column: 'created_at', order: 'desc' }, 'id']);
    return rows.map(({ id, source, agent, created_at, expires_at }) => ({
      sessionId: id,
      ...(source && { source }),
      ...(agent && { agent }),
      createdAt: created_at,
      expiresAt: expires_at,
    }));
  }

  /** Its token is refused from now on. Throws `not_found`. */
  async end(userId: string, sessionId: string, source: string): Promise<void> {
    await this.database.system.transaction(async (trx) => {
      const [ended] = await trx('user_tokens').where({ id: sessionId, user_id: userId }).delete().returning('id');
      found(ended, 'session');
      const user = await trx('users').where({ id: userId }).first('id', 'tenant_id');
      await noteUser(trx, user, { action: 'user.session_end', result: 'done', source, detail: { sessionId } });
    });
  }
}
