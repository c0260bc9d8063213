import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** `npm run model`: more runs of the model than a test makes, or one that failed once more. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000_000}` },
    path: { type: 'string' },
    replay: { type: 'string' },
  },
});
const given = Object.entries(values).map(([name, value]) => [`MODEL_${name.toUpperCase()}`, value]);
const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '--selectProjects', 'model'], {
  stdio: 'inherit',
  env: { ...process.env, ...Object.fromEntries(given) },
});
process.exitCode = status ?? 1;
