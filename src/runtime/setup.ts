import type { Config } from '../config.js';
import type { Seeded } from './credentials.js';

/** Brings the schema up to date and, in the sandbox, seeds it; `earlier` are the credentials of an earlier start. */
export type Setup = (config: Config, earlier?: Seeded) => Promise<{ credentials: Seeded }>;

/** Loaded only when it is needed: a start that is refused for its settings need not load the database's parts. */
export const setup: Setup = async (config, earlier) => {
  const entry = '../db/setup.js';
  const module = (await import(entry)) as { setup: Setup };
  return module.setup(config, earlier);
};
