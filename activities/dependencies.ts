import type { Logger } from 'pino';
import type { Config } from '../src/config';
import type { VerificationParts } from '../src/customers/verification';
import type { Database } from '../src/db/database';
import type { EvidenceSeal } from '../src/disputes/evidence';
import type { Ledger } from '../src/ledger/ledger';
import type { ActivationParts } from '../src/onboarding/activation-steps';
import type { P2pParts } from '../src/p2p/send';
import type { Mandates } from '../src/payments/mandates';
import type { Connector, ProcessorId } from '../src/providers/connector';
import type { SavedCardParts } from '../src/saved-cards/parts';
import type { FirstAnswers } from '../src/temporal/first-answer';
import type { Vault } from '../src/vault/vault';

/** What activities work with. Passed in, so that tests can bring their own. */
export interface Dependencies {
  database: Database;
  ledger: Ledger;
  vault: Vault;
  evidence: EvidenceSeal;
  mandates: Mandates;
  connectors: { get(processor: ProcessorId): Connector };
  verification: VerificationParts;
  savedCards: SavedCardParts;
  activation: ActivationParts;
  p2p: P2pParts;
  timers: Config['timers'];
  log: Logger;
  /** Where requests wait for the first thing their flow has to tell. */
  firstAnswers: FirstAnswers;
}
