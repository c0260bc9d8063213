import type { Knex } from 'knex';
import { TypeID } from 'typeid-js';
import { DomainError } from '../../domain/errors';
import { idFromUuid } from '../../domain/ids';
import { type Actor, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { noteCustomer } from '../customers/audit-lines';
import { type CustomerRow, findCustomer } from '../customers/customer';
import type { Authenticators } from '../identity/authenticators';
import type { Addresses } from './addresses';
import { type Asked, codeRefused, type Letter, type Purpose, type Session, type Sessions } from './sessions';

/** The documented 2FA settings record. */
export interface TwoFactorSettings {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  tenantId: string;
  userId: string;
  login: boolean;
  trading: boolean;
  funding: boolean;
}

export type TwoFactorFlag = 'login' | 'trading' | 'funding';
const FLAGS: readonly TwoFactorFlag[] = ['login', 'trading', 'funding'];

/** What a caller brings to answer a session: headers on operations, members of the body at sign-in. */
export interface GivenCode {
  sessionId?: string;
  code?: string;
}

/** The customer who has the second factor, and who asks for it. */
export interface Challenged {
  tenantId: string;
  customerId: string;
  /** Client, user or customer that sent the request. */
  askedBy: string;
  /** What it is asked for: the code is good for exactly this. Absent: for anything of the same purpose, as at sign-in. */
  request?: Asked;
  /** The digest of the customer's own token that asks: it stays when the other sessions end. */
  session?: string;
}

/** The second factor of customers: which operations ask for it, and whether it was given. */
export class SecondFactor {
  constructor(
    private readonly database: Database,
    private readonly addresses: Addresses,
    private readonly sessions: Sessions,
    private readonly authenticators: Authenticators,
  ) {}

  /**
   * To be called before an operation of the customer, outside its transaction: passes where the flag is off or the code
   * answers its session, which it uses up. Otherwise throws `two_factor_required` with a new session, whose code the
   * customer's authenticator shows or has just been sent; or `code_refused`.
   */
  async require(who: Challenged, flag: TwoFactorFlag, given: GivenCode): Promise<void> {
    const isOn = await this.database.tenant(who.tenantId, (trx) => this.flagOf(trx, who.customerId, flag));
    if (isOn) await this.demand(who, flag, given);
  }

  /**
   * The same for somebody who has just given a code that went to an address (`proven`): that address cannot prove a second
   * time. The question goes to the authenticator or to another address. Throws `two_factor_required`, without a session
   * where the customer has neither.
   */
  async requireBeside(who: Challenged, flag: TwoFactorFlag, proven: Buffer | null): Promise<void> {
    const isOn = await this.database.tenant(who.tenantId, (trx) => this.flagOf(trx, who.customerId, flag));
    if (isOn) throw required(await this.ask(who, flag, proven));
  }

  /** Whether a code answers the session that was asked for this. Uses it up. */
  async answers(who: Challenged, purpose: Purpose, { sessionId, code }: GivenCode): Promise<boolean> {
    if (code === undefined || sessionId === undefined) return false;
    const { tenantId, customerId, request } = who;
    const question = { customerId, purpose, sessionId, terms: request?.terms };
    return (await this.sessions.answer(tenantId, question, code)) !== undefined;
  }

  /**
   * To be called before a customer changes where codes go: asks the factor of before, an authenticator or a verified address,
   * and whoever has neither as soon as one of the flags is on.
   */
  async requireToWeaken(who: Challenged, given: GivenCode): Promise<void> {
    const isAsked = await this.database.tenant(who.tenantId, async (trx) => {
      const customer = await findCustomer(trx, who.customerId);
      if (await this.authenticators.isConfirmed(trx, customer.id)) return true;
      if (await this.addresses.choose(trx, customer)) return true;
      const settings = await this.settings(trx, customer);
      return FLAGS.some((flag) => settings[flag]);
    });
    if (isAsked) await this.demand(who, 'settings', given);
  }

  /** The same, whatever the flags say. */
  async demand(who: Challenged, purpose: Purpose, given: GivenCode): Promise<void> {
    // How somebody signs in is changed in several requests, which one code may answer. Money is not moved so.
    const asked = purpose === 'settings' ? { ...who, request: undefined } : who;
    if (given.code === undefined || given.sessionId === undefined) throw required(await this.ask(asked, purpose));
    if (await this.answers(asked, purpose, given)) return;
    const { tenantId, customerId } = who;
    const act = { actor: who.askedBy, action: 'customer.second_factor', target: customerId };
    await this.database.tenant(tenantId, (trx) =>
      appendAuditLine(trx, { tenantId, ...act, result: 'refused', detail: { purpose } }),
    );
    throw codeRefused();
  }

  /** The documented record; without a stored one, everything is off since the customer was created. */
  async settings(trx: Knex.Transaction, customer: CustomerRow): Promise<TwoFactorSettings> {
    const row = await trx('two_factor_settings').where({ customer_id: customer.id }).first();
    return {
      id: idFromUuid('twoFactorSettings', TypeID.fromString(customer.id).toUUID()),
      createdAt: customer.created_at,
      updatedAt: row?.updated_at ?? customer.created_at,
      tenantId: customer.tenant_id,
      userId: customer.id,
      login: row?.login ?? false,
      trading: row?.trading ?? false,
      funding: row?.funding ?? false,
    };
  }

  /** Sets the flags that are given. A customer who switches one off gives the second factor for it. */
  async change(
    who: Challenged,
    actor: Actor,
    flags: Partial<Record<TwoFactorFlag, boolean>>,
    given: GivenCode,
  ): Promise<TwoFactorSettings> {
    const { tenantId, customerId } = who;
    const before = await this.database.tenant(tenantId, async (trx) =>
      this.settings(trx, await findCustomer(trx, customerId)),
    );
    const isWeaker = FLAGS.some((flag) => before[flag] && flags[flag] === false);
    if (isWeaker && who.askedBy === customerId) await this.demand(who, 'settings', given);
    return this.database.tenant(tenantId, async (trx) => {
      const customer = await findCustomer(trx, customerId);
      const set = Object.fromEntries(FLAGS.flatMap((flag) => (flags[flag] === undefined ? [] : [[flag, flags[flag]]])));
      await trx('two_factor_settings')
        .insert({ customer_id: customerId, tenant_id: tenantId, ...set })
        .onConflict('customer_id')
        .merge({ ...set, updated_at: trx.fn.now() });
      await noteCustomer(trx, tenantId, actor, 'customer.two_factor', customerId, set);
      return this.settings(trx, customer);
    });
  }

  private async flagOf(trx: Knex.Transaction, customerId: string, flag: TwoFactorFlag): Promise<boolean> {
    const row = await trx('two_factor_settings').where({ customer_id: customerId }).first(flag);
    return row?.[flag] ?? false;
  }

  private async ask(
    { tenantId, customerId, askedBy, request }: Challenged,
    purpose: Purpose,
    proven: Buffer | null = null,
  ): Promise<Session | undefined> {
    await this.sessions.admit(customerId, askedBy);
    return this.database.tenant(tenantId, async (trx) =>
      this.open(trx, await findCustomer(trx, customerId), purpose, { asked: request, proven }),
    );
  }

  /**
   * Opens a question for a code, which the customer's authenticator shows or is sent. Undefined where the customer has
   * neither an authenticator nor a verified address other than `proven`.
   */
  async open(
    trx: Knex.Transaction,
    customer: CustomerRow,
    purpose: Purpose,
    about: { asked?: Asked; letter?: Letter; proven?: Buffer | null } = {},
  ): Promise<Session | undefined> {
    const { id: customerId, tenant_id: tenantId } = customer;
    if (await this.authenticators.isConfirmed(trx, customerId))
      return this.sessions.askAuthenticator(trx, tenantId, customerId, purpose, about.asked);
    const address = await this.addresses.choose(trx, customer, {}, about.proven);
    return address && this.sessions.sendCode(trx, { tenantId, customerId, address }, purpose, about);
  }
}

function required(session: Session | undefined): DomainError {
  if (!session)
    return new DomainError(
      'two_factor_required',
      'A second factor is required, and the customer has neither a verified address nor an authenticator',
    );
  const from = session.method === 'totp' ? 'of the authenticator' : 'that was sent to the customer';
  return new DomainError('two_factor_required', `Repeat the request with the session and the code ${from}`, {
    session,
  });
}
