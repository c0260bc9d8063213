import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import {
  type ActivationDecision,
  type ActivationStatus,
  canActivationBecome,
  isOpenActivation,
} from '../../domain/states/activation';
import { type Database, violates } from '../../foundation/db/database';
import type { FileRow } from '../../foundation/files/file-store';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import {
  type ActivationDocument,
  type ActivationRow,
  activationSubject,
  type Check,
  checksOf,
  filesOfActivation,
  findActivation,
} from './activation';
import { type MerchantAct, noteMerchant } from './audit';
import { proceedWithActivation } from './flow';

export interface Application {
  id: string;
  declared: Record<string, unknown>;
  documents: ActivationDocument[];
  callbackUrl?: string;
  /** Complete what was said when the merchant was brought on board. */
  country?: string;
  currencies?: string[];
}

/** An application with what we find ourselves. */
export interface Activation {
  row: ActivationRow;
  checks: Check[];
  /** The files of its documents. */
  files: FileRow[];
}

export interface ActivationFilter {
  limit: number;
  /** The id of the last one of the page before. */
  before?: string;
  /** Absent: of every tenant. */
  tenantId?: string;
  organizationId?: string;
  status?: ActivationStatus;
}

/** What the API does about applications to go live. What somebody decides is written down first; the flow acts on it. */
export class ActivationService {
  /** `firstAnswerMs`: how long a request waits for the flow, in milliseconds. */
  constructor(
    private readonly deps: { database: Database; engine: Engine; firstAnswers: FirstAnswers },
    private readonly firstAnswerMs: number,
  ) {}

  private get database(): Database {
    return this.deps.database;
  }

  /** Throws `invalid_state` where the merchant is live already, or another application waits. */
  async submit(application: Application, act: MerchantAct): Promise<Activation> {
    const { tenantId, organizationId } = act;
    const { id, country, currencies } = application;
    const answered = this.deps.firstAnswers.wait(activationSubject(id), this.firstAnswerMs);
    const row = await this.database.tenant(tenantId, async (trx) => {
      // An earlier try of the same request got this far.
      const known: ActivationRow | undefined = await trx('activations').where({ id }).first();
      if (known) return known;
      const organization = await trx('organizations').where({ id: organizationId }).first('live');
      if (!organization) throw notFound('merchant');
      if (organization.live) throw new DomainError('invalid_state', 'This merchant is live already');
      if (country || currencies)
        await trx('organizations')
          .where({ id: organizationId })
          .update({ ...(country && { country }), ...(currencies && { currencies }) });
      await noteMerchant(trx, act, 'activation.submit', { activationId: id });
      return insert(trx, application, act);
    });
    if (await this.wake(row)) await answered;
    return this.find(tenantId, row.id);
  }

  /**
   * Decides, and waits a while for the flow to act on it. Throws `not_found`, and `invalid_state` where the state does not
   * allow it, or something is not there yet and no reason says why it need not be.
   */
  async decide(
    tenantId: string,
    id: string,
    { decision, reason }: { decision: ActivationDecision; reason?: string },
    by: Pick<MerchantAct, 'actor' | 'source'>,
  ): Promise<Activation> {
    const answered = this.deps.firstAnswers.wait(activationSubject(id), this.firstAnswerMs);
    const row = await this.database.tenant(tenantId, async (trx) => {
      const known = await findActivation(trx, id, { lock: true });
      if (known.decision || !canActivationBecome(known.status, decision))
        throw new DomainError(
          'invalid_state',
          `An application that is ${known.decision ?? known.status} cannot be ${decision}`,
        );
      const open = (await checksOf(trx, known)).filter(({ done }) => !done).map(({ item }) => item);
      if (decision === 'approved' && open.length > 0 && !reason)
        throw new DomainError('invalid_state', `Not there yet: ${open.join(', ')}; a reason says why it need not be`);
      await noteMerchant(trx, { tenantId, organizationId: known.organization_id, ...by }, `activation.${decision}`, {
        activationId: id,
        ...(reason && { reason }),
        ...(open.length > 0 && { open }),
      });
      const [decided]: ActivationRow[] = await trx('activations')
        .where({ id })
        .update({
          decision,
          decided_by: by.actor,
          reason: reason ?? null,
          decided_at: trx.raw('clock_timestamp()'),
          look_at: trx.raw('clock_timestamp()'),
        })
        .returning('*');
      return decided!;
    });
    if (await this.wake(row)) await answered;
    return this.find(tenantId, id);
  }

  /** Throws `not_found`. */
  find(tenantId: string, id: string): Promise<Activation> {
    return this.database.tenant(tenantId, async (trx) => {
      const row = await findActivation(trx, id);
      return { row, checks: await checksOf(trx, row), files: await filesOfActivation(trx, id) };
    });
  }

  /** Which tenant an application belongs to. Throws `not_found`. */
  async tenantOf(id: string): Promise<string> {
    const row = await this.database.ops('activations').where({ id }).first('tenant_id');
    if (!row) throw notFound('activation');
    return row.tenant_id;
  }

  /** Newest first; one more than `limit`, to see whether there are. */
  list({ limit, before, tenantId, organizationId, status }: ActivationFilter): Promise<ActivationRow[]> {
    const read = (knex: Knex): Promise<ActivationRow[]> => {
      const rows = knex('activations')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (before) rows.where('id', '<', before);
      if (organizationId) rows.where({ organization_id: organizationId });
      if (status) rows.where({ status });
      return rows as unknown as Promise<ActivationRow[]>;
    };
    return tenantId ? this.database.tenant(tenantId, async (trx) => read(trx)) : read(this.database.ops);
  }

  /** Wakes the flow. False: the engine is away, and the workers' rounds will do it when it is back. */
  private wake(row: ActivationRow): Promise<boolean> {
    const { engine } = this.deps;
    if (!isOpenActivation(row.status)) return Promise.resolve(false);
    return wake(engine, () => proceedWithActivation(engine, row));
  }
}

async function insert(trx: Knex.Transaction, application: Application, act: MerchantAct): Promise<ActivationRow> {
  const { id, declared, documents, callbackUrl } = application;
  const last = await trx('activations')
    .where({ organization_id: act.organizationId })
    .max({ number: 'number' })
    .first();
  try {
    const [row]: ActivationRow[] = await trx('activations')
      .insert({
        id,
        tenant_id: act.tenantId,
        organization_id: act.organizationId,
        number: (last?.number ?? 0) + 1,
        status: 'submitted',
        declared: JSON.stringify(declared),
        documents: JSON.stringify(documents),
        callback_url: callbackUrl ?? null,
        submitted_by: act.actor,
        look_at: trx.raw('clock_timestamp()'),
      })
      .returning('*');
    return row!;
  } catch (error) {
    if (!violates(error, 'activations_one_open') && !violates(error, 'activations_organization_id_number_key'))
      throw error;
    throw new DomainError('invalid_state', 'Another application of this merchant waits for a decision');
  }
}
