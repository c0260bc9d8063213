import type { Knex } from 'knex';
import { DomainError, found, notFound } from '../../domain/errors';
import { type ConsentStatus, isOverConsent } from '../../domain/states/consent';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { type Access, type AccessRow, noteAccess } from './accesses';
import { type Authorisation, authoriseConsent, requireOpen, requireServing } from './authorise';
import {
  type ConsentAccount,
  type ConsentEventRow,
  type ConsentKind,
  type ConsentRow,
  findConsent,
  findConsentOfTpp,
} from './consent';
import { createConsent, type NewConsent, type Parties, requireParties } from './create';
import { proceedWithConsent } from './flow';
import { moveConsent, noteConsentEvent } from './move';
import { type ConsentGlance, consentsOf, type GlancePage } from './overview';
import { reauthenticationDue, type UsableConsent, usableConsent } from './usable';

/** Whose consents a request may see: a customer its own, a tenant admin those of the tenant. */
export interface ConsentScope {
  tenantId: string;
  customerId?: string;
}

export interface ConsentPage extends Page {
  status?: ConsentStatus;
  kind?: ConsentKind;
  tppId?: string;
  customerId?: string;
}

/** A consent as people see it. */
export interface WholeConsent {
  consent: ConsentRow;
  tppName: string;
  accounts: ConsentAccount[];
  events: ConsentEventRow[];
}

interface ConsentParts {
  database: Database;
  engine: Engine;
  settings: {
    /** CONSENT_TTL_MS. */
    consentTtlMs: number;
    /** REAUTHENTICATION_DAYS. */
    reauthenticationDays: number;
  };
}

/** What the API does about consents. What somebody orders is done in the request; the flow shows it and watches the time. */
export class Consents {
  constructor(private readonly parts: ConsentParts) {}

  /** Writes down what a third party asks for, and starts its flow. The same id again answers the consent that is there. */
  create(order: NewConsent, by: Actor): Promise<ConsentRow> {
    const { consentTtlMs } = this.parts.settings;
    return this.change(order.tenantId, (trx) => createConsent(trx, order, consentTtlMs, by));
  }

  /** Throws `not_found`, also for another third party's. */
  forTpp(tppId: string, consentId: string): Promise<ConsentRow> {
    return findConsentOfTpp(this.parts.database.system, tppId, consentId);
  }

  /** The same for a consent to read accounts; those of another kind have a place of their own. Throws `not_found`. */
  async accountConsentOf(tppId: string, consentId: string): Promise<ConsentRow> {
    const consent = await this.forTpp(tppId, consentId);
    if (consent.kind !== 'account') throw notFound('consent');
    return consent;
  }

  /** The consent that a grant of the authorization server stands for. Undefined once it was taken from it. */
  async idByGrant(grantId: string): Promise<string | undefined> {
    const row = await this.parts.database.system('consents').where({ grant_id: grantId }).first('id');
    return row?.id;
  }

  /** See `requireParties`. */
  requireParties(tpp: { id: string; name: string }, named: Parties): Promise<void> {
    return requireParties(this.parts.database.system, tpp, named);
  }

  /** See `reauthenticationDue`. */
  authenticateBy(consent: ConsentRow): Date | undefined {
    return reauthenticationDue(consent, this.parts.settings.reauthenticationDays);
  }

  /**
   * What the customer's page shows. Throws `not_found`, `invalid_state` for one that nobody can authorise any more, and
   * `consent_not_usable` while its third party may not act.
   */
  async forAuthorisation(
    tppId: string,
    consentId: string,
    now = new Date(),
  ): Promise<{ consent: ConsentRow; tppName: string }> {
    const consent = await this.forTpp(tppId, consentId);
    requireOpen(consent, now);
    await requireServing(this.parts.database.system, consent);
    return { consent, tppName: await tppNameOf(this.parts.database.system, tppId) };
  }

  /** See `authoriseConsent`. Also when a customer authenticates again. */
  async authorise(tppId: string, consentId: string, by: Authorisation): Promise<ConsentRow> {
    const { tenant_id } = await this.forTpp(tppId, consentId);
    return this.change(tenant_id, (trx) => authoriseConsent(trx, consentId, by));
  }

