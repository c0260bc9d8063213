import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { Authenticators } from '../../people/identity/authenticators';
import { newSecret } from '../../people/identity/clients';
import { hashPassword, passwordMatches } from '../../people/identity/passwords';
import type { UserRole, Users } from '../../people/identity/users/user';
import type { IntegrationParameters } from '../../people/onboarding/parameters';
import type { SeededTenant } from './tenants';

interface SeededUser {
  email: string;
  password: string;
  /** Base32, of the authenticator. */
  totpSecret: string;
}

/** The people of a sandbox tenant, by what they may do. */
export type SeededUsers = Record<'merchant' | 'tenantAdmin' | 'ops', SeededUser>;

type Sandbox<T> = T & { other: T };
type Earlier = { users?: Partial<SeededUsers> };

/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_225;

/** By role: whose user it is in `credentials.json`, and a name; addresses are those that RFC 2606 keeps free. */
const PEOPLE: { key: keyof SeededUsers; role: UserRole; name: string }[] = [
  { key: 'merchant', role: 'merchant', name: 'Mary Merchant' },
  { key: 'tenantAdmin', role: 'tenant_admin', name: 'Tom Admin' },
  { key: 'ops', role: 'ops', name: 'Olga Operator' },
];

/**
 * Gives each sandbox tenant a merchant's contact, an admin and an operator who can sign in, or finds them. A password and
 * an authenticator that `earlier` still knows stay; what nobody knows any more is replaced. Secrets of the seeded merchant, which
 * `credentials.json` shows, count as shown.
 */
export async function seedUsers<T extends SeededTenant>(
  users: Users,
  authenticators: Authenticators,
  parameters: IntegrationParameters,
  seeded: Sandbox<T>,
  earlier: Earlier & { other?: Earlier } = {},
): Promise<Sandbox<T & { users: SeededUsers }>> {
  return users.database.system.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
    const one = async (tenant: SeededTenant, domain: string, known: Partial<SeededUsers> = {}) => {
      await noteSecrets(trx, parameters, tenant);
      const made: [string, SeededUser][] = [];
      for (const { key, role, name } of PEOPLE) {
        const email = `${role.replace('_', '-')}@${domain}`;
        const password = await passwordOf(trx, users, tenant, { role, name, email }, known[key]);
        const { id } = (await users.findByEmail(trx, email))!;
        const totpSecret = await authenticators.ensure(trx, id, known[key]?.totpSecret);
        made.push([key, { email, password, totpSecret }]);
      }
      return Object.fromEntries(made) as SeededUsers;
    };
    return {
      ...seeded,
      users: await one(seeded, 'corner-shop.example', earlier.users),
      other: { ...seeded.other, users: await one(seeded.other, 'other-shop.example', earlier.other?.users) },
    };
  });
}

async function passwordOf(
  trx: Knex.Transaction,
  users: Users,
  { tenantId, organizationId }: SeededTenant,
  { role, name, email }: { role: UserRole; name: string; email: string },
  known?: SeededUser,
): Promise<string> {
  const user = await users.findByEmail(trx, email);
  if (user && known && (await passwordMatches(user.password_hash ?? undefined, known.password))) return known.password;
  const password = newSecret();
  const passwordHash = await hashPassword(password);
  if (user)
    await trx('users')
      .where({ id: user.id })
      .update({ password_hash: passwordHash, password_set_at: trx.fn.now(), failures: 0, locked_until: null });
  else
    await users.create(trx, {
      id: newId('user'),
      role,
      ...(role !== 'ops' && { tenantId }),
      ...(role === 'merchant' && { organizationId }),
      contact: { name, email },
      passwordHash,
    });
  return password;
}

/** Only those that are new since the last start: of the others it is known since when they are. */
async function noteSecrets(
  trx: Knex.Transaction,
  parameters: IntegrationParameters,
  { tenantId, organizationId, terminalId, ...secrets }: SeededTenant,
): Promise<void> {
  const account = await trx('merchant_accounts').where({ terminal_id: terminalId }).first('id');
  const known = await trx('integration_parameters')
    .where({ merchant_account_id: account.id })
    .select('name', 'last_four');
  const all = {
    clientSecret: secrets.clients.merchant.clientSecret,
    terminalPassword: secrets.terminalPassword,
    callbackSecret: secrets.callbackSecret,
  };
  const fresh = Object.entries(all).filter(
    ([name, secret]) => !known.some((row) => row.name === name && row.last_four === secret.slice(-4)),
  );
  if (fresh.length === 0) return;
  const place = { id: account.id, tenant_id: tenantId, organization_id: organizationId };
  await parameters.note(trx, place, Object.fromEntries(fresh), { shown: true });
}
