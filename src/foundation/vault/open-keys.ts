import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { DataKeys } from './data-keys';
import { createKeyServices } from './key-services/services';

/** The keys of a process. */
export interface OpenKeys {
  /** The settings with the keys as they are used: those of a key service where one is named. */
  config: Config;
  /** Whether everything can be sealed. */
  isUp(): boolean;
  /** Wraps the data keys of a service anew; answers how many. */
  rewrap(): Promise<number>;
  close(): void;
}

/** Rejects while a key service is named and does not unwrap. `system`: where data keys lie. */
export async function openKeys(config: Config, system: Knex, log: Pick<Logger, 'warn'>): Promise<OpenKeys> {
  const { seals, cacheMs, periodMs } = config.keyService;
  const services = createKeyServices(config.keyService);
  if (services.size === 0) return { config, isUp: () => true, rewrap: async () => 0, close: () => {} };
  const { vault, codec } = config.keys;
  const settings = {
    vault: typeof vault === 'string' ? vault : undefined,
    codec: typeof codec === 'string' ? codec : undefined,
  };
  const keys = await DataKeys.open(system, { seals, services, cacheMs, periodMs }, settings, log);
  return {
    config: { ...config, keys: { ...config.keys, vault: keys.ring('vault'), codec: keys.ring('codec') } },
    isUp: () => keys.isUp(),
    rewrap: () => keys.rewrap(),
    close: () => keys.close(),
  };
}
