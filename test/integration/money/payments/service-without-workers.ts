import { pino } from 'pino';
import { loadConfig } from '../../../../src/foundation/config/config';
import type { Database } from '../../../../src/foundation/db/database';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import type { Vault } from '../../../../src/foundation/vault/vault';
import { AuthenticationPolicies } from '../../../../src/money/authentication/policies';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { Mandates } from '../../../../src/money/payments/mandates';
import { PaymentService } from '../../../../src/money/payments/service';
import { FirstSteps } from '../../../../src/money/payments/steps/first-steps';

/** What the API does with payments, where no worker goes on with them: nothing is sent to a processor. */
export function serviceWithoutWorkers(database: Database, vault: Vault, engine: Engine): PaymentService {
  return new PaymentService(
    {
      ...{ database, vault, engine, mandates: new Mandates(database, vault), ledger: new Ledger() },
      ...{
        firstAnswers: new FirstAnswers(),
        firstSteps: new FirstSteps(),
        authentication: new AuthenticationPolicies(database),
      },
      connectors: {
        get: () => {
          throw new Error('nothing is sent here');
        },
      },
      timers: loadConfig({}).timers,
      log: pino({ level: 'silent' }),
    },
    { firstAnswerMs: 50, eager: false, flows: 'all' },
  );
}
