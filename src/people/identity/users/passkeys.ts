import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Knex } from 'knex';
import { DomainError, found } from '../../../domain/errors';
import { newId } from '../../../domain/ids';
import { violates } from '../../../foundation/db/database';
import type { SignInThrottle } from '../sign-in-throttle';
import { tokenDigest } from '../tokens';
import type { Self, UserSecondFactor } from './second-factor';
import type { UserDevice, UserSessions } from './sessions';
import type { SignedInUser } from './sign-in';
import { noteUser, type UserRow, type Users } from './user';

/** A passkey of a user, as the user sees it. */
export interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: Date;
  usedAt?: Date;
}

interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: bigint;
  transports: string[];
  name: string;
  created_at: Date;
  used_at: Date | null;
}

export const MAX_PASSKEYS = 10;
const CHALLENGE_MS = 300_000;
const THROTTLED = 'passkeys';
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** Passkeys of users (WebAuthn). Each proves who holds it and that the device has checked the person: both factors in one. */
export class Passkeys {
  private readonly rpId: string;
  private readonly origin: string;

  /** `throttle`: challenges asked for from one source address. `publicUrl`: how browsers reach the API. */
  constructor(
    private readonly users: Users,
    private readonly secondFactor: UserSecondFactor,
    private readonly sessions: UserSessions,
    private readonly throttle: SignInThrottle,
    publicUrl: string,
  ) {
    const { protocol, hostname, port, origin } = new URL(publicUrl);
    // An IP address has no passkeys (WebAuthn Level 3, section 5.1.3).
    const isLoopback = LOOPBACK.includes(hostname);
    this.rpId = isLoopback ? 'localhost' : hostname;
    this.origin = isLoopback ? `${protocol}//localhost${port && `:${port}`}` : origin;
  }

  /** What the browser needs to make a passkey; it is good for five minutes. Throws as `prove` of the second factor does. */
  async registrationOptions(self: Self, code: string | undefined): Promise<PublicKeyCredentialCreationOptionsJSON> {
    await this.secondFactor.prove(self, code);
    const { system } = this.users.database;
    const user = await this.users.find(self.id);
    const { name, email } = this.users.contactOf(user);
    const known: PasskeyRow[] = await system('user_passkeys').where({ user_id: self.id });
    const options = await generateRegistrationOptions({
      rpName: 'Tillway',
      rpID: this.rpId,
      userID: new Uint8Array(Buffer.from(self.id)),
      userName: email,
      userDisplayName: name,
      timeout: CHALLENGE_MS,
      attestationType: 'none',
      excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.remember(options.challenge, self.id);
    return options;
  }

  /**
   * Takes a new passkey; ends the other sessions. With recovery codes, shown this once, for who has none. Throws
   * `code_refused` for one that does not answer the challenge, `invalid_state` for one too many or known already.
   */
  async register(
    self: Self,
    { name, credential }: { name: string; credential: RegistrationResponseJSON },
  ): Promise<{ passkey: Passkey; recoveryCodes?: string[] }> {
    const expectedChallenge = await this.take(credential.response.clientDataJSON, self.id);
    const result = expectedChallenge
      ? await verifyRegistrationResponse({
          response: credential,
          expectedChallenge,
          expectedOrigin: this.origin,
          expectedRPID: this.rpId,
          requireUserVerification: true,
        }).catch(() => undefined)
      : undefined;
    if (!result?.verified) throw new DomainError('code_refused', 'The passkey was refused, or its time is up');
    const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
    return this.users.database.system.transaction(async (trx) => {
      if ((await this.secondFactor.locked(trx, self.id)).passkeys >= MAX_PASSKEYS)
        throw new DomainError('invalid_state', `You have ${MAX_PASSKEYS} passkeys already: remove one first`);
      const row = { id: newId('passkey'), user_id: self.id, credential_id: id, counter, transports, name };
      const [passkey]: PasskeyRow[] = await trx('user_passkeys')
        .insert({ ...row, public_key: Buffer.from(publicKey) })
        .returning('*')
        .catch((error: Error) => {
          if (violates(error, 'user_passkeys_credential_id_key'))
            throw new DomainError('invalid_state', 'This passkey is known already');
          throw error;
        });
      const recoveryCodes = await this.secondFactor.firstRecoveryCodes(trx, self.id);
      await this.secondFactor.added(trx, self, 'passkey', 'user.passkey_add', { passkeyId: row.id });
      return { passkey: present(passkey!), ...(recoveryCodes && { recoveryCodes }) };
    });
  }

  /** Newest first. */
  async list(userId: string): Promise<Passkey[]> {
    const rows: PasskeyRow[] = await this.users.database
      .system('user_passkeys')
      .where({ user_id: userId })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ]);
    return rows.map(present);
  }

  /** Throws `not_found`. */
  async rename(self: Self, passkeyId: string, name: string): Promise<Passkey> {
    return this.users.database.system.transaction(async (trx) => {
      const [row] = await trx('user_passkeys')
        .where({ id: passkeyId, user_id: self.id })
        .update({ name })
        .returning('*');
      return present(found<PasskeyRow>(row, 'passkey'));
    });
  }