  /**
   * The customer refuses on the page. A consent that was authorised before stays so: refusing to authenticate again ends
   * nothing. Throws `not_found` and `invalid_state`.
   */
  reject(
    tppId: string,
    consentId: string,
    by: { customerId?: string; source?: string; requestId?: string },
  ): Promise<ConsentRow> {
    return this.actOfTpp(tppId, consentId, async (trx, consent) => {
      if (consent.customer_id && by.customerId && consent.customer_id !== by.customerId) throw notFound('consent');
      if (consent.status === 'Authorised') return consent;
      const actor = { id: by.customerId ?? tppId, source: by.source ?? '', requestId: by.requestId ?? '' };
      const rejected = await moveConsent(trx, consent, {
        to: 'Rejected',
        cause: 'rejected',
        actor: actor.id,
        detail: 'The customer has refused it.',
      });
      await noteDone(trx, consent.tenant_id, actor, 'consent.reject', consentId);
      return rejected;
    });
  }

  /** There was an error while the customer was authorising. One that has ended is left alone. Throws `not_found`. */
  async noteFailure(tppId: string, consentId: string, reason: string): Promise<void> {
    await this.actOfTpp(tppId, consentId, async (trx, consent) => {
      if (isOverConsent(consent.status)) return consent;
      await noteConsentEvent(trx, consent, { cause: 'failed', actor: tppId, detail: reason });
      if (consent.status !== 'AwaitingAuthorisation') return consent;
      const [failed]: ConsentRow[] = await trx('consents')
        .where({ id: consentId })
        .update({ failed_at: trx.raw('clock_timestamp()') })
        .returning('*');
      return failed!;
    });
  }

  /** The third party deletes it: one that waits is rejected, one that is authorised revoked. Throws `not_found`, `invalid_state`. */
  delete(tppId: string, consentId: string, by: Actor): Promise<ConsentRow> {
    return this.actOfTpp(tppId, consentId, (trx, consent) => end(trx, consent, by, 'The third party has deleted it.'));
  }

  /** The customer or a tenant admin ends it. Throws `not_found` and `invalid_state`. */
  revoke(scope: ConsentScope, consentId: string, reason: string, by: Actor): Promise<ConsentRow> {
    return this.change(scope.tenantId, async (trx) => {
      const consent = await findOwn(trx, scope, consentId, { lock: true });
      return end(trx, consent, by, reason);
    });
  }

  /**
   * The third party has asked its customer anew (article 10A of the UK). Throws `not_found`, `invalid_state` where the bank
   * itself authenticates customers again, and what `usable` throws.
   */
  async reconfirm(tppId: string, consentId: string, by: Actor): Promise<ConsentRow> {
    if (this.parts.settings.reauthenticationDays > 0)
      throw new DomainError('invalid_state', 'This bank authenticates its customers again itself');
    // Also one that waits for exactly this.
    const { kind } = await usableConsent(this.parts.database.system, tppId, consentId, undefined, new Date());
    if (kind !== 'account') throw new DomainError('invalid_state', 'Only a consent to read accounts is reconfirmed');
    return this.actOfTpp(tppId, consentId, (trx, consent) => reconfirmLocked(trx, consent, by));
  }

  /** See `usableConsent`. */
  usable(tppId: string, consentId: string, at: Date): Promise<UsableConsent> {
    const { database, settings } = this.parts;
    return usableConsent(database.system, tppId, consentId, settings.reauthenticationDays, at);
  }

  /** See `noteAccess`. */
  noteAccess(access: Access): Promise<void> {
    return noteAccess(this.parts.database.system, access);
  }

  /** One more than the page holds, newest first. */
  list(
    { tenantId, customerId: own }: ConsentScope,
    { status, kind, tppId, customerId, ...page }: ConsentPage,
  ): Promise<(ConsentRow & { tpp_name: string })[]> {
    return this.parts.database.tenant(tenantId, async (trx) => {
      const rows = paged(trx('consents'), page).select(
        'consents.*',
        trx.raw('(SELECT name FROM tpps WHERE tpps.id = consents.tpp_id) AS tpp_name'),
      );
      if (own) rows.where({ customer_id: own });
      if (customerId) rows.where({ customer_id: customerId });
      if (status) rows.where({ status });
      if (kind) rows.where({ kind });
      if (tppId) rows.where({ tpp_id: tppId });
      return rows;
    });
  }

  /** See `consentsOf`. */
  glance(tenantId: string, customerId: string, page: GlancePage): Promise<ConsentGlance[]> {
    return this.parts.database.tenant(tenantId, (trx) => consentsOf(trx, customerId, page));
  }

