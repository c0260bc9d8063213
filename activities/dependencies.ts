import type { Logger } from 'pino';
import type { PaymentLinkDependencies } from '../src/commerce/payment-links/steps';
import type { Connector, ProcessorId } from '../src/domain/connector';
import type { Config } from '../src/foundation/config/config';
import type { Database } from '../src/foundation/db/database';
import type { FirstAnswers } from '../src/foundation/temporal/first-answer';
import type { Vault } from '../src/foundation/vault/vault';
import type { EvidenceSeal } from '../src/money/disputes/evidence';
import type { Ledger } from '../src/money/ledger/ledger';
import type { TransferDependencies } from '../src/money/p2p/send';
import type { Mandates } from '../src/money/payments/mandates';
import type { FirstSteps } from '../src/money/payments/steps/first-steps';
import type { SavedCardDependencies } from '../src/money/saved-cards/dependencies';
import type { ConsentDependencies } from '../src/open-banking/consents/steps';
import type { KycDependencies } from '../src/people/kyc/steps';
import type { ActivationDependencies } from '../src/people/onboarding/activation-steps';

/** What activities work with. Passed in, so that tests can bring their own. */
export interface Dependencies {
  database: Database;
  ledger: Ledger;
  vault: Vault;
  evidence: EvidenceSeal;
  mandates: Mandates;
  connectors: { get(processor: ProcessorId): Connector };
  verification: KycDependencies;
  savedCards: SavedCardDependencies;
  activation: ActivationDependencies;
  p2p: TransferDependencies;
  paymentLinks: PaymentLinkDependencies['paymentLinks'];
  consents: ConsentDependencies['consents'];
  timers: Config['timers'];
  log: Logger;
  /** Where requests wait for the first thing their flow has to tell. */
  firstAnswers: FirstAnswers;
  /** First steps that requests of this process take. */
  firstSteps: FirstSteps;
}