  /** Ends the other sessions. Throws `not_found`, `invalid_state` for the last factor of a role that needs one, and as `prove`. */
  async remove(self: Self, passkeyId: string, code: string | undefined): Promise<void> {
    await this.secondFactor.prove(self, code);
    await this.users.database.system.transaction(async (trx) => {
      await this.secondFactor.locked(trx, self.id);
      const [row] = await trx('user_passkeys').where({ id: passkeyId, user_id: self.id }).delete().returning('id');
      found(row, 'passkey');
      await this.secondFactor.removed(trx, self, 'passkey', 'user.passkey_remove', { passkeyId });
    });
  }

  /** What the browser needs to ask for a passkey; it is good for five minutes. Throws `rate_limited`. */
  async signInOptions(source: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const wait = await this.throttle.take(THROTTLED, source);
    if (wait > 0)
      throw new DomainError('rate_limited', 'Too many tries, wait before the next', { retryAfterSeconds: wait });
    const options = await generateAuthenticationOptions({
      rpID: this.rpId,
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    });
    await this.remember(options.challenge, null);
    return options;
  }

  /** The token of a cookie. Throws `unauthorized`, alike for an unknown passkey and a wrong answer. */
  async signIn(response: AuthenticationResponseJSON, device: UserDevice): Promise<SignedInUser> {
    const { system } = this.users.database;
    const proof = await this.proofIn(response);
    const signedIn =
      proof && (await system.transaction((trx) => this.enter(trx, proof.passkey, proof.newCounter, device)));
    if (signedIn) return signedIn;
    const line = {
      action: 'user.sign_in',
      result: 'refused',
      source: device.source,
      detail: { by: 'passkey' },
    } as const;
    await noteUser(system, undefined, line);
    throw new DomainError('unauthorized', 'The passkey is unknown, or its answer is wrong or too late');
  }

  /** Undefined where nobody may sign in with it, or it has been used at the same time: a copy (section 6.1.1). */
  private async enter(
    trx: Knex.Transaction,
    { id, user_id }: PasskeyRow,
    newCounter: number,
    device: UserDevice,
  ): Promise<SignedInUser | undefined> {
    const user: UserRow | undefined = await trx('users').where({ id: user_id }).whereNull('disabled_at').first();
    const used = await trx('user_passkeys')
      .where({ id })
      .where((newer) => newer.where('counter', '<', newCounter).orWhereRaw('counter = 0 AND ? = 0', [newCounter]))
      .update({ counter: newCounter, used_at: trx.raw('clock_timestamp()') });
    if (!user || used === 0) return undefined;
    const begun = await this.sessions.begin(trx, user.id, 'cookie', device, 'passkey');
    const detail = { passkeyId: id };
    await noteUser(trx, user, { action: 'user.sign_in', result: 'done', source: device.source, detail });
    return { user, ...begun };
  }

  /** The passkey that has answered an open challenge of ours, and its counter; undefined for any other answer. */
  private async proofIn(
    response: AuthenticationResponseJSON,
  ): Promise<{ passkey: PasskeyRow; newCounter: number } | undefined> {
    const expectedChallenge = await this.take(response.response.clientDataJSON, null);
    const passkey: PasskeyRow | undefined = await this.users.database
      .system('user_passkeys')
      .where({ credential_id: response.id })
      .first();
    if (!expectedChallenge || !passkey) return undefined;
    const result = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.origin,
      expectedRPID: this.rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }).catch(() => undefined);
    return result?.verified ? { passkey, newCounter: result.authenticationInfo.newCounter } : undefined;
  }

  /** A user has one challenge at a time. Those whose time is up go. */
  private async remember(challenge: string, userId: string | null): Promise<void> {
    const { system } = this.users.database;
    const expires_at = system.raw("clock_timestamp() + ? * interval '1 millisecond'", [CHALLENGE_MS]);
    await system('passkey_challenges').where('expires_at', '<', system.fn.now()).delete();
    await system('passkey_challenges')
      .insert({ digest: tokenDigest(challenge), user_id: userId, expires_at })
      .onConflict('user_id')
      .merge(['digest', 'expires_at']);
  }

  /** Uses up the challenge that an answer names; undefined where it is not one that waits. */
  private async take(clientDataJSON: string, userId: string | null): Promise<string | undefined> {
    const challenge = challengeIn(clientDataJSON);
    if (challenge === undefined) return undefined;
    const { system } = this.users.database;
    const taken = await system('passkey_challenges')
      .where({ digest: tokenDigest(challenge), user_id: userId })
      .where('expires_at', '>', system.raw('clock_timestamp()'))
      .delete();
    return taken === 1 ? challenge : undefined;
  }
}

/** The challenge that somebody says to have signed (section 5.8.1). */
function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

function present({ id, name, created_at, used_at }: PasskeyRow): Passkey {
  return { passkeyId: id, name, createdAt: created_at, ...(used_at && { usedAt: used_at }) };
}
