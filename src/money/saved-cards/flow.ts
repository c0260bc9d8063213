import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { type CardUpdateInput, type CardVerificationInput, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, startEvery } from '../../foundation/temporal/flows';
import type { CardVerificationRow } from './card-verification';

const BATCH = 100;
/** Well beyond the time in which a request that lives starts its flow. */
const MARGIN_MS = 60_000;

/** One card on its way to being saved. */
export const CARD_VERIFICATION_FLOW: Flow<CardVerificationRow, CardVerificationInput> = {
  workflow: 'cardVerification',
  queue: 'flows',
  id: ({ id }) => workflowId.cardVerification(id),
  input: ({ id, tenant_id }) => ({ verificationId: id, tenantId: tenant_id }),
  summary: ({ customer_id }) => `verification of a card of ${customer_id}`,
  attributes: ({ tenant_id, customer_id, status, processor }) => ({
    kind: 'card_verification',
    tenant: tenant_id,
    customer: customer_id,
    status,
    provider: processor,
  }),
  memo: ({ request_id }) => ({ requestId: request_id }),
  runs: 'again',
  signal: null,
  unheard: (system, firstAnswerMs) =>
    openVerifications(system)
      .where({ attempts: 0 })
      .where('updated_at', '<', new Date(Date.now() - firstAnswerMs - MARGIN_MS))
      .orderBy('updated_at')
      .limit(BATCH),
  open: (system) => openVerifications(system).where('attempts', '>', 0),
};

function openVerifications(system: Knex): Knex.QueryBuilder<object, CardVerificationRow[]> {
  return system('card_verifications').whereIn('status', ['initiated', 'pending', 'requires_action']);
}

/** A callback that announces what an issuer has done with a card. */
export interface CardUpdate {
  processor: ProcessorId;
  eventId: string;
  inboxId: string;
  /** The payment or verification that the card was last used for. */
  tenantId: string;
}

/** What an issuer has done with a card. */
export const CARD_UPDATE_FLOW: Flow<CardUpdate, CardUpdateInput> = {
  workflow: 'cardUpdate',
  queue: 'flows',
  id: ({ processor, eventId }) => workflowId.cardUpdate(processor, eventId),
  input: ({ inboxId }) => ({ inboxId }),
  summary: () => null,
  attributes: ({ processor, tenantId }) => ({ kind: 'card_update', tenant: tenantId, provider: processor }),
  /** Its callback takes effect once: a run that was lost is started anew when the callback is delivered again. */
  runs: 'again',
  signal: null,
  unheard: { none: 'the callback stays due in the inbox until its flow has applied it' },
  open: { none: 'a lost one leaves its callback due in the inbox, and the next delivery starts it anew' },
};

/** One look for cards of all tenants that expire soon; a schedule of the engine starts it. */
export const CARD_EXPIRY_FLOW: Flow<void, undefined> = {
  workflow: 'cardExpiry',
  queue: 'flows',
  /** The id of the schedule. The engine adds the time at which a run was due. */
  id: () => workflowId.cardExpiry('scheduled'),
  input: () => undefined,
  summary: () => null,
  attributes: () => ({ kind: 'card_expiry', tenant: null }),
  runs: 'again',
  signal: null,
  unheard: { none: 'a schedule of the engine starts it; every worker makes sure of that schedule when it starts' },
  open: { none: 'the next look finds the cards that a lost one has not told of' },
};

/** Has the engine look for cards that expire soon every `everyMs`, however many workers ask for it. */
export function scheduleCardExpiry(engine: Engine, everyMs: number): Promise<void> {
  return startEvery(engine, CARD_EXPIRY_FLOW, undefined, { scheduleId: workflowId.cardExpiry('schedule'), everyMs });
}
