import { type Config, complete } from './complete';
import { underTodaysNames } from './former-names';
import { isLoopback } from './loopback';
import { productionFaults } from './production';
import { fileOf, withSecretFiles } from './secret-files';
import { ConfigError } from './setting';
import { SECTIONS, SETTINGS } from './settings';
import { settingsIn, valuesOf, type Wrong } from './values';

export type { Config } from './complete';
export { SANDBOX_KEY_ID } from './production';
export { fileOf } from './secret-files';
export { ConfigError } from './setting';

const ALL = settingsIn(SETTINGS);

/** A setting as docs/settings.md shows it; `form`, `default` and `meaning` are Markdown. */
export interface SettingDescription {
  name: string;
  /** The table of docs/settings.md that it stands in. */
  section: keyof typeof SECTIONS;
  form: string;
  default: string;
  meaning: string;
  /** The name it had before, which still works. */
  formerly?: string;
}

/** Every setting by name, in the order of the table. */
export function describeSettings(): SettingDescription[] {
  return (Object.keys(SECTIONS) as (keyof typeof SECTIONS)[]).flatMap((section) =>
    settingsIn(SECTIONS[section]).map(({ name, meaning, shown, traits }) => ({
      name,
      section,
      ...shown,
      meaning,
      formerly: traits.formerly,
    })),
  );
}

/**
 * The environment we were started in, for programs that we start in turn, with each setting under its name of today.
 * Throws ConfigError when an old name is given beside the new one and they differ.
 */
export function environment(): NodeJS.ProcessEnv {
  const faults: string[] = [];
  const current = underTodaysNames(process.env, ALL, (fault) => faults.push(fault));
  refuseFaults(faults);
  return current;
}

/** The settings, and all that is wrong with them, one line for each fault. */
export interface Reading {
  config: Config;
  faults: string[];
}

/**
 * Reads and judges all settings. What cannot be read has its default here, so that everything that is wrong is found at
 * once: nothing may be done with the settings while there are faults.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Reading {
  const faults: string[] = [];
  const refuse = (fault: string) => void faults.push(fault);
  const known = new Set(ALL.flatMap(({ name }) => [name, fileOf(name)]));
  for (const name of Object.keys(env))
    if (name.startsWith('TILLWAY_') && !known.has(name)) refuse(`${name} is not a setting of Tillway`);
  const current = underTodaysNames(withSecretFiles(env, ALL, refuse), ALL, refuse);
  const wrong: Wrong = new Map();
  const config = complete(valuesOf(SETTINGS, current, wrong), refuse);
  for (const fault of wrong.values()) refuse(fault);
  const judged = config.sandbox ? sandboxFaults(config) : productionFaults(config);
  // What cannot be read is not missing too.
  const unread = [...wrong.keys(), ...namedIn(faults)];
  faults.push(...judged.filter((fault) => !unread.includes(fault.split(' ', 1)[0]!)));
  return { config, faults };
}

/** Reads and judges all settings. Throws ConfigError with a line for each that is wrong. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { config, faults } = readConfig(env);
  refuseFaults(faults);
  return config;
}

/** Throws ConfigError with these lines when there are any. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}

/** Whoever reaches a sandbox reads its mailbox and has what it makes up for itself. */
function sandboxFaults({ host, sandboxIsPublic }: Config): string[] {
  if (isLoopback(host) || sandboxIsPublic) return [];
  return [
    `HOST ${host} lets other machines reach this sandbox, which is not made for that: set NODE_ENV=production, or SANDBOX_PUBLIC=1 in a network that you trust`,
  ];
}

/** The settings that these lines begin with. */
const namedIn = (faults: readonly string[]) => faults.map((fault) => fault.split(' ', 1)[0]!.replace(/_FILE$/, ''));
