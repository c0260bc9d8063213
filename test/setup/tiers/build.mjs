import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A module of test/setup, as the build has compiled it. */
export const load = (name) => createRequire(import.meta.url)(`../../../dist/test/setup/${name}.js`);

/** For tests that read what the build writes. Costs next to nothing when it is up to date. */
export default function build(_globalConfig, { rootDir }) {
  const { status } = spawnSync(process.execPath, [join(rootDir, 'scripts/build.mjs')], {
    cwd: rootDir,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the build failed');
}
