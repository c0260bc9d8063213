import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import { ApiClients } from '../identity/api-clients';
import { AuditTrail } from '../identity/audit-trail';
import { Authenticators, OF_USERS } from '../identity/authenticators';
import type { CallbackSecrets } from '../identity/callback-secrets';
import { KnownDevices } from '../identity/known-devices';
import { PasswordCheck } from '../identity/password-check';
import { SignInThrottle } from '../identity/sign-in-throttle';
import { UserLinks } from '../identity/users/links';
import { Passkeys } from '../identity/users/passkeys';
import { People } from '../identity/users/people';
import { UserSecondFactor } from '../identity/users/second-factor';
import { UserSessions } from '../identity/users/sessions';
import { UserSignIn } from '../identity/users/sign-in';
import { Users } from '../identity/users/user';
import { Merchants } from './merchants';
import { IntegrationParameters } from './parameters';
import { Tenants } from './tenants';

/** People who sign in, and merchants as they come on board. */
export interface Onboarding {
  users: Users;
  links: UserLinks;
  people: People;
  sessions: UserSessions;
  apiClients: ApiClients;
  auditTrail: AuditTrail;
  signIn: UserSignIn;
  secondFactor: UserSecondFactor;
  passkeys: Passkeys;
  knownDevices: KnownDevices;
  merchants: Merchants;
  tenants: Tenants;
  parameters: IntegrationParameters;
}

/** Wrong tries of all users from one source address within a minute. */
const WRONG_TRIES_PER_SOURCE = 60;
/** Links asked for, for one address from one source within a minute. */
const RESETS_PER_ADDRESS = 3;

/** `config` must hold VAULT_KEYS and VAULT_HMAC_KEY. */
export function openOnboarding(
  config: Config,
  database: Database,
  messenger: Messenger,
  callbackSecrets: CallbackSecrets,
): Onboarding {
  const { vault, vaultHmac } = config.keys;
  if (!vault || !vaultHmac) throw new Error('VAULT_KEYS and VAULT_HMAC_KEY are required');
  const { invitationTtlMs, tokenTtlMs, cookie, freshSignInMs, unreadSecretTtlMs } = config.onboarding;
  const users = new Users(database, vault, vaultHmac);
  const links = new UserLinks(users, messenger, new SignInThrottle(database, 'user-reset', RESETS_PER_ADDRESS), {
    publicUrl: config.publicUrl,
    invitationTtlMs,
    resetTtlMs: config.customerSignIn.resetTtlMs,
  });
  const secondFactor = new UserSecondFactor(
    users,
    links,
    new Authenticators(database, vault, vaultHmac, OF_USERS),
    freshSignInMs,
  );
  const sessions = new UserSessions(database, { tokenTtlMs, cookie });
  const throttle = new SignInThrottle(database, 'user', WRONG_TRIES_PER_SOURCE);
  const knownDevices = new KnownDevices(vaultHmac);
  const parameters = new IntegrationParameters(database, callbackSecrets, vault, unreadSecretTtlMs);
  return {
    users,
    links,
    people: new People(users, links, secondFactor),
    sessions,
    apiClients: new ApiClients(database),
    auditTrail: new AuditTrail(database, users),
    secondFactor,
    passkeys: new Passkeys(
      users,
      secondFactor,
      sessions,
      new SignInThrottle(database, 'passkey', WRONG_TRIES_PER_SOURCE),
      config.publicUrl,
    ),
    signIn: new UserSignIn(users, secondFactor, sessions, throttle, new PasswordCheck(database, knownDevices)),
    knownDevices,
    merchants: new Merchants(database, users, links, callbackSecrets, parameters),
    tenants: new Tenants(database, users, links),
    parameters,
  };
}
