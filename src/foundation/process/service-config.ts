import { type Config, readConfig, refuseFaults } from '../config/config.js';
import { serviceFaults } from '../db/service-faults.js';

/**
 * The settings of a process that serves: the API or a worker. In production the start also asks the database whether its
 * logins are narrow and its schema is up to date. Throws ConfigError with one line for each fault, all at once.
 */
export async function loadServiceConfig(env: NodeJS.ProcessEnv = process.env): Promise<Config> {
  const { config, faults } = readConfig(env);
  if (!config.sandbox) faults.push(...(await serviceFaults(config.database)));
  refuseFaults(faults);
  return config;
}
