import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/foundation/db/database';
import { Vault } from '../../src/foundation/vault/vault';
import { Ledger } from '../../src/money/ledger/ledger';
import { Mandates } from '../../src/money/payments/mandates';
import { writeCatalogue } from '../../src/money/routing/method-catalogue';
import { HouseAccounts } from '../../src/money/topups/house-account';
import { CallbackSecrets } from '../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../setup/environment';
import { Clock } from './clock';
import { Processors } from './processors';

export const KEYS = `k1:${randomBytes(32).toString('base64')}`;

/** Looking through all rows takes longer the more there are: after so many runs the database is made anew. */
const RUNS_PER_DATABASE = 250;

/** A database of the model's own, on the clock of the model. */
export interface Ground {
  database: Database;
  ledger: Ledger;
  vault: Vault;
  mandates: Mandates;
  house: HouseAccounts;
  clock: Clock;
  tenant: SeededTenant;
  /** What an audit found after earlier runs. */
  knownFindings: Set<string>;
  runs: number;
  drop(): Promise<void>;
}

/** What all runs share: processors, and a database until it is used up. */
export class Place {
  private ground?: Ground;

  private constructor(
    readonly processors: Processors,
    private readonly home: string,
  ) {}

  static async open(): Promise<Place> {
    const home = mkdtempSync(join(tmpdir(), 'tillway-model-'));
    return new Place(await Processors.open(home), home);
  }

  /** The database of the next run. */
  async next(): Promise<Ground> {
    if (this.ground && this.ground.runs >= RUNS_PER_DATABASE) await this.abandon();
    this.ground ??= await lay();
    this.ground.runs += 1;
    return this.ground;
  }

  /** Has the next run begin on another database: what a run that failed has left is in nobody's way. */
  async abandon(): Promise<void> {
    await this.ground?.drop();
    this.ground = undefined;
  }

  async close(): Promise<void> {
    await this.abandon();
    await this.processors.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

async function lay(): Promise<Ground> {
  const own = await createTestDatabase('model');
  const clock = await Clock.install(own.adminUrl);
  const database = openDatabase(own.logins, 4, 'test-model');
  await writeCatalogue(database.system);
  const secrets = new CallbackSecrets(KEYS);
  const vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 3_600_000 });
  return {
    database,
    ledger: new Ledger(),
    vault,
    mandates: new Mandates(database, vault),
    house: new HouseAccounts(database, secrets),
    clock,
    tenant: await seedSandbox(database.system, secrets),
    knownFindings: new Set(),
    runs: 0,
    async drop() {
      await database.close();
      await clock.close();
      await own.drop();
    },
  };
}
