import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import { ProfileSeal } from '../customers/customer';
import { Identifiers } from '../customers/identifiers';
import { Authenticators } from '../identity/authenticators';
import { CustomerTokens } from '../identity/customer-tokens';
import { KnownDevices } from '../identity/known-devices';
import { Organizations } from '../identity/organizations';
import { PasswordCheck } from '../identity/password-check';
import { SignInThrottle } from '../identity/sign-in-throttle';
import { AddressConfirmation } from './address-confirmation';
import { Addresses } from './addresses';
import { CredentialsLookup } from './credentials-lookup';
import { Enrolment } from './enrolment';
import { PasswordReset } from './password-reset';
import { SecondFactor } from './second-factor';
import { Sessions } from './sessions';
import { CustomerSignIn } from './sign-in';
import { StepUps } from './step-ups';
import { WebSessions } from './web-sessions';
import { WebSignIn } from './web-sign-in';

/** Everything by which customers prove who they are. */
export interface CustomerIdentity {
  lookup: CredentialsLookup;
  verification: AddressConfirmation;
  signIn: CustomerSignIn;
  reset: PasswordReset;
  secondFactor: SecondFactor;
  enrolment: Enrolment;
  /** On pages, with a cookie. */
  webSignIn: WebSignIn;
  webSessions: WebSessions;
  stepUps: StepUps;
  knownDevices: KnownDevices;
}

/** Wrong tries of all customers from one source address within a minute. */
const WRONG_TRIES_PER_SOURCE = 60;

/** `config` must hold VAULT_KEYS and VAULT_HMAC_KEY. */
export function openCustomerIdentity(config: Config, database: Database, messenger: Messenger): CustomerIdentity {
  const { vault, vaultHmac } = config.keys;
  if (!vault || !vaultHmac) throw new Error('VAULT_KEYS and VAULT_HMAC_KEY are required');
  const identifiers = new Identifiers(vaultHmac);
  const seal = new ProfileSeal(vault);
  const addresses = new Addresses(seal, identifiers);
  const authenticators = new Authenticators(database, vault, vaultHmac);
  const sessions = new Sessions(database, messenger, authenticators, vaultHmac, config.customerSignIn.codes);
  const secondFactor = new SecondFactor(database, addresses, sessions, authenticators);
  const tokens = new CustomerTokens(config.customerSignIn.tokenTtlMs);
  const organizations = new Organizations(database);
  const throttle = new SignInThrottle(database, 'customer', WRONG_TRIES_PER_SOURCE);
  const knownDevices = new KnownDevices(vaultHmac);
  const passwords = new PasswordCheck(database, knownDevices);
  const signIn = new CustomerSignIn(database, organizations, addresses, secondFactor, tokens, throttle, passwords);
  const webSessions = new WebSessions(database, addresses, seal, config.customerSignIn.web);
  return {
    lookup: new CredentialsLookup(database, identifiers, addresses, sessions, tokens, secondFactor),
    verification: new AddressConfirmation(database, addresses, sessions),
    signIn,
    reset: new PasswordReset(database, organizations, addresses, messenger, sessions, {
      publicUrl: config.publicUrl,
      ttlMs: config.customerSignIn.resetTtlMs,
    }),
    secondFactor,
    enrolment: new Enrolment(database, addresses, authenticators, secondFactor, messenger),
    webSignIn: new WebSignIn(database, signIn, secondFactor, webSessions),
    webSessions,
    knownDevices,
    stepUps: new StepUps(database, sessions, secondFactor, vaultHmac),
  };
}
