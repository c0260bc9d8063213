import build, { load } from './build.mjs';

/** For tests that start platforms of their own: the programs, and the engine's. */
export default async function program(globalConfig, projectConfig) {
  build(globalConfig, projectConfig);
  process.env.TEST_TEMPORAL_BINARY = await load('services').findEngine();
}
