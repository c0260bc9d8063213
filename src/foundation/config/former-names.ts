import type { Setting } from './setting';

/** The version from which on only today's names work. */
const UNTIL = '0.3';

const warned = new Set<string>();

/**
 * `env` with each old name replaced by the one of today. Warns once per process and name (process.emitWarning). Where
 * one of both is empty, the other counts. Both that are given and differ go to `refuse`.
 */
export function underTodaysNames(
  env: NodeJS.ProcessEnv,
  settings: readonly Setting<unknown>[],
  refuse: (fault: string) => void,
): NodeJS.ProcessEnv {
  const current = { ...env };
  for (const {
    name,
    traits: { formerly },
  } of settings) {
    if (formerly === undefined || env[formerly] === undefined) continue;
    delete current[formerly];
    const [value, old] = [env[name], env[formerly]];
    if (value && old && value !== old)
      refuse(`${name} and ${formerly} differ: ${formerly} is the old name of ${name}, set only ${name}`);
    current[name] = value || old;
    if (!old || warned.has(formerly)) continue;
    warned.add(formerly);
    process.emitWarning(`${formerly} is now ${name}; the old name works until version ${UNTIL}`);
  }
  return current;
}
