import { ConfigError, type Setting } from './setting';

/** The version from which on only today's names work. */
const UNTIL = '0.3';

const warned = new Set<string>();

/**
 * `env` with each old name replaced by the one of today. Warns once per process and name (process.emitWarning). Where
 * one of both is empty, the other counts, because docker-compose.yml passes on both names. Throws ConfigError when both
 * are given and differ.
 */
export function underTodaysNames(env: NodeJS.ProcessEnv, settings: readonly Setting<unknown>[]): NodeJS.ProcessEnv {
  const current = { ...env };
  for (const { name, formerly } of settings) {
    if (formerly === undefined || env[formerly] === undefined) continue;
    delete current[formerly];
    const [value, old] = [env[name], env[formerly]];
    if (value && old && value !== old)
      throw new ConfigError(`${name} and ${formerly} differ: ${formerly} is the old name of ${name}, set only ${name}`);
    current[name] = value || old;
    if (!old || warned.has(formerly)) continue;
    warned.add(formerly);
    process.emitWarning(`${formerly} is now ${name}; the old name works until version ${UNTIL}`);
  }
  return current;
}
