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
export type SeededUsers = Record<'merchant' | 'tenantAdmin', SeededUser>;
/** Those of the first tenant, and the operator of both. */
type FirstUsers = SeededUsers & { ops: SeededUser };

type Earlier = { users?: Partial<FirstUsers> };

/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_225;

/** By role: whose user it is in `credentials.json`, and a name; addresses are those that RFC 2606 keeps free. */
const PEOPLE: { key: keyof SeededUsers; role: UserRole; name: string }[] = [
  { key: 'merchant', role: 'merchant', name: 'Mary Merchant' },
  { key: 'tenantAdmin', role: 'tenant_admin', name: 'Tom Admin' },
];
const OPERATOR = { role: 'ops', name: 'Olga Operator', email: 'ops@tillway.example' } as const;

/**
 * Gives each sandbox tenant a merchant's contact and an admin who can sign in, and both one operator, or finds them. A
 * password and an authenticator that `earlier` still knows stay; what nobody knows any more is replaced. Secrets of the
 * seeded merchant, which `credentials.json` shows, count as shown.
 */
export async function seedUsers<First extends SeededTenant, Other extends SeededTenant>(
  users: Users,
  authenticators: Authenticators,
  parameters: IntegrationParameters,
  seeded: First & { other: Other },
  earlier: Earlier & { other?: Earlier } = {},
): Promise<First & { users: FirstUsers; other: Other & { users: SeededUsers } }> {
  return users.database.system.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
    const userOf = async (person: Seeded, known?: SeededUser): Promise<SeededUser> => {
      const { email } = person;
      const password = await passwordOf(trx, users, person, known);
      const { id } = (await users.findByEmail(trx, email))!;
      return { email, password, totpSecret: await authenticators.ensure(trx, id, known?.totpSecret) };
    };
    const one = async (tenant: SeededTenant, domain: string, known: Partial<SeededUsers> = {}) => {
      await noteSecrets(trx, parameters, tenant);
      const made: [string, SeededUser][] = [];
      for (const { key, role, name } of PEOPLE) {
        const email = `${role.replace('_', '-')}@${domain}`;
        made.push([key, await userOf({ role, name, email, tenant }, known[key])]);
      }
      return Object.fromEntries(made) as SeededUsers;
    };
    const first = await one(seeded, 'corner-shop.example', earlier.users);
    const ops = await userOf(OPERATOR, earlier.users?.ops);
    const other = await one(seeded.other, 'other-shop.example', earlier.other?.users);
    return { ...seeded, users: { ...first, ops }, other: { ...seeded.other, users: other } };
  });
}

/** Somebody to be made; an operator is of no tenant. */
interface Seeded {
  role: UserRole;
  name: string;
  email: string;
  tenant?: Pick<SeededTenant, 'tenantId' | 'organizationId'>;
}

async function passwordOf(
  trx: Knex.Transaction,
  users: Users,
  { role, name, email, tenant }: Seeded,
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
      ...(tenant && { tenantId: tenant.tenantId }),
      ...(role === 'merchant' && { organizationId: tenant?.organizationId }),
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
