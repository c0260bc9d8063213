import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { type ConsentStatus, canConsentBecome } from '../../domain/states/consent';
import type { ConsentCause, ConsentRow } from './consent';

/** The actor where nobody did it. */
export const PLATFORM = 'platform';

export interface ConsentMove {
  to: ConsentStatus;
  cause: ConsentCause;
  /** Third party, customer, client or user; `PLATFORM` where nobody did it. */
  actor: string;
  /** A sentence for people. */
  detail: string;
  /** Those that the customer chose. */
  ibans?: string[];
  /** What else changes in its row. */
  changed?: Partial<Omit<ConsentRow, 'id' | 'tenant_id' | 'tpp_id' | 'status' | 'record'>>;
}

/**
 * Moves a locked consent and writes its event. With one that ends go all its tokens (trigger `consents_end_grant`). Throws
 * `invalid_state` where the table of moves does not allow it.
 */
export async function moveConsent(trx: Knex.Transaction, consent: ConsentRow, move: ConsentMove): Promise<ConsentRow> {
  if (!canConsentBecome(consent.status, move.to))
    throw new DomainError('invalid_state', `A consent that is ${consent.status} cannot become ${move.to}`);
  const [moved]: ConsentRow[] = await trx('consents')
    .where({ id: consent.id })
    .update({
      ...move.changed,
      status: move.to,
      status_detail: move.detail,
      updated_at: trx.raw('clock_timestamp()'),
      // The flow looks at what has changed.
      look_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  await noteConsentEvent(trx, moved!, move);
  return moved!;
}

/** Adds a line to the history of a consent. */
export async function noteConsentEvent(
  trx: Knex.Transaction,
  consent: Pick<ConsentRow, 'id' | 'tenant_id' | 'status'>,
  { cause, actor, detail, ibans }: Pick<ConsentMove, 'cause' | 'actor' | 'detail' | 'ibans'>,
): Promise<void> {
  await trx('consent_events').insert({
    consent_id: consent.id,
    tenant_id: consent.tenant_id,
    cause,
    status: consent.status,
    actor,
    detail,
    ibans: ibans ?? null,
  });
}
