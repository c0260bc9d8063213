import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../src/config';
import type { Database } from '../src/db/database';
import type { Ledger } from '../src/ledger/ledger';
import type { Connector, ProcessorId } from '../src/providers/connector';
import type { Vault } from '../src/vault/vault';

/** What activities work with. Passed in, so that tests can bring their own. */
export interface Dependencies {
  database: Database;
  ledger: Ledger;
  vault: Vault;
  connectors: { get(processor: ProcessorId): Connector };
  timers: Config['timers'];
  log: Logger;
  /** Tells the request that waits for a first answer, if there is one, when `trx` has committed. */
  announce(trx: Knex.Transaction, subject: string): Promise<void>;
}