  /** Throws `not_found`. */
  find(scope: ConsentScope, consentId: string): Promise<WholeConsent> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      const consent = await findOwn(trx, scope, consentId);
      const [tppName, accounts, events] = [
        await tppNameOf(trx, consent.tpp_id),
        await trx('consent_accounts').where({ consent_id: consentId }).orderBy('account_id'),
        await trx('consent_events').where({ consent_id: consentId }).orderBy('id'),
      ];
      return { consent, tppName, accounts, events };
    });
  }

  /** One more than the page holds, newest first. Throws `not_found`. */
  accesses(scope: ConsentScope, consentId: string, page: Page): Promise<(AccessRow & { iban: string | null })[]> {
    return this.parts.database.tenant(scope.tenantId, async (trx) => {
      await findOwn(trx, scope, consentId);
      return paged(trx('consent_accesses').where({ consent_id: consentId }), page).select(
        '*',
        trx.raw('(SELECT iban FROM ledger_accounts a WHERE a.id = consent_accesses.account_id) AS iban'),
      );
    });
  }

  private async actOfTpp(
    tppId: string,
    consentId: string,
    work: (trx: Knex.Transaction, consent: ConsentRow) => Promise<ConsentRow>,
  ): Promise<ConsentRow> {
    const { tenant_id } = await this.forTpp(tppId, consentId);
    return this.change(tenant_id, async (trx) => work(trx, await findConsent(trx, consentId, { lock: true })));
  }

  /** What is written down holds; with the engine away the workers' rounds bring it to its flow. */
  private async change(tenantId: string, write: (trx: Knex.Transaction) => Promise<ConsentRow>): Promise<ConsentRow> {
    const { database, engine } = this.parts;
    const consent = await database.tenant(tenantId, write);
    await wake(engine, () => proceedWithConsent(engine, consent));
    return consent;
  }
}

/**
 * Uses a consent to pay up, in the transaction of its payment. Answers the consent with its account; of several at once, one
 * gets it. Throws `not_found` and `consent_not_usable`.
 */
export async function consumeConsent(trx: Knex.Transaction, tppId: string, consentId: string): Promise<UsableConsent> {
  const consent = await findConsent(trx, consentId, { lock: true });
  if (consent.tpp_id !== tppId || consent.kind !== 'payment') throw notFound('consent');
  if (consent.status !== 'Authorised') throw new DomainError('consent_not_usable', `This consent is ${consent.status}`);
  const accounts: ConsentAccount[] = await trx('consent_accounts').where({ consent_id: consentId });
  const consumed = await moveConsent(trx, consent, {
    to: 'Consumed',
    cause: 'consumed',
    actor: tppId,
    detail: 'Its payment was made.',
  });
  return { ...consumed, accounts };
}

function end(trx: Knex.Transaction, consent: ConsentRow, by: Actor, detail: string): Promise<ConsentRow> {
  const isWaiting = consent.status === 'AwaitingAuthorisation';
  return endAs(trx, consent, by, detail, isWaiting ? 'rejected' : 'revoked');
}

async function endAs(
  trx: Knex.Transaction,
  consent: ConsentRow,
  by: Actor,
  detail: string,
  cause: 'rejected' | 'revoked',
): Promise<ConsentRow> {
  const to = cause === 'rejected' ? 'Rejected' : 'Revoked';
  const ended = await moveConsent(trx, consent, { to, cause, actor: by.id, detail });
  const action = cause === 'rejected' ? 'consent.reject' : 'consent.revoke';
  await noteDone(trx, consent.tenant_id, by, action, consent.id, { reason: detail });
  return ended;
}

async function reconfirmLocked(trx: Knex.Transaction, consent: ConsentRow, by: Actor): Promise<ConsentRow> {
  if (consent.status !== 'Authorised') throw new DomainError('invalid_state', `This consent is ${consent.status}`);
  const [reconfirmed]: ConsentRow[] = await trx('consents')
    .where({ id: consent.id })
    .update({ authenticated_at: trx.raw('clock_timestamp()'), updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  const detail = 'The third party has reconfirmed it with the customer.';
  await noteConsentEvent(trx, reconfirmed!, { cause: 'reconfirmed', actor: by.id, detail });
  await noteDone(trx, consent.tenant_id, by, 'consent.reconfirm', consent.id);
  return reconfirmed!;
}

async function tppNameOf(connection: Knex, tppId: string): Promise<string> {
  return found<{ name: string }>(await connection('tpps').where({ id: tppId }).first('name'), 'third party').name;
}

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(
  trx: Knex.Transaction,
  { customerId }: ConsentScope,
  id: string,
  options: { lock?: boolean } = {},
): Promise<ConsentRow> {
  const consent = await findConsent(trx, id, options);
  if (customerId && consent.customer_id !== customerId) throw notFound('consent');
  return consent;
}
