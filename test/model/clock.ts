import { Client } from 'pg';

/** Everything of Jest's fake timers but the date stays real: the database and the network take real time. */
const REAL = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/**
 * The clock of the database is a row of ours: the schema stands before `pg_catalog` on the search path, so that statements
 * and functions that ask for the time find these functions. Defaults of columns were bound before, and are bound anew.
 */
const CLOCK_SQL = `
  CREATE SCHEMA model_clock;
  CREATE TABLE model_clock.clock (at timestamptz NOT NULL);
  INSERT INTO model_clock.clock VALUES (pg_catalog.now());
  CREATE FUNCTION model_clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM model_clock.clock';
  CREATE FUNCTION model_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT at FROM model_clock.clock';
  GRANT USAGE ON SCHEMA model_clock TO PUBLIC;
  GRANT SELECT ON model_clock.clock TO PUBLIC;
  DO $$
  DECLARE found record;
  BEGIN
    FOR found IN SELECT d.adrelid::regclass AS owner, a.attname AS name FROM pg_attrdef d
      JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
      WHERE pg_get_expr(d.adbin, d.adrelid) IN ('now()', 'clock_timestamp()')
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT model_clock.clock_timestamp()', found.owner, found.name);
    END LOOP;
    EXECUTE format('ALTER DATABASE %I SET search_path = model_clock, pg_catalog, public', current_database());
  END $$;`;

/** One clock for this process and its database. It stands still until it is set, so a run can be repeated exactly. */
export class Clock {
  private constructor(private readonly client: Client) {}

  /** Takes over the clock of a database that nobody has opened yet, and of this process. */
  static async install(adminUrl: string): Promise<Clock> {
    const client = new Client({ connectionString: adminUrl });
    await client.connect();
    await client.query(CLOCK_SQL);
    jest.useFakeTimers({ doNotFake: [...REAL] });
    return new Clock(client);
  }

  /** `at`: milliseconds since the epoch. */
  async set(at: number): Promise<void> {
    await this.client.query('UPDATE model_clock.clock SET at = to_timestamp($1::numeric / 1000)', [at]);
    jest.setSystemTime(at);
  }

  async close(): Promise<void> {
    jest.useRealTimers();
    await this.client.end();
  }
}
