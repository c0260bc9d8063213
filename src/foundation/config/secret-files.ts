import { readFileSync } from 'node:fs';
import type { Setting } from './setting';

/** The variable that names the file of a secret. */
export const fileOf = (name: string) => `${name}_FILE`;

/**
 * `env` with each secret that is given as a file (`X_FILE`) read from it, without the line break at its end: a file can
 * be kept from other users and from lists of processes, an environment cannot. An empty `X_FILE` counts as none. What
 * is wrong goes to `refuse`, in a line that does not quote the file.
 */
export function withSecretFiles(
  env: NodeJS.ProcessEnv,
  settings: readonly Setting<unknown>[],
  refuse: (fault: string) => void,
): NodeJS.ProcessEnv {
  const current = { ...env };
  for (const { name, traits } of settings) {
    const variable = fileOf(name);
    const path = env[variable];
    if (!path) continue;
    // Empty is as good as none beside a file.
    if (!env[name]) delete current[name];
    if (!traits.secret) refuse(`${variable} is not a setting: only secrets are given as files`);
    else if (env[name]) refuse(`${name} and ${variable} are both set: set one of them`);
    else {
      const content = contentOf(path);
      if ('refusal' in content) refuse(`${variable} names a file that ${content.refusal}: ${path}`);
      else current[name] = content.text;
    }
  }
  return current;
}

function contentOf(path: string): { text: string } | { refusal: string } {
  try {
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    return { refusal: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
