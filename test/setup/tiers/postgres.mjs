import build, { load } from './build.mjs';
import { stopAtTheEnd } from './teardown.mjs';

/** For tests that need a database: one Postgres, with a migrated database for each worker. */
export default async function postgres(globalConfig, projectConfig) {
  build(globalConfig, projectConfig);
  const { env, stop } = await load('services').startPostgres(globalConfig.maxWorkers);
  stopAtTheEnd(stop);
  Object.assign(process.env, env);
}
