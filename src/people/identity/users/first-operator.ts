import { DomainError } from '../../../domain/errors';
import { newId } from '../../../domain/ids';
import { noteDone } from '../../../foundation/audit-log/audit-log';
import type { OneTimeLink, UserLinks } from './links';
import { PEOPLE_LOCK } from './people';
import type { Contact, UserRow, Users } from './user';

const ACTOR = { id: 'first operator', source: 'command line', requestId: '' };

/**
 * Makes the first operator of an installation, and a link to choose a password with, which stands nowhere but in the
 * answer. It can be done again until somebody has chosen a password: what was made before does nothing from then on. Throws
 * `invalid_state` once there is an operator, a person or a client, who may invite others.
 */
export function inviteFirstOperator(users: Users, links: UserLinks, contact: Contact): Promise<OneTimeLink> {
  return users.database.system.transaction(async (trx) => {
    await trx.raw(PEOPLE_LOCK, ['people of no tenant']);
    const people: UserRow[] = await trx('users').where({ role: 'ops' }).whereNull('removed_at');
    const client = await trx('clients').where({ role: 'ops' }).first('id');
    if (client || people.some(({ password_hash, invited_by }) => password_hash || invited_by !== ACTOR.id))
      throw new DomainError('invalid_state', 'There is an operator already, who can invite others');
    for (const { id } of people) {
      await trx('user_links').where({ user_id: id }).delete();
      await trx('users').where({ id }).update({ disabled_at: trx.fn.now(), removed_at: trx.fn.now() });
      await users.forget(trx, id);
      await noteDone(trx, null, ACTOR, 'user.remove', id);
    }
    const id = newId('user');
    await users.create(trx, { id, role: 'ops', contact, invitedBy: ACTOR.id });
    await noteDone(trx, null, ACTOR, 'user.invite', id, { role: 'ops' });
    return links.issueInvitation(trx, id);
  });
}
